import { downloadEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getStatementBundleContract } from "#lib/matching/bundles/contract.ts";
import { getStatementBundle } from "#lib/matching/bundles/get-statement-bundle.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  downloadEndpoint(getStatementBundleContract, ({ ctx, params }) =>
    getStatementBundle(ctx, params.id, params.number),
  ),
);
