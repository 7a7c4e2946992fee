import { setTimeout as sleep } from "node:timers/promises";
import { Loop, type Query } from "#lib/background/loop.ts";
import type { Service } from "#lib/background/service.ts";
import { log } from "#lib/runtime/log.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import {
  type Claimed,
  claimDeliveries,
  findOverdue,
  type Result,
  type Settled,
  settleAttempts,
} from "./queries.ts";

/** Of the supervisor's 6 s; the rest is for writing down what came of what was sent. */
const SEND_TIMEOUT_MS = 4_000;
const AT_ONCE_MAX = 2_000;
const SWEEP_EVERY_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** A retry that is due later is left to the sweep. */
const TIMED_TIMEOUT_MS = 60_000;
/** So that a timer is never early by the database's clock. */
const CLOCK_MARGIN_MS = 20;
const WAITING_MS = 50;
const NOTHING_TO_SETTLE_MS = 60_000;
/** To settle twenty takes the database little longer than to settle two, and so does the claim that follows. */
const GATHER_MS = 3;

/**
 * Sends what is due. Claims and settlements go in batches: what gathers while one is under way makes up the next. A webhook
 * is claimed for when something wakes it, and again whenever one of its deliveries is settled.
 */
export class Dispatcher implements Service {
  readonly name = "deliveries";
  readonly #sender: ReturnType<typeof createSender>;
  readonly #claims: Loop;
  readonly #settlements: Loop;
  readonly #awake = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #breakOff = new AbortController();
  #results: Result[] = [];
  #gathering: NodeJS.Timeout | undefined;
  #sweepAt = 0;
  #allSettled = () => {};

  constructor(connectionString: string, allowHosts: ReadonlySet<string>) {
    this.#sender = createSender(allowHosts);
    // A connection each: what is on its way is settled even while a claim takes long.
    const common = { connectionString, statementWithinMs: STATEMENT_TIMEOUT_MS };
    this.#claims = new Loop({ ...common, name: "claims", turn: (query) => this.#claim(query) });
    this.#settlements = new Loop({
      ...common,
      name: "settlements",
      turn: (query) => this.#settle(query),
    });
  }

  get healthy(): boolean {
    return this.#claims.healthy && this.#settlements.healthy;
  }

  get stuck(): boolean {
    return this.#claims.stuck || this.#settlements.stuck;
  }

  /** Has what is due for these webhooks sent, as far as their caps admit it. */
  wake(...webhookIds: string[]): void {
    for (const id of webhookIds) this.#awake.add(id);
    this.#claims.wake();
  }

  /** Looks at once for deliveries that no notification and no timer took care of. */
  sweep(): void {
    this.#sweepAt = 0;
    this.#claims.wake();
  }

  /** Claims no more, gives what is under way 4 s to end, breaks off the rest, and writes all of it down. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#claims.stop();
    await Promise.race([Promise.all(this.#underWay), sleep(SEND_TIMEOUT_MS)]);
    this.#breakOff.abort();
    await Promise.all(this.#underWay);
    if (this.#results.length > 0)
      await new Promise<void>((settled) => (this.#allSettled = settled));
    await this.#settlements.stop();
    await this.#sender.close();
  }

  async #claim(query: Query): Promise<number> {
    if (performance.now() >= this.#sweepAt) {
      for (const id of await findOverdue(query)) this.#awake.add(id);
      this.#sweepAt = performance.now() + SWEEP_EVERY_MS;
    }
    const room = AT_ONCE_MAX - this.#underWay.size;
    if (this.#awake.size > 0 && room > 0) {
      const asked = [...this.#awake];
      this.#awake.clear();
      const claimedAt = performance.now();
      const claimed = await this.#claimFor(asked, () => claimDeliveries(query, asked, room));
      for (const delivery of claimed)
        this.#start(attemptDelivery(this.#sender, delivery, claimedAt, this.#breakOff.signal));
      if (claimed.length === room) this.wake(...asked);
    }
    return this.#sweepAt - performance.now();
  }

  /** Who was asked for in vain stays awake. */
  async #claimFor(asked: string[], claim: () => Promise<Claimed[]>): Promise<Claimed[]> {
    try {
      return await claim();
    } catch (error) {
      for (const id of asked) this.#awake.add(id);
      throw error;
    }
  }

  #start(attempt: Promise<Result>): void {
    const underWay = attempt.then((result) => {
      this.#underWay.delete(underWay);
      this.#results.push(result);
      this.#gathering ??= setTimeout(() => {
        this.#gathering = undefined;
        this.#settlements.wake();
      }, GATHER_MS);
    });
    this.#underWay.add(underWay);
  }

  async #settle(query: Query): Promise<number> {
    const batch = this.#results;
    this.#results = [];
    try {
      const settled = batch.length > 0 ? await settleAttempts(query, batch) : [];
      for (const { webhook_id, retry_in_ms } of settled)
        if (retry_in_ms !== null) this.#wakeIn(retry_in_ms, webhook_id);
      if (settled.length > 0) this.wake(...settled.map(({ webhook_id }) => webhook_id));
      const waiting = this.#keepWaiting(batch, settled);
      if (this.#results.length === 0) this.#allSettled();
      return waiting ? WAITING_MS : NOTHING_TO_SETTLE_MS;
    } catch (error) {
      this.#results.push(...batch);
      throw error;
    }
  }

  /** What waits for a webhook that is being changed goes into a later batch. @returns whether that is all of it. */
  #keepWaiting(batch: Result[], settled: Settled[]): boolean {
    if (batch.length > 0 && settled.length === 0)
      log.warn({ attempts: batch.length }, "late result: another worker has taken over");
    const waiting = new Set(settled.flatMap(({ waiting_attempts }) => waiting_attempts ?? []));
    this.#results.push(...batch.filter(({ attempt_id }) => waiting.has(attempt_id)));
    return waiting.size > 0;
  }

  #wakeIn(delayMs: number, webhookId: string): void {
    if (delayMs > TIMED_TIMEOUT_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake(webhookId);
    }, delayMs + CLOCK_MARGIN_MS);
    this.#timers.add(timer);
  }
}
