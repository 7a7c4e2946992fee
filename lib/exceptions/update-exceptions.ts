import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { updateExceptionsContract } from "./contract.ts";

type Contract = typeof updateExceptionsContract;

export function updateExceptions(ctx: Context, input: z.output<NonNullable<Contract["body"]>>): Promise<z.output<Contract["response"]>> {
  return write(ctx, "update_exceptions", input, updateExceptionsContract.response);
}
