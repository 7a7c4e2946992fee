import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getSignedStatementContract } from "#lib/matching/periods/contract.ts";
import { getSignedStatement } from "#lib/matching/periods/get-signed-statement.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getSignedStatementContract, ({ ctx, params }) =>
    getSignedStatement(ctx, params.id, params.number),
  ),
);
