import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { createSourceContract, Source } from "./contract.ts";

export async function createSource(
  ctx: Context,
  input: z.output<NonNullable<typeof createSourceContract.body>>,
): Promise<Source> {
  return tagged(ctx, await write<Source>(ctx, "create_source", input));
}
