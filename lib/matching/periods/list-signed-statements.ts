import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { type listSignedStatementsContract, type Signature, signature } from "./contract.ts";

type Contract = typeof listSignedStatementsContract;

const NEWEST_FIRST = { name: "number", key: z.tuple([signature.shape.number]) };

export async function listSignedStatements(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Signature>(ctx, "list_signed_statements", NEWEST_FIRST, { ...query, id });
}
