import { endpoint } from "#lib/http/endpoint.ts";
import { route, routeBy } from "#lib/http/route.ts";
import { RECORD_CONTRACTS } from "#lib/records/contract.ts";
import { deleteRecord } from "#lib/records/delete-record.ts";
import { getRecord } from "#lib/records/get-record.ts";
import { updateRecord } from "#lib/records/update-record.ts";

const routes = [...RECORD_CONTRACTS].map(([surface, contracts]) => {
  const { get, update, remove } = contracts;
  return [
    surface,
    route(
      endpoint(get, ({ ctx, params, query }) => getRecord(ctx, contracts, params.id, query)),
      endpoint(update, ({ ctx, params, body }) => updateRecord(ctx, contracts, params.id, body)),
      endpoint(remove, ({ ctx, params }) => deleteRecord(ctx, contracts, params.id)),
    ),
  ] as const;
});

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = routeBy("surface", new Map(routes));
