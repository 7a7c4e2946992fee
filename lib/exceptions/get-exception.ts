import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { type Exception, exception } from "./contract.ts";

export function getException(ctx: Context, id: string): Promise<Exception> {
  return read(ctx, "get_exception", { id }, exception);
}
