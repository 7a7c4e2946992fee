import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { createExceptionContract, Exception } from "./contract.ts";

export async function createException(
  ctx: Context,
  input: z.output<NonNullable<typeof createExceptionContract.body>>,
): Promise<Exception> {
  return tagged(ctx, await write<Exception>(ctx, "create_exception", input));
}
