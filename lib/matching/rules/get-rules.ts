import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { RuleSet } from "./contract.ts";
import { type StoredRules, withDefaults } from "./stored.ts";

export async function getRules(ctx: Context, id: string): Promise<RuleSet> {
  return tagged(ctx, withDefaults(await read<StoredRules>(ctx, "get_rules", { id })));
}
