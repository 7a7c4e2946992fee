import { Counter, Gauge, type Registry } from "prom-client";
import { serviceDb } from "../db/client.ts";
import type { Json } from "../db/types.gen.ts";
import { unwrap } from "../db/unwrap.ts";
import { BatchWriter } from "../runtime/batch-writer.ts";
import { log } from "../runtime/log.ts";
import { registry } from "../runtime/metrics.ts";
import { onShutdown, singleton } from "../runtime/singleton.ts";
import { ApiError } from "../wire/errors.ts";
import type { CALL_CREDENTIALS, LoggedMessage } from "./contract.ts";

/**
 * A call as it is written. If `tenant_id` is null, it belongs to the tenant of `key_id`, the public
 * part of the API key that the request named.
 */
export type Call = {
  id: string;
  tenant_id: string | null;
  key_id: string | null;
  operation: string | null;
  method: string;
  path: string;
  query: string;
  resource: string | null;
  status: number;
  error_code: string | null;
  /** Whether it was refused before it ran. */
  refused: boolean;
  duration_ms: number;
  credential: (typeof CALL_CREDENTIALS)[number];
  actor: string | null;
  api_key_id: string | null;
  address: string | null;
  request: LoggedMessage;
  response: LoggedMessage;
};

/**
 * `at` is when the call was added, by `performance.now()`; `share` is whose limit it counts
 * against.
 */
type Waiting = { call: Call; at: number; share: string };

const WRITE_INTERVAL_MS = 1_000;
/** A statement of 200 calls costs the event loop 1 to 2 ms. */
const BATCH_CALLS_MAX = 200;
const WAITING_MAX = 10_000;
/** No tenant may fill more than half of the queue, so that other tenants' calls aren't dropped. */
const WAITING_PER_TENANT_MAX = WAITING_MAX / 2;
/**
 * The share of calls that name a key without proving it: made-up key IDs together get no more room
 * than one tenant.
 */
const UNPROVEN = "";
/** The maximum number of unverified calls logged per key: anyone can name a key's public ID. */
const UNVERIFIED_PER_KEY_AND_MINUTE = 60;
const MINUTE_MS = 60_000;
/** The characters of one tenant's bodies per second; over it, calls are logged without bodies. */
const BODIES_PER_TENANT_MAX = 128 * 1024;

/**
 * Holds calls in memory, within limits, and writes them about once a second, so that no call waits
 * for a write. Only a crash loses calls.
 */
