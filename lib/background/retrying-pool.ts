import { setTimeout as sleep } from "node:timers/promises";
import { Pool, type PoolClient, type QueryConfig, type QueryResult } from "pg";
import { log } from "../runtime/log.ts";

const SETTLE_AGAIN_TIMEOUT_MS = 30_000;
const RETRY_AFTER_MS = 100;
const RETRY_AFTER_MAX_MS = 2_000;
/**
 * The names of graphile-worker's statements that settle jobs. They address jobs by ID, so repeating
 * them changes nothing.
 */
const SETTLEMENT = /^(?:complete|fail)_jobs?(?:_q)?\//;

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;
type PooledClient = {
  query: (statement: string | QueryConfig, values?: unknown[]) => Promise<QueryResult>;
  release: () => Promise<void>;
};

/**
 * A pool that settles jobs over a new connection if theirs is cut. graphile-worker 0.18 tries once
 * (`batch` leaves its loop at the first failure) and then ends its pool, which would end our
 * process.
 */
export class RetryingPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    if (!callback) return Promise.resolve(this.#checkOut() as unknown as PoolClient);
    super.connect(callback);
  }

  /** Connects with the first statement. A settlement uses a new connection for each attempt. */
  #checkOut(): PooledClient {
    let client: Promise<PoolClient> | undefined;
    return {
      query: async (statement, values) => {
        if (typeof statement === "object" && SETTLEMENT.test(statement.name ?? ""))
          return this.#settle(statement);
        client ??= super.connect();
        return (await client).query(statement as string, values);
      },
      release: async () =>
        client?.then(
          (connected) => connected.release(),
          () => {},
        ),
    };
  }

  async #settle(statement: QueryConfig): Promise<QueryResult> {
    let failedAt: number | undefined;
    for (let pauseMs = RETRY_AFTER_MS; ; pauseMs = Math.min(pauseMs * 2, RETRY_AFTER_MAX_MS)) {
      try {
        return await this.query(statement);
      } catch (error) {
        if (failedAt === undefined)
          log.warn({ reason: (error as Error).message }, "settles a job again");
        failedAt ??= performance.now();
        if (this.ending || performance.now() - failedAt > SETTLE_AGAIN_TIMEOUT_MS) throw error;
      }
      await sleep(pauseMs);
    }
  }
}
