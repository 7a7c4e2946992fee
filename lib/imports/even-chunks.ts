const CHUNK_BYTES = 768 * 1024;

/** The same bytes in chunks of one size, except the last. */
export async function* evenChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let open: Uint8Array[] = [];
  let size = 0;
  for await (let chunk of bytes) {
    while (size + chunk.length >= CHUNK_BYTES) {
      const part = chunk.subarray(0, CHUNK_BYTES - size);
      yield Buffer.concat([...open, part]);
      chunk = chunk.subarray(part.length);
      [open, size] = [[], 0];
    }
    if (chunk.length > 0) open.push(chunk);
    size += chunk.length;
  }
  if (size > 0) yield Buffer.concat(open);
}
