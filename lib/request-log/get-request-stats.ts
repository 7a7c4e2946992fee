import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { getRequestStatsContract, RequestStats } from "./contract.ts";

export function getRequestStats(
  ctx: Context,
  query: z.output<(typeof getRequestStatsContract)["query"]>,
): Promise<RequestStats> {
  return read(ctx, "get_request_stats", query);
}
