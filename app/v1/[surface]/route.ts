import { endpoint } from "#lib/http/endpoint.ts";
import { route, routeBy } from "#lib/http/route.ts";
import { RECORD_CONTRACTS } from "#lib/records/contract.ts";
import { createRecord } from "#lib/records/create-record.ts";
import { listRecords } from "#lib/records/list-records.ts";

const routes = [...RECORD_CONTRACTS].map(([surface, contracts]) => {
  const { list, create } = contracts;
  return [
    surface,
    route(
      endpoint(list, ({ ctx, query }) => listRecords(ctx, contracts, query)),
      endpoint(create, ({ ctx, body }) => createRecord(ctx, contracts, body)),
    ),
  ] as const;
});

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = routeBy("surface", new Map(routes));
