import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { id, tenantId } from "../wire/schema.ts";

export const PRINCIPAL_TYPES = ["user", "api_key", "publishable_key", "service_role"] as const;

export const me = z
  .object({
    tenant_id: tenantId,
    tenant_name: z
      .string()
      .nullable()
      .meta({ description: "Null for the publishable key.", example: "Acme Corporation" }),
    kind: z.enum(["live", "sandbox"]).meta({ example: "live" }),
    sandbox_id: z
      .string()
      .nullable()
      .meta({ description: "This tenant's sandbox, if it has one.", example: "acme.sandbox" }),
    principal: z.object({
      type: z.enum(PRINCIPAL_TYPES),
      id: z.string().meta({ example: "ada" }),
      name: z.string().meta({ example: "ada" }),
      roles: z.array(z.string()).meta({ example: ["tenant_admin"] }),
      scopes: z.array(z.string()).meta({ example: [] }),
    }),
  })
  .meta({ id: "Me" });

export const getMeContract = contract({
  operationId: "getMe",
  method: "GET",
  path: "/v1/me",
  tag: "Tenant",
  summary: "Get the caller and its tenant",
  access: needs("read:me"),
  response: me,
  resource: "unversioned",
});

const sandbox = z
  .object({
    tenant_id: tenantId.meta({
      description: "The sandbox's tenant ID.",
      example: "acme.sandbox",
    }),
    reconciliation_id: id("rcn")
      .nullable()
      .meta({ description: "The reconciliation of the sample month." }),
  })
  .meta({ id: "Sandbox" });
export type Sandbox = z.output<typeof sandbox>;

const idempotency = { field: "idempotency_key", required: false } as const;

export const createSandboxContract = contract({
  operationId: "createSandbox",
  method: "POST",
  path: "/v1/sandbox",
  tag: "Tenant",
  summary: "Create the tenant's sandbox",
  description:
    "A tenant for testing. Its data and API keys (tks_test_…) are separate; its people are " +
    "this tenant's. It sends no mail. If it already exists, it is returned.",
  access: needs("create:sandbox"),
  errors: ["conflict"],
  idempotency,
  response: sandbox,
});

export const resetSandboxContract = contract({
  operationId: "resetSandbox",
  method: "POST",
  path: "/v1/sandbox/reset",
  tag: "Tenant",
  summary: "Reset a sandbox",
  description:
    "Empties the sandbox in X-Tenant-Id, except API keys, webhooks, alert channels and " +
    "logs. Refused for a live tenant.",
  access: needs("reset:sandbox"),
  showsResource: false,
  errors: ["conflict"],
  idempotency,
  body: z.strictObject({
    sample: z
      .boolean()
      .default(false)
      .meta({ description: "If true, then loads a sample month.", example: true }),
  }),
  response: sandbox,
});
