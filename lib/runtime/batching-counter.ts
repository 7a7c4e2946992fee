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
  /**
   * `batch` identifies the write, and is the same again if a write is retried because its answer
   * was lost or an error.
   */
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
  #unwritten: { id: string; counted: Counted<Item>[] } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BatchingCounterOptions<Item>) {
    this.#options = options;
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
    this.#schedule(this.#options.everyMs);
  }

  /** Writes everything counted so far. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  #schedule(afterMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, afterMs).unref();
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten || this.#counts.size > 0) {
      this.#unwritten ??= this.#take();
      const { id, counted } = this.#unwritten;
      try {
        await this.#options.write(counted, id);
        this.#unwritten = undefined;
      } catch (error) {
        log.warn(
          { err: error, rows: counted.length },
          `${this.#options.name} not written, kept for the next try`,
        );
        return this.#schedule(this.#options.retryMs);
      }
    }
  }

  #take(): { id: string; counted: Counted<Item>[] } {
    const counted = [...this.#counts.values()];
    this.#counts = new Map();
    return { id: crypto.randomUUID(), counted };
  }
}