export class RequestLog {
  readonly figures = { written: 0, dropped: 0, unattributed: 0, without_body: 0 };
  readonly #write: (calls: Json[], batch: string) => Promise<number>;
  readonly #writer = new BatchWriter<Waiting>({
    begins: () => this.#bodies.clear(),
    take: () => this.#waiting.splice(0, BATCH_CALLS_MAX),
    write: (calls, batch) => this.#writeCalls(calls, batch),
    retries: (error, calls) => this.#retries(error, calls),
    settled: (calls) => {
      for (const { share } of calls) this.#releaseShare(share);
    },
    everyMs: WRITE_INTERVAL_MS,
    retryMs: WRITE_INTERVAL_MS,
  });
  #waiting: Waiting[] = [];
  #shares = new Map<string, number>();
  #bodies = new Map<string, number>();
  #unverified = { since: performance.now(), byKey: new Map<string, number>() };

  /**
   * `write` returns the number of calls written. `batch` identifies the write, and is the same
   * again if it is retried.
   */
  constructor(write: (calls: Json[], batch: string) => Promise<number>) {
    this.#write = write;
  }

  add(call: Call): void {
    if (call.tenant_id === null && call.key_id === null) {
      this.figures.unattributed++;
      return;
    }
    if (call.tenant_id === null && !this.#admitsUnverified(call.key_id as string)) {
      this.figures.dropped++;
      return;
    }
    const share = call.tenant_id ?? UNPROVEN;
    const waiting = this.#shares.get(share) ?? 0;
    if (waiting >= WAITING_PER_TENANT_MAX || this.#waiting.length >= WAITING_MAX) {
      this.figures.dropped++;
      return;
    }
    this.#shares.set(share, waiting + 1);
    this.#waiting.push({ call: this.#withinBounds(call, share), at: performance.now(), share });
    this.#writer.schedule();
  }

  /** The age of the oldest unwritten call, in seconds. */
  lagSeconds(): number {
    const oldest = this.#writer.unwritten[0] ?? this.#waiting[0];
    return oldest ? (performance.now() - oldest.at) / 1000 : 0;
  }

  /** Writes all waiting calls. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #admitsUnverified(keyId: string): boolean {
    const now = performance.now();
    if (now - this.#unverified.since >= MINUTE_MS)
      this.#unverified = { since: now, byKey: new Map() };
    const { byKey } = this.#unverified;
    const count = byKey.get(keyId) ?? 0;
    // At most as many keys as calls in the queue, so that made-up keys can't grow the map.
    if (count >= UNVERIFIED_PER_KEY_AND_MINUTE || byKey.size >= WAITING_MAX) return false;
    byKey.set(keyId, count + 1);
    return true;
  }

  #withinBounds(call: Call, share: string): Call {
    const size = (call.request.body?.length ?? 0) + (call.response.body?.length ?? 0);
    const loggedSize = this.#bodies.get(share) ?? 0;
    if (size === 0) return call;
    if (loggedSize + size <= BODIES_PER_TENANT_MAX) {
      this.#bodies.set(share, loggedSize + size);
      return call;
    }
    this.figures.without_body++;
    const { request, response } = call;
    return {
      ...call,
      request: { ...request, body: null, truncated: true },
      response: { ...response, body: null, truncated: true },
    };
  }

  async #writeCalls(calls: Waiting[], batch: string): Promise<void> {
    const now = performance.now();
    const rows = calls.map(
      ({ call, at }) => ({ ...call, age_ms: Math.round(now - at) }) as unknown as Json,
    );
    const written = await this.#write(rows, batch);
    this.figures.written += written;
    this.figures.unattributed += calls.length - written;
  }

  /** A batch that the database rejected would be rejected again. */
  #retries(error: unknown, { length: rows }: Waiting[]): boolean {
    if (error instanceof ApiError && error.code === "unavailable") {
      log.warn({ err: error, rows }, "request log not written, kept for the next try");
      return true;
    }
    log.error({ err: error, rows }, "request log refused, dropped");
    this.figures.dropped += rows;
    return false;
  }

  #releaseShare(share: string): void {
    const left = (this.#shares.get(share) ?? 1) - 1;
    if (left === 0) this.#shares.delete(share);
    else this.#shares.set(share, left);
  }
}

export const requestLog = () =>
  singleton("request-log", () => {
    const requestLog = new RequestLog(async (rows, batch) =>
      Number(
        unwrap(
          await serviceDb("a process writes the calls of several tenants at once").rpc(
            "record_requests",
            { batch, rows },
          ),
        ),
      ),
    );
    onShutdown(() => requestLog.flush());
    countIn(registry(), requestLog);
    return requestLog;
  });

const FIGURES: Record<keyof RequestLog["figures"], string> = {
  written: "Calls written to the request log.",
  dropped: "Calls left out of the request log: too many at once, or refused by the database.",
  unattributed: "Calls refused before a tenant was known. No tenant's log has them.",
  without_body: "Calls logged without their bodies: their tenant's were too many within a second.",
};

function countIn(metrics: Registry, counted: RequestLog): void {
  for (const [figure, help] of Object.entries(FIGURES)) {
    new Counter({
      name: `tieout_request_log_${figure}_total`,
      help,
      registers: [metrics],
      collect() {
        this.reset();
        this.inc(counted.figures[figure as keyof RequestLog["figures"]]);
      },
    });
  }
  new Gauge({
    name: "tieout_request_log_lag_seconds",
    help: "Age of the oldest call that isn't written to the request log yet.",
    registers: [metrics],
    collect() {
      this.set(counted.lagSeconds());
    },
  });
}
