import type { z } from "zod";
import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { Exception } from "../contract.ts";
import type { pauseExceptionContract } from "./contract.ts";

export async function pauseException(
  ctx: Context,
  id: string,
  pause: z.output<NonNullable<typeof pauseExceptionContract.body>>,
): Promise<Exception> {
  return tagged(ctx, await write<Exception>(ctx, "pause_exception", { id, ...pause }));
}
