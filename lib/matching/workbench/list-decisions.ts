import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { type Decision, decision, type listDecisionsContract } from "./contract.ts";

type Contract = typeof listDecisionsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([decision.shape.id]) };

export function listDecisions(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Decision>(ctx, "list_decisions", NEWEST_FIRST, { ...query, id });
}
