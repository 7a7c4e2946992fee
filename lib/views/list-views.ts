import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type listViewsContract, type View, view } from "./contract.ts";

const OLDEST_FIRST = { name: "id", key: z.tuple([view.shape.id]) };

export function listViews(
  ctx: Context,
  query: z.output<typeof listViewsContract.query>,
): Promise<z.input<typeof listViewsContract.response>> {
  return readPage<View>(ctx, "list_views", OLDEST_FIRST, query);
}
