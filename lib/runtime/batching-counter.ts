import { BatchWriter } from "./batch-writer.ts";
import { log } from "./log.ts";
import { onShutdown } from "./singleton.ts";

export type Counted<Item> = {
  item: Item;
  count: number;
  /** The time of the last count, by `performance.now()`. */
  lastAt: number;
};

export type BatchingCounterOptions<Item> = {
  /** The name in the log. */
  name: string;
  /** Items with the same key are counted together. */
  keyOf: (item: Item) => string;
  /** Writes the counts of a batch, as for `BatchWriter`. */
  write: (counted: Counted<Item>[], batch: string) => Promise<void>;
  everyMs: number;
  retryMs: number;
  /** Once `keys` keys are counted, items with other keys count as `overflow(item)`. */
  max?: { keys: number; overflow: (item: Item) => Item };
};

/**
 * Counts in memory and writes at intervals and at shutdown, so that no request waits for it. Only a
 * crash loses counts.
 */
export class BatchingCounter<Item> {
  readonly #options: BatchingCounterOptions<Item>;
  #counts = new Map<string, Counted<Item>>();
  readonly #writer: BatchWriter<Counted<Item>>;

  constructor(options: BatchingCounterOptions<Item>) {
    const { name, write, everyMs, retryMs } = options;
    this.#options = options;
    this.#writer = new BatchWriter({
      take: () => this.#take(),
      write,
      everyMs,
      retryMs,
      retries(error, { length: rows }) {
        log.warn({ err: error, rows }, `${name} not written, kept for the next try`);
        return true;
      },
    });
    onShutdown(() => this.flush());
  }

  count(item: Item): void {
    const { keyOf, max } = this.#options;
    const isKnown = !max || this.#counts.has(keyOf(item)) || this.#counts.size < max.keys;
    const counted = isKnown ? item : max.overflow(item);
    const key = keyOf(counted);
    this.#counts.set(key, {
      item: counted,
      count: (this.#counts.get(key)?.count ?? 0) + 1,
      lastAt: performance.now(),
    });
    this.#writer.schedule();
  }

  /** Writes everything counted so far. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #take(): Counted<Item>[] {
    const counted = [...this.#counts.values()];
    this.#counts = new Map();
    return counted;
  }
}
