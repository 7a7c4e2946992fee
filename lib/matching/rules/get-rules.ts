import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { RuleSet } from "./contract.ts";
import { readable, type StoredRules } from "./stored.ts";

export async function getRules(ctx: Context, id: string): Promise<RuleSet> {
  return tagged(ctx, readable(await read<StoredRules>(ctx, "get_rules", { id })));
}
