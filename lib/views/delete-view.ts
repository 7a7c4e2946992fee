import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { deleteViewContract } from "./contract.ts";

export function deleteView(
  ctx: Context,
  id: string,
): Promise<z.output<typeof deleteViewContract.response>> {
  return write(ctx, "delete_view", { id });
}
