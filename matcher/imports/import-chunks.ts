import type { Client } from "pg";

export type ImportKey = { tenant_id: string; import_id: string };

/** As bytes and not as text of them: a chunk is asked for by itself. */
const RAW = { binary: true, types: { getTypeParser: () => (value: Buffer) => value } };
const CHUNK = "select bytes from private.import_chunks where tenant_id = $1 and import_id = $2 and seq = $3";

/** The file as it came in, a chunk at a time; the next one is fetched while the last is read. */
export async function* importChunks(database: Client, { tenant_id, import_id }: ImportKey): AsyncGenerator<Uint8Array> {
  const fetch = (seq: number) => {
    const found = database.query<{ bytes: Buffer }>({ text: CHUNK, values: [tenant_id, import_id, seq], ...RAW } as never);
    found.catch(() => {});
    return found;
  };
  for (let seq = 0, next = fetch(0); ; ) {
    const { rows } = await next;
    if (!rows[0]) return;
    next = fetch(++seq);
    yield rows[0].bytes;
  }
}
