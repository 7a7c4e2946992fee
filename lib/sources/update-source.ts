import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Source, updateSourceContract } from "./contract.ts";

export async function updateSource(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateSourceContract.body>>,
): Promise<Source> {
  return tagged(ctx, await write<Source>(ctx, "update_source", { id, patch }));
}
