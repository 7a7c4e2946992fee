/** Calls are logged up to a second late, so a minute is ample. */
const WINDOW_MS = 60_000;
const MAX_OWN_CALLS = 1_000;

/** The calls that were shown, for as long as a later poll can list them again. */
export class SeenCalls {
  /** When each was made, by its ID. */
  readonly #times = new Map<string, number>();
  /** IDs of our own calls, whose time isn't known until they are listed. */
  readonly #own = new Set<string>();
  #newest = Number.NEGATIVE_INFINITY;
  #since: string | undefined;

  get size(): number {
    return this.#times.size + this.#own.size;
  }

  add({ id, at }: { id: string; at: string }): void {
    const time = Date.parse(at);
    this.#times.set(id, time);
    this.#newest = Math.max(this.#newest, time);
  }

  addOwn(id: string): void {
    this.#own.add(id);
    const [oldest] = this.#own;
    if (this.#own.size > MAX_OWN_CALLS && oldest !== undefined) this.#own.delete(oldest);
  }

  has(id: string): boolean {
    return this.#times.has(id) || this.#own.has(id);
  }

  /**
   * Forgets the calls that are too old to be listed again.
   * @returns the time from which to list; undefined until a call has been forgotten
   */
  forget(): string | undefined {
    const since = this.#newest - WINDOW_MS;
    let hasForgotten = false;
    for (const [id, time] of this.#times)
      if (time < since) hasForgotten = this.#times.delete(id) || hasForgotten;
    if (hasForgotten) this.#since = new Date(since).toISOString();
    return this.#since;
  }
}
