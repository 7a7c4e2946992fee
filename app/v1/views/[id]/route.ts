import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { deleteViewContract, getViewContract, updateViewContract } from "#lib/views/contract.ts";
import { deleteView } from "#lib/views/delete-view.ts";
import { getView } from "#lib/views/get-view.ts";
import { updateView } from "#lib/views/update-view.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getViewContract, ({ ctx, params }) => getView(ctx, params.id)),
  endpoint(updateViewContract, ({ ctx, params, body }) => updateView(ctx, params.id, body)),
  endpoint(deleteViewContract, ({ ctx, params }) => deleteView(ctx, params.id)),
);
