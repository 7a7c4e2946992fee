import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { putRulesContract } from "./contract.ts";
import { type StoredRules, withDefaults } from "./stored.ts";

type Contract = typeof putRulesContract;

export async function putRules(
  ctx: Context,
  id: string,
  input: z.output<NonNullable<Contract["body"]>>,
): Promise<z.input<Contract["response"]>> {
  return tagged(
    ctx,
    withDefaults(
      await read<StoredRules<{ dry_run: boolean; run_id: string | null }>>(ctx, "put_rules", {
        ...input,
        id,
      }),
    ),
  );
}
