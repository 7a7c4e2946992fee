import { endpoint } from "#lib/http/endpoint.ts";
import { route, routeBy } from "#lib/http/route.ts";
import { RECORD_CONTRACTS } from "#lib/records/contract.ts";
import { restoreRecord } from "#lib/records/restore-record.ts";

const routes = [...RECORD_CONTRACTS].map(([surface, contracts]) => {
  const restore = endpoint(contracts.restore, ({ ctx, params }) =>
    restoreRecord(ctx, contracts, params.id),
  );
  return [surface, route(restore)] as const;
});

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = routeBy("surface", new Map(routes));
