import type { Context } from "./context.ts";

/** Each page is parsed in one go, which delays other requests: 250 rows keep that short. */
const PAGE_ROWS = 250;

type Page<Item> = { items: Item[]; next_cursor: string | null };

/**
 * The pages of a list from first to last, for an export. The first call records the export, the
 * others continue it.
 */
export async function* everyPage<Item>(
  ctx: Context,
  read: (step: Context, page: { limit: number; cursor: string | undefined }) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let step = ctx;
  let cursor: string | undefined;
  do {
    const page = await read(step, { limit: PAGE_ROWS, cursor });
    yield page.items;
    cursor = page.next_cursor ?? undefined;
    step = { ...ctx, exported: null, continues: true };
  } while (cursor);
}
