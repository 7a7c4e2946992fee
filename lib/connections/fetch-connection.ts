import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Connection } from "./contract.ts";

export function fetchConnection(ctx: Context, id: string): Promise<Connection> {
  return write<Connection>(ctx, "fetch_connection", { id });
}
