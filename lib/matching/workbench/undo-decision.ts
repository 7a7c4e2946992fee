import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Decision } from "./contract.ts";

export function undoDecision(ctx: Context, id: string): Promise<Decision> {
  return write<Decision>(ctx, "undo_decision", { id });
}
