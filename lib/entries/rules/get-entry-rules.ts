import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { EntryRuleSet } from "./contract.ts";
import { complete } from "./stored.ts";

export async function getEntryRules(ctx: Context, id: string): Promise<EntryRuleSet> {
  return tagged(ctx, complete(await read(ctx, "get_entry_rules", { id })));
}
