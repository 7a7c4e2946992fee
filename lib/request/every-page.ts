import type { Context } from "./context.ts";

/** What arrives is read at once, beside what others wait for. */
const PAGE_ROWS = 250;

type Page<Item> = { items: Item[]; next_cursor: string | null };

/** The pages of a list from its first to its last, for an export: the first call records it, the others continue it. */
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
