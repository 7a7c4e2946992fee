import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { updateViewContract, View } from "./contract.ts";

export async function updateView(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateViewContract.body>>,
): Promise<View> {
  return tagged(ctx, await write<View>(ctx, "update_view", { id, patch }));
}
