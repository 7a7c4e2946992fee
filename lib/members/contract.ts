import { z } from "zod";
import { needs, ROLES } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { page, pageQuery, text, user } from "../wire/schema.ts";

export const member = z
  .object({
    name: z.string().meta({ example: "ada" }),
    user: user.meta({ description: "What assigned_to takes.", example: "user:ada" }),
    roles: z.array(z.enum(ROLES)).meta({ description: "Empty where only an assignment is known of.", example: ["tenant_lead"] }),
    source: z
      .enum(["directory", "assignment"])
      .meta({ description: "directory: Supabase Auth has this person in the tenant. assignment: an exception was given to this name." }),
  })
  .meta({ id: "Member" });
export type Member = z.output<typeof member>;

export const listMembersContract = contract({
  operationId: "listMembers",
  method: "GET",
  path: "/v1/members",
  tag: "Tenant",
  summary: "List whom exceptions can be given to",
  description:
    "By name: the tenant's people in Supabase Auth, and the names that exceptions are assigned to. Users of another identity " +
    "provider appear with their first assignment; assigned_to takes any user:<name>.",
  access: needs("read:members"),
  query: z.strictObject({ ...pageQuery, q: text(120).optional().meta({ description: "Part of the name.", example: "ad" }) }),
  response: page(member),
});
