import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { getSlaReportContract, slaReport } from "./contract.ts";

export function getSlaReport(
  ctx: Context,
  query: z.output<typeof getSlaReportContract.query>,
): Promise<z.output<typeof slaReport>> {
  return read(ctx, "get_sla_report", query);
}
