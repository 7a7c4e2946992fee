const TICK_MS = 250;
/** More than that between two ticks, and this process stood still: stopped, frozen with its machine, or held by one task. */
const MAX_PER_TICK_MS = 1_000;

/**
 * Time as far as this process ran. What a receiver took is measured by it: a process that stood still for a minute read no answer,
 * however soon there was one.
 */
export class StallAwareClock {
  #awakeMs = 0;
  #lastAt: number;
  readonly #clock: () => number;
  readonly #timer: NodeJS.Timeout;

  constructor(clock = () => performance.now()) {
    this.#clock = clock;
    this.#lastAt = clock();
    this.#timer = setInterval(() => this.now(), TICK_MS).unref();
  }

  /** Milliseconds since this was made, without those that the process stood still. */
  now(): number {
    const at = this.#clock();
    this.#awakeMs += Math.min(at - this.#lastAt, MAX_PER_TICK_MS);
    this.#lastAt = at;
    return this.#awakeMs;
  }

  /** From now on: what has passed of this time, and for how long the process stood still besides. */
  stopwatch(): () => { ranMs: number; stoodStillMs: number } {
    const [startedAt, awakeAtStart] = [this.#clock(), this.now()];
    return () => {
      const ranMs = this.now() - awakeAtStart;
      return { ranMs, stoodStillMs: this.#clock() - startedAt - ranMs };
    };
  }

  /** Aborts with a TimeoutError after so much of it, unless released before. */
  timeout(ms: number): { signal: AbortSignal; release: () => void } {
    const controller = new AbortController();
    const until = this.now() + ms;
    let timer: NodeJS.Timeout;
    const wait = () => {
      const left = until - this.now();
      if (left > 0) timer = setTimeout(wait, left);
      else controller.abort(new DOMException("timed out", "TimeoutError"));
    };
    wait();
    return { signal: controller.signal, release: () => clearTimeout(timer) };
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
