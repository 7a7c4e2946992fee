import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Connection } from "./contract.ts";

export async function getConnection(ctx: Context, id: string): Promise<Connection> {
  return tagged(ctx, await read<Connection>(ctx, "get_connection", { id }));
}
