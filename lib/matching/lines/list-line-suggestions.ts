import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { LineSuggestion } from "./contract.ts";
import { suggestionThreads } from "./suggestion-threads.ts";
import type { SuggestionQuery } from "./suggestions-of.ts";

/** Possible counterparts of one line among the open lines near it in amount or in time. */
export async function listLineSuggestions(
  ctx: Context,
  id: string,
  { reconciliation_id }: { reconciliation_id?: string | undefined },
): Promise<{ items: LineSuggestion[] }> {
  const query = await read<SuggestionQuery>(ctx, "list_line_suggestions", {
    id,
    reconciliation_id,
  });
  return { items: query.line ? await suggestionThreads().run<LineSuggestion[]>(query) : [] };
}
