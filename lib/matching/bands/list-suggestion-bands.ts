import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { listSuggestionBandsContract } from "./contract.ts";

export function listSuggestionBands(
  ctx: Context,
  id: string,
): Promise<z.input<typeof listSuggestionBandsContract.response>> {
  return read(ctx, "list_suggestion_bands", { id });
}
