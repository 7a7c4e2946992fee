import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { EntryRuleSet } from "./contract.ts";
import { withDefaultRules } from "./stored.ts";

export async function getEntryRules(ctx: Context, id: string): Promise<EntryRuleSet> {
  return tagged(ctx, withDefaultRules(await read(ctx, "get_entry_rules", { id })));
}
