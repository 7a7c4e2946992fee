import { z } from "zod";
import { needs, ROLES } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { actor, id, page, pageQuery, tenantId, time } from "../wire/schema.ts";

const invitationId = id("inv");
const EMAIL_MAX = 254;
export const INVITATION_STATUSES = ["pending", "accepted", "expired", "revoked"] as const;

const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(EMAIL_MAX)
  .pipe(z.email("Enter an email address, for example nia@acme.example."))
  .meta({ description: "Kept in lowercase.", example: "nia@acme.example" });

const roles = z
  .array(z.enum(ROLES))
  .min(1)
  .max(ROLES.length)
  .refine((list) => new Set(list).size === list.length, "Name each role once.")
  .transform((list) => ROLES.filter((role) => list.includes(role)))
  .meta({ description: "The roles they get when they accept.", example: ["tenant_analyst"] });

export const invitation = z
  .object({
    id: invitationId,
    email: z.string().meta({ example: "nia@acme.example" }),
    roles: z.array(z.enum(ROLES)).meta({ example: ["tenant_analyst"] }),
    status: z.enum(INVITATION_STATUSES),
    created_at: time,
    created_by: actor,
    sent_at: time
      .nullable()
      .meta({ description: "When the mail was sent. Null: it is being sent." }),
    expires_at: time.meta({ description: "Seven days after it was last sent." }),
    accepted_at: time.nullable().meta({ example: null }),
    revoked_at: time.nullable().meta({ example: null }),
    revoked_by: actor.nullable().meta({ example: null }),
  })
  .meta({ id: "Invitation" });
export type Invitation = z.output<typeof invitation>;

const tag = "Tenant";
const noun = "invitation";
const tenantParam = "id";
const idempotency = { field: "idempotency_key", required: false } as const;
const ofTenant = z.strictObject({ id: tenantId });
const ofInvitation = z.strictObject({ id: tenantId, invitationId });

export const listInvitationsContract = contract({
  operationId: "listInvitations",
  method: "GET",
  path: "/v1/tenants/{id}/invitations",
  tag,
  noun,
  summary: "List invitations, newest first",
  access: needs("read:people"),
  params: ofTenant,
  tenantParam,
  query: z.strictObject({ ...pageQuery, status: z.enum(INVITATION_STATUSES).optional() }),
  response: page(invitation),
});

export const createInvitationContract = contract({
  operationId: "createInvitation",
  method: "POST",
  path: "/v1/tenants/{id}/invitations",
  tag,
  noun,
  summary: "Invite someone by email",
  description:
    "Mails a link that works once, for seven days. To accept it, a person sets a password " +
    "or signs in. Only the mail has the link, and the response is the same whether or not " +
    "the address has an account. A tenant can send 100 invitations an hour; 5 an hour and " +
    "10 a day to one address.",
  access: needs("write:people"),
  idempotency,
  params: ofTenant,
  tenantParam,
  body: z.strictObject({ email, roles }),
  response: invitation,
  status: 201,
  resource: "versioned",
  errors: ["conflict"],
});

export const getInvitationContract = contract({
  operationId: "getInvitation",
  method: "GET",
  path: "/v1/tenants/{id}/invitations/{invitationId}",
  tag,
  noun,
  summary: "Get an invitation",
  access: needs("read:people"),
  params: ofInvitation,
  tenantParam,
  response: invitation,
  resource: "versioned",
});

export const resendInvitationContract = contract({
  operationId: "resendInvitation",
  method: "POST",
  path: "/v1/tenants/{id}/invitations/{invitationId}/resend",
  tag,
  noun,
  summary: "Send an invitation again",
  description:
    "With a new link, valid for seven days; the previous one stops working. At most once a " +
    "minute, 5 times an hour and 10 times a day.",
  access: needs("write:people"),
  idempotency,
  params: ofInvitation,
  tenantParam,
  response: invitation,
  resource: "versioned",
  errors: ["conflict"],
});

export const revokeInvitationContract = contract({
  operationId: "revokeInvitation",
  method: "DELETE",
  path: "/v1/tenants/{id}/invitations/{invitationId}",
  tag,
  noun,
  summary: "Revoke an invitation",
  description: "Its link stops working at once. Revoking it again returns it unchanged.",
  access: needs("write:people"),
  params: ofInvitation,
  tenantParam,
  response: invitation,
  resource: "versioned",
  errors: ["conflict"],
});
