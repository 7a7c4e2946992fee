import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { type createExceptionContract, type Exception, exception } from "./contract.ts";

export function createException(ctx: Context, input: z.output<NonNullable<typeof createExceptionContract.body>>): Promise<Exception> {
  return write(ctx, "create_exception", input, exception);
}
