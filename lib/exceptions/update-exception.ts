import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Exception, updateExceptionContract } from "./contract.ts";

export async function updateException(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateExceptionContract.body>>,
): Promise<Exception> {
  return tagged(ctx, await write<Exception>(ctx, "update_exception", { id, patch }));
}
