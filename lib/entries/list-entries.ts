import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import type { Entry, listEntriesContract } from "./contract.ts";

type Contract = typeof listEntriesContract;

const BY_PLACE = { name: "place", key: z.tuple([z.string().regex(/^\d{1,9}$/)]) };

export async function listEntries(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  const page = await readPage<Omit<Entry, "id">>(ctx, "list_entries", BY_PLACE, { ...query, id });
  return {
    ...page,
    items: page.items.map((entry) => ({ id: entryId(id, entry.place), ...entry })),
  };
}

/** The batch's ID and the entry's place in it, in the format of other IDs. */
function entryId(batch: string, place: number): string {
  return `ent_${batch.slice("bat_".length)}${place.toString(16).padStart(8, "0")}`;
}
