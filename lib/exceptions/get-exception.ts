import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Exception } from "./contract.ts";

export async function getException(ctx: Context, id: string): Promise<Exception> {
  return tagged(ctx, await read<Exception>(ctx, "get_exception", { id }));
}
