import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { PeriodProof } from "./contract.ts";

export function getProof(ctx: Context, id: string): Promise<PeriodProof> {
  return read<PeriodProof>(ctx, "get_proof", { id });
}
