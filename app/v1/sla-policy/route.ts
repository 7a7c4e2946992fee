import { getSlaPolicyContract, putSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";
import { getSlaPolicy } from "#lib/exceptions/sla/get-sla-policy.ts";
import { putSlaPolicy } from "#lib/exceptions/sla/put-sla-policy.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getSlaPolicyContract, ({ ctx }) => getSlaPolicy(ctx)),
  endpoint(putSlaPolicyContract, ({ ctx, body }) => putSlaPolicy(ctx, body)),
);
