import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import type { listTenantMembersContract, TenantMember } from "./contract.ts";

type Contract = typeof listTenantMembersContract;

const BY_ADDRESS = { name: "address", key: z.tuple([z.string()]) };

export function listTenantMembers(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<TenantMember>(ctx, "list_tenant_members", BY_ADDRESS, query);
}
