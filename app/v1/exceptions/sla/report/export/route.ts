import { getSlaReportContract } from "#lib/exceptions/sla/report/contract.ts";
import { exportSlaReport } from "#lib/exceptions/sla/report/export-sla-report.ts";
import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(getSlaReportContract, ({ ctx, query }) => exportSlaReport(ctx, query)),
);
