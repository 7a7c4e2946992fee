const TICK_MS = 250;
/**
 * A longer gap between two ticks means that this process was stalled: stopped, frozen with its
 * machine, or blocked by one task.
 */
const MAX_PER_TICK_MS = 1_000;

/**
 * Measures time only while this process runs. A receiver's response time is measured with it, since
 * a process that was stalled for a minute could not read a response that came at once.
 */
export class StallAwareClock {
  #runningMs = 0;
  #lastAt: number;
  readonly #clock: () => number;
  readonly #timer: NodeJS.Timeout;

  constructor(clock = () => performance.now()) {
    this.#clock = clock;
    this.#lastAt = clock();
    this.#timer = setInterval(() => this.now(), TICK_MS).unref();
  }

  /** Milliseconds since the clock was created, excluding stalls. */
  now(): number {
    const at = this.#clock();
    this.#runningMs += Math.min(at - this.#lastAt, MAX_PER_TICK_MS);
    this.#lastAt = at;
    return this.#runningMs;
  }

  /** Starts measuring. The result says how long the process ran, and how long it was stalled. */
  stopwatch(): () => { ranMs: number; stalledMs: number } {
    const [startedAt, runningAtStart] = [this.#clock(), this.now()];
    return () => {
      const ranMs = this.now() - runningAtStart;
      return { ranMs, stalledMs: this.#clock() - startedAt - ranMs };
    };
  }

  /** Aborts with a TimeoutError after `ms` of running time, unless released before. */
  timeout(ms: number): { signal: AbortSignal; release: () => void } {
    const controller = new AbortController();
    const until = this.now() + ms;
    let timer: NodeJS.Timeout;
    const wait = () => {
      const remaining = until - this.now();
      if (remaining > 0) timer = setTimeout(wait, remaining);
      else controller.abort(new DOMException("timed out", "TimeoutError"));
    };
    wait();
    return { signal: controller.signal, release: () => clearTimeout(timer) };
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
