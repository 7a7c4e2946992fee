import type { z } from "zod";
import { write } from "../../db/call.ts";
import type { Line } from "../../lines/contract.ts";
import type { Context } from "../../request/context.ts";
import type { excludeLineContract } from "./contract.ts";

export function excludeLine(
  ctx: Context,
  id: string,
  input: z.output<NonNullable<typeof excludeLineContract.body>>,
): Promise<Line> {
  return write<Line>(ctx, "exclude_line", { ...input, id });
}
