import { z } from "zod";
import { needs, ROLES } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { page, pageQuery, tenantId, text, time, user, userReference } from "../wire/schema.ts";

export const member = z
  .object({
    name: z.string().meta({ example: "ada" }),
    user: user.meta({ description: "The value for assigned_to.", example: "user:ada" }),
    roles: z
      .array(z.enum(ROLES))
      .meta({ description: "Empty if known only from an assignment.", example: ["tenant_lead"] }),
    source: z.enum(["directory", "assignment"]).meta({
      description:
        "directory: a member in Supabase Auth. assignment: an exception is assigned to this name.",
    }),
  })
  .meta({ id: "Member" });
export type Member = z.output<typeof member>;

export const listMembersContract = contract({
  operationId: "listMembers",
  method: "GET",
  path: "/v1/members",
  tag: "Tenant",
  summary: "List possible assignees",
  description:
    "Sorted by name: the tenant's members in Supabase Auth and everyone with an assigned " +
    "exception. Users of another identity provider appear after their first assignment; " +
    "assigned_to accepts any user:<name>.",
  access: needs("read:members"),
  query: z.strictObject({
    ...pageQuery,
    q: text(120).optional().meta({ description: "Part of the name.", example: "ad" }),
  }),
  response: page(member),
});

const roles = z
  .array(z.enum(ROLES))
  .min(1)
  .max(ROLES.length)
  .refine((list) => new Set(list).size === list.length, "Name each role once.")
  .transform((list) => ROLES.filter((role) => list.includes(role)))
  .meta({ description: "One or more.", example: ["tenant_analyst"] });

const memberId = z.uuid().max(36).meta({
  description: "The account's ID in Supabase Auth.",
  example: "0192f3a4-7b5c-4d6e-8f90-a1b2c3d4e5f6",
});

export const tenantMember = z
  .object({
    id: memberId,
    name: z.string().meta({ description: "The local part of the email address.", example: "ada" }),
    user: user.meta({ description: "The value for assigned_to.", example: "user:ada" }),
    email: z.string().nullable().meta({ example: "ada@acme.example" }),
    roles: z.array(z.enum(ROLES)).meta({ example: ["tenant_analyst"] }),
    status: z
      .enum(["active", "suspended"])
      .meta({ description: "suspended: banned in Supabase Auth; can't sign in." }),
    created_at: time.nullable(),
    last_sign_in_at: time.nullable().meta({ description: "Last sign-in with a password." }),
    open_exceptions: z
      .int()
      .min(0)
      .max(1000)
      .meta({ description: "Exceptions assigned to them, counted up to 1,000.", example: 4 }),
  })
  .meta({ id: "TenantMember" });
export type TenantMember = z.output<typeof tenantMember>;

const tag = "Tenant";
const noun = "member";
const tenantParam = "id";
const ofTenant = z.strictObject({ id: tenantId });
const ofMember = z.strictObject({ id: tenantId, memberId });

export const listTenantMembersContract = contract({
  operationId: "listTenantMembers",
  method: "GET",
  path: "/v1/tenants/{id}/members",
  tag,
  noun,
  summary: "List a tenant's members",
  description:
    "The tenant's accounts in Supabase Auth, sorted by email address. People who sign in " +
    "with another identity provider aren't listed here.",
  access: needs("read:people"),
  params: ofTenant,
  tenantParam,
  query: z.strictObject({
    ...pageQuery,
    q: text(120).optional().meta({ description: "Part of the email address.", example: "ad" }),
  }),
  response: page(tenantMember),
});

export const getTenantMemberContract = contract({
  operationId: "getTenantMember",
  method: "GET",
  path: "/v1/tenants/{id}/members/{memberId}",
  tag,
  noun,
  summary: "Get a member",
  access: needs("read:people"),
  params: ofMember,
  tenantParam,
  response: tenantMember,
  resource: "versioned",
});

export const updateTenantMemberContract = contract({
  operationId: "updateTenantMember",
  method: "PATCH",
  path: "/v1/tenants/{id}/members/{memberId}",
  tag,
  noun,
  summary: "Change a member's roles",
  description:
    "Takes effect at once in the process that served the call, and within " +
    "SESSION_CHECK_SECONDS (60) in all others. A tenant keeps at least one admin: demoting " +
    "the last one returns a conflict.",
  access: needs("write:people"),
  params: ofMember,
  tenantParam,
  body: z.strictObject({ roles }),
  response: tenantMember,
  resource: "versioned",
  errors: ["conflict"],
});

export const removeTenantMemberContract = contract({
  operationId: "removeTenantMember",
  method: "DELETE",
  path: "/v1/tenants/{id}/members/{memberId}",
  tag,
  noun,
  summary: "Remove a member",
  description:
    "Ends their access to the tenant, and their sessions if they have no other tenant: at " +
    "once in the process that served the call, within SESSION_CHECK_SECONDS (60) in all " +
    "others, for cookies and tokens. The account itself stays. The last admin can't be " +
    "removed.",
  access: needs("write:people"),
  idempotency: { field: "idempotency_key", required: false },
  params: ofMember,
  tenantParam,
  body: z.strictObject({
    reason: z.string().max(500).nullable().optional().meta({ example: "Left the company." }),
    hand_over_to: userReference.nullable().optional().meta({
      description:
        "Who gets their open exceptions. Null: unassigned. If omitted, they stay assigned.",
      example: "user:leo",
    }),
  }),
  response: tenantMember.extend({
    handed_over: z
      .int()
      .min(0)
      .meta({ description: "How many open exceptions changed hands.", example: 4 }),
  }),
  resource: "versioned",
  errors: ["conflict"],
});
