import type { Client } from "pg";

export type ImportKey = { tenant_id: string; import_id: string };

/**
 * Selects bytes as text, because the driver decodes binary values as UTF-8 first, and files need
 * not be UTF-8.
 */
const CHUNK = `select encode(bytes, 'base64') as bytes from private.import_chunks
  where tenant_id = $1
     and import_id = $2 and seq = $3`;

/** The uploaded file, one chunk at a time; the next is fetched while the last is read. */
export async function* importChunks(
  database: Client,
  { tenant_id, import_id }: ImportKey,
): AsyncGenerator<Uint8Array> {
  const fetch = (seq: number) => {
    const found = database.query<{ bytes: string }>(CHUNK, [tenant_id, import_id, seq]);
    found.catch(() => {});
    return found;
  };
  for (let seq = 0, next = fetch(0); ; ) {
    const { rows } = await next;
    if (!rows[0]) return;
    next = fetch(++seq);
    yield Buffer.from(rows[0].bytes, "base64");
  }
}
