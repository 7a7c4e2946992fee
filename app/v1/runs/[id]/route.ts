import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getRunContract } from "#lib/matching/runs/contract.ts";
import { getRun } from "#lib/matching/runs/get-run.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getRunContract, ({ ctx, params }) => getRun(ctx, params.id)),
);
