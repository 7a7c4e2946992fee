import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listSignedStatementsContract } from "#lib/matching/periods/contract.ts";
import { listSignedStatements } from "#lib/matching/periods/list-signed-statements.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSignedStatementsContract, ({ ctx, params, query }) =>
    listSignedStatements(ctx, params.id, query),
  ),
);
