import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { explained, type StoredMatch } from "../stored.ts";
import type { SuggestionSample, sampleSuggestionsContract } from "./contract.ts";

type Query = z.output<typeof sampleSuggestionsContract.query>;

export async function sampleSuggestions(
  ctx: Context,
  id: string,
  query: Query,
): Promise<SuggestionSample> {
  const { items, ...found } = await read<
    Omit<SuggestionSample, "items"> & { items: StoredMatch[] }
  >(ctx, "sample_suggestions", {
    ...query,
    id,
  });
  return { ...found, items: items.map(explained) };
}
