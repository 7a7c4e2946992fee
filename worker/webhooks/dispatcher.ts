import { setTimeout as sleep } from "node:timers/promises";
import { log } from "#lib/runtime/log.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { makeAttempt } from "./make-attempt.ts";
import { openQueries, type Result, type Settled } from "./queries.ts";

const AT_ONCE_MAX = 2_000;
const SWEEP_EVERY_MS = 5_000;
/** A retry that is due later is left to the sweep. */
const TIMED_WITHIN_MS = 60_000;
/** So that a timer is never early by the database's clock. */
const CLOCK_MARGIN_MS = 20;
const AFTER_A_FAULT_MS = 500;
const WAITING_MS = 50;

/**
 * Sends what is due. Claims and settlements go in batches: what gathers while one is under way makes up the next. A webhook
 * is claimed for when something wakes it, and again whenever one of its deliveries is settled.
 */
export class Dispatcher {
  readonly #queries: ReturnType<typeof openQueries>;
  readonly #sender: ReturnType<typeof createSender>;
  readonly #awake = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #breakOff = new AbortController();
  #results: Result[] = [];
  #isClaiming = false;
  #isSettling = false;
  #stopping = false;
  #claimed: Promise<void> | undefined;
  #settled: Promise<void> | undefined;

  constructor(connectionString: string, allowHosts: ReadonlySet<string>) {
    this.#queries = openQueries(connectionString);
    this.#sender = createSender(allowHosts);
    this.#sweep();
  }

  /** Has what is due for these webhooks sent, as far as their caps admit it. */
  wake(...webhookIds: string[]): void {
    for (const id of webhookIds) this.#awake.add(id);
    if (!this.#isClaiming) this.#claimed = this.#claim();
  }

  /** Claims no more, gives what is under way `withinMs` to end, breaks off the rest, and writes all of it down. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#claimed;
    await Promise.race([Promise.all(this.#underWay), sleep(withinMs)]);
    this.#breakOff.abort();
    await Promise.all(this.#underWay);
    await this.#settled;
    await Promise.all([this.#sender.close(), this.#queries.end()]);
  }

  async #claim(): Promise<void> {
    this.#isClaiming = true;
    while (this.#awake.size > 0 && this.#underWay.size < AT_ONCE_MAX && !this.#stopping) {
      const asked = [...this.#awake];
      this.#awake.clear();
      const room = AT_ONCE_MAX - this.#underWay.size;
      const claimedAt = performance.now();
      try {
        const claimed = await this.#queries.claim(asked, room);
        for (const delivery of claimed) this.#start(makeAttempt(this.#sender, delivery, claimedAt, this.#breakOff.signal));
        if (claimed.length === room) this.wake(...asked);
      } catch (error) {
        log.warn({ reason: (error as Error).message }, "failed to claim deliveries");
        this.wake(...asked);
        await sleep(AFTER_A_FAULT_MS);
      }
    }
    this.#isClaiming = false;
  }

  #start(attempt: Promise<Result>): void {
    const underWay = attempt.then((result) => {
      this.#underWay.delete(underWay);
      this.#results.push(result);
      if (!this.#isSettling) this.#settled = this.#settle();
    });
    this.#underWay.add(underWay);
  }

  async #settle(): Promise<void> {
    this.#isSettling = true;
    while (this.#results.length > 0) {
      const batch = this.#results;
      this.#results = [];
      try {
        const settled = await this.#queries.settle(batch);
        for (const { webhook_id, retry_in_ms } of settled) if (retry_in_ms !== null) this.#wakeIn(retry_in_ms, webhook_id);
        this.wake(...settled.map(({ webhook_id }) => webhook_id));
        await this.#keepWaiting(batch, settled);
      } catch (error) {
        log.warn({ reason: (error as Error).message }, "failed to record attempts");
        this.#results.push(...batch);
        await sleep(AFTER_A_FAULT_MS);
      }
    }
    this.#isSettling = false;
  }

  /** What waits for a webhook that is being changed goes into a later batch. */
  async #keepWaiting(batch: Result[], settled: Settled[]): Promise<void> {
    if (settled.length === 0) log.warn({ attempts: batch.length }, "late result: another worker has taken over");
    const waiting = new Set(settled.flatMap(({ waiting_attempts }) => waiting_attempts ?? []));
    this.#results.push(...batch.filter(({ attempt_id }) => waiting.has(attempt_id)));
    if (waiting.size === batch.length) await sleep(WAITING_MS);
  }

  #wakeIn(delayMs: number, webhookId: string): void {
    if (delayMs > TIMED_WITHIN_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake(webhookId);
    }, delayMs + CLOCK_MARGIN_MS);
    this.#timers.add(timer);
  }

  /** Finds what no job and no timer saw to: the deliveries of a worker that died, retries that are hours away. */
  async #sweep(): Promise<void> {
    try {
      this.wake(...(await this.#queries.findOverdue()));
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "failed to find overdue deliveries");
    }
    if (this.#stopping) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#sweep();
    }, SWEEP_EVERY_MS);
    this.#timers.add(timer);
  }
}
