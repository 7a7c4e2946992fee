import { z } from "zod";
import { needs, ROLES } from "../wire/access.ts";
import { contract } from "../wire/contract.ts";
import { page, pageQuery, text, user } from "../wire/schema.ts";

export const member = z
  .object({
    name: z.string().meta({ example: "ada" }),
    user: user.meta({ description: "The value for assigned_to.", example: "user:ada" }),
    roles: z.array(z.enum(ROLES)).meta({ description: "Empty if known only from an assignment.", example: ["tenant_lead"] }),
    source: z
      .enum(["directory", "assignment"])
      .meta({ description: "directory: a member in Supabase Auth. assignment: an exception is assigned to this name." }),
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
    "Sorted by name: the tenant's members in Supabase Auth and everyone with an assigned exception. Users of another identity " +
    "provider appear with their first assignment; assigned_to accepts any user:<name>.",
  access: needs("read:members"),
  query: z.strictObject({ ...pageQuery, q: text(120).optional().meta({ description: "Part of the name.", example: "ad" }) }),
  response: page(member),
});
