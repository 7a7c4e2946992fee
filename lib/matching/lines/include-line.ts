import type { z } from "zod";
import { write } from "../../db/call.ts";
import type { Line } from "../../lines/contract.ts";
import type { Context } from "../../request/context.ts";
import type { includeLineContract } from "./contract.ts";

export function includeLine(
  ctx: Context,
  id: string,
  input: z.output<NonNullable<typeof includeLineContract.body>>,
): Promise<Line> {
  return write<Line>(ctx, "include_line", { ...input, id });
}
