import { getFirstStepsContract, putFirstStepsContract } from "#lib/first-steps/contract.ts";
import { getFirstSteps } from "#lib/first-steps/get-first-steps.ts";
import { putFirstSteps } from "#lib/first-steps/put-first-steps.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getFirstStepsContract, ({ ctx }) => getFirstSteps(ctx)),
  endpoint(putFirstStepsContract, ({ ctx, body }) => putFirstSteps(ctx, body)),
);
