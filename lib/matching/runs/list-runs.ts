import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { type listRunsContract, type Run, run } from "./contract.ts";

type Contract = typeof listRunsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([run.shape.id]) };

export async function listRuns(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Run>(ctx, "list_runs", NEWEST_FIRST, { ...query, id });
}
