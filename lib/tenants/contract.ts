import { z } from "zod";
import { needs } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { tenantId } from "../wire/schema.ts";

export const PRINCIPAL_TYPES = ["user", "api_key", "publishable_key", "service_role"] as const;

export const me = z
  .object({
    tenant_id: tenantId,
    tenant_name: z
      .string()
      .nullable()
      .meta({ description: "Null for the publishable key.", example: "Acme Corporation" }),
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
