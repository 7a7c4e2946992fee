import type { z } from "zod";
import type { Context } from "../../context.ts";
import { read } from "../../db/call.ts";
import { type getSlaReportContract, slaReport } from "./contract.ts";

export function getSlaReport(ctx: Context, query: z.output<typeof getSlaReportContract.query>): Promise<z.output<typeof slaReport>> {
  return read(ctx, "get_sla_report", query, slaReport);
}
