import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getSourceContract, updateSourceContract } from "#lib/sources/contract.ts";
import { getSource } from "#lib/sources/get-source.ts";
import { updateSource } from "#lib/sources/update-source.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getSourceContract, ({ ctx, params }) => getSource(ctx, params.id)),
  endpoint(updateSourceContract, ({ ctx, params, body }) => updateSource(ctx, params.id, body)),
);
