import { getSlaReportContract } from "#lib/exceptions/report/contract.ts";
import { exportSlaReport } from "#lib/exceptions/report/export-sla-report.ts";
import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(getSlaReportContract, ({ ctx, query }) => ({
    pages: exportSlaReport(ctx, query),
  })),
);
