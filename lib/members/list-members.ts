import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import type { listMembersContract, Member } from "./contract.ts";

type Contract = typeof listMembersContract;

const BY_NAME = { name: "name", key: z.tuple([z.string()]) };

export function listMembers(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Member>(ctx, "list_members", BY_NAME, query);
}
