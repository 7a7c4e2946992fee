import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Checklist } from "./contract.ts";

export function getChecklist(ctx: Context, id: string): Promise<Checklist> {
  return read<Checklist>(ctx, "get_checklist", { id });
}
