import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { EntryRuleSet, putEntryRulesContract } from "./contract.ts";
import { withDefaultRules } from "./stored.ts";

type Body = z.output<NonNullable<typeof putEntryRulesContract.body>>;

export async function putEntryRules(ctx: Context, id: string, body: Body): Promise<EntryRuleSet> {
  return tagged(ctx, withDefaultRules(await read(ctx, "put_entry_rules", { ...body, id })));
}
