import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getStatementContract } from "#lib/matching/periods/contract.ts";
import { getStatement } from "#lib/matching/periods/get-statement.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getStatementContract, ({ ctx, params }) => getStatement(ctx, params.id)),
);
