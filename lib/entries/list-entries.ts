import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import type { Entry, listEntriesContract } from "./contract.ts";

type Contract = typeof listEntriesContract;

const IN_ORDER = { name: "place", key: z.tuple([z.string().regex(/^\d{1,9}$/)]) };

export function listEntries(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Entry>(ctx, "list_entries", IN_ORDER, { ...query, id });
}
