import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createSandboxContract } from "#lib/tenants/contract.ts";
import { createSandbox } from "#lib/tenants/create-sandbox.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(createSandboxContract, ({ ctx }) => createSandbox(ctx)),
);
