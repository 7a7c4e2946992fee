import { listExceptionHistoryContract } from "#lib/exceptions/history/contract.ts";
import { listExceptionHistory } from "#lib/exceptions/history/list-exception-history.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listExceptionHistoryContract, ({ ctx, params, query }) =>
    listExceptionHistory(ctx, params.id, query),
  ),
);
