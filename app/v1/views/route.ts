import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createViewContract, listViewsContract } from "#lib/views/contract.ts";
import { createView } from "#lib/views/create-view.ts";
import { listViews } from "#lib/views/list-views.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listViewsContract, ({ ctx, query }) => listViews(ctx, query)),
  endpoint(createViewContract, ({ ctx, body }) => createView(ctx, body)),
);
