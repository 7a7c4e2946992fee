import type { z } from "zod";
import type { Context } from "../../request/context.ts";
import type { getSlaReportContract, slaReport } from "./contract.ts";
import { getSlaReport } from "./get-sla-report.ts";

type Rows = z.output<typeof slaReport>["rows"];

export async function* exportSlaReport(
  ctx: Context,
  query: z.output<typeof getSlaReportContract.query>,
): AsyncGenerator<Rows> {
  yield (await getSlaReport(ctx, query)).rows;
}
