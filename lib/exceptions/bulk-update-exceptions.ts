import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { updateExceptionsContract } from "./contract.ts";

type Contract = typeof updateExceptionsContract;

export function bulkUpdateExceptions(ctx: Context, input: z.output<NonNullable<Contract["body"]>>): Promise<z.input<Contract["response"]>> {
  return write(ctx, "update_exceptions", input);
}
