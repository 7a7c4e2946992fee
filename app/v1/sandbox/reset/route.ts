import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { resetSandboxContract } from "#lib/tenants/contract.ts";
import { resetSandbox } from "#lib/tenants/reset-sandbox.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(resetSandboxContract, ({ ctx, body }) => resetSandbox(ctx, body)),
);
