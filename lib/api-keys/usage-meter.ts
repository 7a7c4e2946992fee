import { randomUUID } from "node:crypto";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { log } from "../runtime/log.ts";
import { onShutdown, processWide } from "../runtime/process-wide.ts";

/** `outcome`: accepted, accepted_in_grace, revoked, expired, or the code of its refusal. */
export type ApiKeyUse = { api_key_id: string; tenant_id: string; operation: string; address: string; outcome: string };

type Count = ApiKeyUse & { calls: number; seenAt: number };

/** A batch keeps its id over retries, so that one whose answer got lost is not counted twice. */
type Batch = { id: string; counts: Count[] };

const FLUSH_MS = 1000;

/** Counts in memory, written once a second and at shutdown: exact but for a crash, and no call waits for it. */
class UsageMeter {
  #counts = new Map<string, Count>();
  #unwritten: Batch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  count(use: ApiKeyUse): void {
    const key = `${use.api_key_id} ${use.operation} ${use.address} ${use.outcome}`;
    const seenAt = performance.now();
    this.#counts.set(key, { ...use, calls: (this.#counts.get(key)?.calls ?? 0) + 1, seenAt });
    this.#schedule();
  }

  /** Writes what has been counted so far. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, FLUSH_MS).unref();
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten || this.#counts.size > 0) {
      this.#unwritten ??= this.#take();
      if (!(await write(this.#unwritten))) return this.#schedule();
      this.#unwritten = undefined;
    }
  }

  #take(): Batch {
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    return { id: randomUUID(), counts };
  }
}

/** Times go as ages: the database clock is the only clock. */
async function write({ id, counts }: Batch): Promise<boolean> {
  const rows = counts.map(({ seenAt, ...count }) => ({ ...count, age_ms: Math.round(performance.now() - seenAt) }));
  try {
    unwrap(await serviceDb("usage is counted across tenants").rpc("record_api_key_usage", { batch: id, rows }));
    return true;
  } catch (error) {
    log.warn({ err: error, rows: rows.length }, "usage not written, will retry");
    return false;
  }
}

const meter = () =>
  processWide("api-key-usage", () => {
    const made = new UsageMeter();
    onShutdown(() => made.flush());
    return made;
  });

export function countApiKeyUse(use: ApiKeyUse): void {
  meter().count(use);
}
