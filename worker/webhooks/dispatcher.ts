import { setTimeout as sleep } from "node:timers/promises";
import { Loop, type Query } from "#lib/background/loop.ts";
import type { Service } from "#lib/background/service.ts";
import { log } from "#lib/runtime/log.ts";
import { AccessTokens } from "#lib/webhooks/access-token.ts";
import { createSender } from "#lib/webhooks/send.ts";
import { attemptDelivery, type SendContext } from "./attempt-delivery.ts";
import {
  type ClaimedDelivery,
  claimDeliveries,
  findOverdue,
  type Result,
  type Settled,
  settleAttempts,
} from "./queries.ts";

/** The supervisor waits 6 s for this process; the rest is for recording the results. */
const SEND_TIMEOUT_MS = 4_000;
const MAX_CONCURRENT = 2_000;
const SWEEP_INTERVAL_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** Retries due later are left to the sweep. */
const MAX_TIMER_MS = 60_000;
/** Added to timers, so that they never fire early by the database's clock. */
const CLOCK_MARGIN_MS = 20;
const RESETTLE_DELAY_MS = 50;
const IDLE_SETTLE_MS = 60_000;
/**
 * Settling twenty attempts takes the database little longer than two, so results are collected for
 * 3 ms.
 */
const BATCH_DELAY_MS = 3;

/**
 * Sends due deliveries. Claims and settlements run in batches: those that arrive during one form
 * the next. Deliveries of a webhook are claimed when the webhook is woken, and again whenever one
 * of its deliveries is settled.
 */
export class Dispatcher implements Service {
  readonly name = "deliveries";
  readonly #sending: SendContext;
  readonly #claims: Loop;
  readonly #settlements: Loop;
  readonly #woken = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #abort = new AbortController();
  #results: Result[] = [];
  #settleTimer: NodeJS.Timeout | undefined;
  #sweepAt = 0;
  #allSettled = () => {};

  constructor(connectionString: string, allowHosts: ReadonlySet<string>) {
    const sender = createSender(allowHosts);
    this.#sending = { sender, tokens: new AccessTokens(sender) };
    // Two connections, so that results are recorded even while a claim takes long.
    const common = { connectionString, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
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

  /** Sends the due deliveries of these webhooks, up to their concurrency limits. */
  wake(...webhookIds: string[]): void {
    for (const id of webhookIds) this.#woken.add(id);
    this.#claims.wake();
  }

  /** Looks immediately for due deliveries that no notification or timer announced. */
  sweep(): void {
    this.#sweepAt = 0;
    this.#claims.wake();
  }

  /**
   * Stops claiming, waits up to 4 s for running attempts, aborts the rest, and records all results.
   */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#claims.stop();
    await Promise.race([Promise.all(this.#running), sleep(SEND_TIMEOUT_MS)]);
    this.#abort.abort();
    await Promise.all(this.#running);
    if (this.#results.length > 0)
      await new Promise<void>((settled) => (this.#allSettled = settled));
    await this.#settlements.stop();
    await this.#sending.sender.close();
  }

  async #claim(query: Query): Promise<number> {
    if (performance.now() >= this.#sweepAt) {
      for (const id of await findOverdue(query)) this.#woken.add(id);
      this.#sweepAt = performance.now() + SWEEP_INTERVAL_MS;
    }
    const capacity = MAX_CONCURRENT - this.#running.size;
    if (this.#woken.size > 0 && capacity > 0) {
      const webhookIds = [...this.#woken];
      this.#woken.clear();
      const claimedAt = performance.now();
      const claimed = await this.#claimFor(webhookIds, () =>
        claimDeliveries(query, webhookIds, capacity),
      );
      for (const delivery of claimed)
        this.#start(attemptDelivery(this.#sending, delivery, claimedAt, this.#abort.signal));
      if (claimed.length === capacity) this.wake(...webhookIds);
    }
    return this.#sweepAt - performance.now();
  }

  /** Webhooks whose claim failed stay queued. */
  async #claimFor(
    webhookIds: string[],
    claim: () => Promise<ClaimedDelivery[]>,
  ): Promise<ClaimedDelivery[]> {
    try {
      return await claim();
    } catch (error) {
      for (const id of webhookIds) this.#woken.add(id);
      throw error;
    }
  }

  #start(attempt: Promise<Result>): void {
    const running = attempt.then((result) => {
      this.#running.delete(running);
      this.#results.push(result);
      this.#settleTimer ??= setTimeout(() => {
        this.#settleTimer = undefined;
        this.#settlements.wake();
      }, BATCH_DELAY_MS);
    });
    this.#running.add(running);
  }

  async #settle(query: Query): Promise<number> {
    const batch = this.#results;
    this.#results = [];
    try {
      const settled = batch.length > 0 ? await settleAttempts(query, batch) : [];
      for (const { webhook_id, retry_in_ms } of settled)
        if (retry_in_ms !== null) this.#wakeIn(retry_in_ms, webhook_id);
      if (settled.length > 0) this.wake(...settled.map(({ webhook_id }) => webhook_id));
      const waiting = this.#retryWaiting(batch, settled);
      if (this.#results.length === 0) this.#allSettled();
      return waiting ? RESETTLE_DELAY_MS : IDLE_SETTLE_MS;
    } catch (error) {
      this.#results.push(...batch);
      throw error;
    }
  }

  /** Moves attempts whose webhook is locked to a later batch. @returns whether there were any */
  #retryWaiting(batch: Result[], settled: Settled[]): boolean {
    if (batch.length > 0 && settled.length === 0)
      log.warn({ attempts: batch.length }, "late result: another worker has taken over");
    const waiting = new Set(settled.flatMap(({ waiting_attempts }) => waiting_attempts ?? []));
    this.#results.push(...batch.filter(({ attempt_id }) => waiting.has(attempt_id)));
    return waiting.size > 0;
  }

  #wakeIn(delayMs: number, webhookId: string): void {
    if (delayMs > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.wake(webhookId);
    }, delayMs + CLOCK_MARGIN_MS);
    this.#timers.add(timer);
  }
}
