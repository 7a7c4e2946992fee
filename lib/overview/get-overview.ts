import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { overview } from "./contract.ts";

export function getOverview(ctx: Context): Promise<z.input<typeof overview>> {
  return read<z.input<typeof overview>>(ctx, "get_overview", {});
}
