import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { listLineHistoryContract } from "./contract.ts";

export function listLineHistory(
  ctx: Context,
  id: string,
): Promise<z.input<typeof listLineHistoryContract.response>> {
  return read(ctx, "list_line_history", { id });
}
