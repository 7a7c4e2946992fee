import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createRunContract, listRunsContract } from "#lib/matching/runs/contract.ts";
import { createRun } from "#lib/matching/runs/create-run.ts";
import { listRuns } from "#lib/matching/runs/list-runs.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listRunsContract, ({ ctx, params, query }) => listRuns(ctx, params.id, query)),
  endpoint(createRunContract, ({ ctx, params, body }) => createRun(ctx, params.id, body)),
);
