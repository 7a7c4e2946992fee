import type { z } from "zod";
import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { EntryPreview, previewEntriesContract } from "./contract.ts";

type Body = z.output<NonNullable<typeof previewEntriesContract.body>>;

export function previewEntries(ctx: Context, id: string, body: Body): Promise<EntryPreview> {
  return write<EntryPreview>(ctx, "preview_entries", { ...body, id });
}
