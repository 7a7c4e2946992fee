import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { type Exception, exception, type updateExceptionContract } from "./contract.ts";

export function updateException(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateExceptionContract.body>>,
): Promise<Exception> {
  return write(ctx, "update_exception", { id, patch }, exception);
}
