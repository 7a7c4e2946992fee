type Batch<Item> = { id: string; items: Item[] };

export type BatchWriterOptions<Item> = {
  /** Called before the writes of an interval. */
  begins?: () => void;
  /** Takes the next items to write, of which there may be none. */
  take: () => Item[];
  /**
   * `batch` identifies the write, and is the same again if a write is retried because its answer
   * was lost or an error.
   */
  write: (items: Item[], batch: string) => Promise<void>;
  /** Whether to retry the write after this error; otherwise its items are dropped. */
  retries: (error: unknown, items: Item[]) => boolean;
  /** Called when items are written or dropped. */
  settled?: (items: Item[]) => void;
  everyMs: number;
  retryMs: number;
};

/**
 * Writes what was gathered in memory, at intervals and at shutdown, so that no request waits for
 * it. Only a crash loses items.
 */
export class BatchWriter<Item> {
  readonly #options: BatchWriterOptions<Item>;
  #unwritten: Batch<Item> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BatchWriterOptions<Item>) {
    this.#options = options;
  }

  /** The items that were taken but aren't written yet. */
  get unwritten(): readonly Item[] {
    return this.#unwritten?.items ?? [];
  }

  /** Writes at the end of the current interval. */
  schedule(afterMs = this.#options.everyMs): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, afterMs).unref();
  }

  /** Writes everything gathered so far. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#options.begins?.();
    for (;;) {
      this.#unwritten ??= { id: crypto.randomUUID(), items: this.#options.take() };
      const { id, items } = this.#unwritten;
      try {
        if (items.length > 0) await this.#options.write(items, id);
      } catch (error) {
        if (this.#options.retries(error, items)) return this.schedule(this.#options.retryMs);
      }
      this.#unwritten = undefined;
      if (items.length === 0) return;
      this.#options.settled?.(items);
    }
  }
}
