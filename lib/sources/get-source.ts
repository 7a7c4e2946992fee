import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Source } from "./contract.ts";

export async function getSource(ctx: Context, id: string): Promise<Source> {
  return tagged(ctx, await read<Source>(ctx, "get_source", { id }));
}
