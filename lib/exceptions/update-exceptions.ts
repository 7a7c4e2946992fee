import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import type { updateExceptionsContract } from "./contract.ts";

type Contract = typeof updateExceptionsContract;

export function updateExceptions(ctx: Context, input: z.output<NonNullable<Contract["body"]>>): Promise<z.input<Contract["response"]>> {
  return write(ctx, "update_exceptions", input);
}
