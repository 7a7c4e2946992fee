import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { createViewContract, View } from "./contract.ts";

export async function createView(
  ctx: Context,
  input: z.output<NonNullable<typeof createViewContract.body>>,
): Promise<View> {
  return tagged(ctx, await write<View>(ctx, "create_view", input));
}
