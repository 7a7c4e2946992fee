import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getStatementContract } from "#lib/matching/periods/contract.ts";
import { exportStatement } from "#lib/matching/periods/export-statement.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(getStatementContract, ({ ctx, params, query }) =>
    exportStatement(ctx, params.id, query),
  ),
);
