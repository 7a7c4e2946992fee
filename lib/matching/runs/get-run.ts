import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Run } from "./contract.ts";

export function getRun(ctx: Context, id: string): Promise<Run> {
  return read<Run>(ctx, "get_run", { id });
}
