import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Line } from "./contract.ts";

export function getLine(ctx: Context, id: string): Promise<Line> {
  return read<Line>(ctx, "get_line", { id });
}
