import { getSlaReportContract } from "#lib/exceptions/report/contract.ts";
import { getSlaReport } from "#lib/exceptions/report/get-sla-report.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getSlaReportContract, ({ ctx, query }) => getSlaReport(ctx, query)),
);
