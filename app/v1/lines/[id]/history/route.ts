import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listLineHistoryContract } from "#lib/lines/contract.ts";
import { listLineHistory } from "#lib/lines/list-line-history.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listLineHistoryContract, ({ ctx, params }) => listLineHistory(ctx, params.id)),
);
