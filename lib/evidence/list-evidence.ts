import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type Evidence, evidence, type listEvidenceContract } from "./contract.ts";

type Contract = typeof listEvidenceContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([evidence.shape.id]) };

export function listEvidence(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Evidence>(ctx, "list_evidence", NEWEST_FIRST, query);
}
