import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type listSourcesContract, type Source, source } from "./contract.ts";

type Contract = typeof listSourcesContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([source.shape.id]) };

export function listSources(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Source>(ctx, "list_sources", NEWEST_FIRST, query);
}
