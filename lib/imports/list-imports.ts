import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type Import, imported, type listImportsContract } from "./contract.ts";

type Contract = typeof listImportsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([imported.shape.id]) };

export function listImports(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Import>(ctx, "list_imports", NEWEST_FIRST, query);
}
