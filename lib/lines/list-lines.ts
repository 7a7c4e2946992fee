import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type Line, line, type listLinesContract } from "./contract.ts";

type Contract = typeof listLinesContract;

const LATEST_FIRST = { name: "value_date", key: z.tuple([line.shape.value_date, line.shape.id]) };

export function listLines(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Line>(ctx, "list_lines", LATEST_FIRST, query);
}
