import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Proof } from "./contract.ts";

export function getProof(ctx: Context, id: string): Promise<Proof> {
  return read<Proof>(ctx, "get_proof", { id });
}
