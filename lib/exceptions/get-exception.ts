import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { tagged } from "../versions.ts";
import type { Exception } from "./contract.ts";

export async function getException(ctx: Context, id: string): Promise<Exception> {
  return tagged(ctx, await read<Exception>(ctx, "get_exception", { id }));
}
