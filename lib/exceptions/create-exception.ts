import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { tagged } from "../versions.ts";
import type { createExceptionContract, Exception } from "./contract.ts";

export async function createException(ctx: Context, input: z.output<NonNullable<typeof createExceptionContract.body>>): Promise<Exception> {
  return tagged(ctx, await write<Exception>(ctx, "create_exception", input));
}
