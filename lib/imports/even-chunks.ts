const CHUNK_BYTES = 768 * 1024;

/** Regroups bytes into chunks of equal size; the last may be shorter. */
export async function* evenChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (let chunk of bytes) {
    while (size + chunk.length >= CHUNK_BYTES) {
      const part = chunk.subarray(0, CHUNK_BYTES - size);
      yield Buffer.concat([...pending, part]);
      chunk = chunk.subarray(part.length);
      [pending, size] = [[], 0];
    }
    if (chunk.length > 0) pending.push(chunk);
    size += chunk.length;
  }
  if (size > 0) yield Buffer.concat(pending);
}
