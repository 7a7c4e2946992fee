/**
 * How much of a refused body is discarded, because its client waits until it is read. A longer body
 * closes the connection.
 */
const DISCARDED_MAX_BYTES = 8 * 1024 * 1024;

/** The bytes of an uploaded body. A reader that stops early discards the rest, within bounds. */
export async function* uploadedBytes(
  stream: ReadableStream<Uint8Array>,
  reply: Headers,
): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); next.value; next = await reader.read()) yield next.value;
  } finally {
    for (let left = DISCARDED_MAX_BYTES; left > 0; ) {
      const { value } = await reader.read().catch(() => ({ value: undefined }));
      if (!value) break;
      left -= value.length;
      if (left > 0) continue;
      reply.set("Connection", "close");
      await reader.cancel().catch(() => {});
    }
  }
}

/** Discards the rest of the body. */
export async function discard(bytes: AsyncGenerator<Uint8Array, void>): Promise<void> {
  await bytes.next().catch(() => {});
  await bytes.return();
}
