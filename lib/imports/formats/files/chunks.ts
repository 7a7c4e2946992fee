/** Chunks of a file whose beginning can be read ahead. */
export class HeadedChunks {
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #head: Uint8Array[] = [];
  #size = 0;
  /** Whether the head is the whole file. */
  isWhole = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#iterator = chunks[Symbol.asyncIterator]();
  }

  /** At least the first `bytes` bytes, if the file has them. */
  async head(bytes: number): Promise<Uint8Array> {
    while (this.#size < bytes && !this.isWhole) {
      const { value, done } = await this.#iterator.next();
      if (done) this.isWhole = true;
      else {
        this.#head.push(value);
        this.#size += value.length;
      }
    }
    return Buffer.concat(this.#head);
  }

  /** The whole file, including the head. */
  async *all(): AsyncGenerator<Uint8Array, void> {
    try {
      yield* this.#head;
      for (;;) {
        const { value, done } = await this.#iterator.next();
        if (done) return;
        yield value;
      }
    } finally {
      await this.#iterator.return?.();
    }
  }
}
