import { Client, type QueryResultRow } from "pg";
import { log } from "../runtime/log.ts";
import { LATE_MS, type Service } from "./service.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_AFTER_MS = 100;
const RETRY_AFTER_MAX_MS = 2_000;
const TOO_MANY_CONNECTIONS = "53300";

export type Query = <Row extends QueryResultRow>(
  text: string,
  values?: unknown[],
) => Promise<{ rows: Row[] }>;

export type LoopOptions = {
  /** In the log, and the connection's `application_name`. */
  name: string;
  connectionString: string;
  /** Longest that a statement may take in milliseconds; then the connection is given up for a new one. */
  statementWithinMs: number;
  /** Runs on each new connection, before its first turn. */
  onConnect?: (client: Client) => Promise<void>;
  /** Does what is due. @returns milliseconds until the next turn, unless woken before. @throws where the database failed. */
  turn: (query: Query) => Promise<number>;
};

/**
 * Repeats a turn on a connection of its own until it is stopped, and outlives the database: where a turn fails, a new
 * connection is made. Nothing it waits for is without an end, so it is either at work, or asleep, or retrying.
 */
export class Loop implements Service {
  readonly #options: LoopOptions;
  readonly #running: Promise<void>;
  #stopping = false;
  #woken = false;
  #wakeUp = () => {};
  /** On our monotonic clock: when it should have made its next step. */
  #expectedAt = performance.now();
  #failure: string | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get name(): string {
    return this.#options.name;
  }

  /** It took its turns, and the database answered. */
  get healthy(): boolean {
    return this.#lateMs < LATE_MS;
  }

  /** It waits for something that has no end, which nothing should. */
  get stuck(): boolean {
    return this.#failure === undefined && this.#lateMs > this.#options.statementWithinMs + LATE_MS;
  }

  get #lateMs(): number {
    return performance.now() - this.#expectedAt;
  }

  /** Has the next turn taken at once, or right after the present one. */
  wake(): void {
    this.#woken = true;
    this.#wakeUp();
  }

  /** Lets the present turn end and takes no other. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#stopping; ) {
      const client = this.#newClient();
      let lost: Error | undefined;
      client.on("error", (error) => {
        lost = error;
        this.wake();
      });
      const query: Query = async (text, values) => {
        const result = await client.query(text, values);
        this.#expectedAt = performance.now();
        return result as never;
      };
      try {
        await client.connect();
        await this.#options.onConnect?.(client);
        while (!this.#stopping) {
          if (lost) throw lost;
          const pauseMs = await this.#options.turn(query);
          this.#succeeded();
          failures = 0;
          this.#expectedAt = performance.now() + pauseMs;
          await this.#pause(pauseMs);
        }
      } catch (error) {
        this.#failed(error);
        // Not woken from this one: who wakes it wants the database.
        await new Promise((goOn) =>
          setTimeout(goOn, Math.min(RETRY_AFTER_MS * 2 ** failures++, RETRY_AFTER_MAX_MS)),
        );
      } finally {
        // Not waited for: a connection whose other end is gone may take its time to end.
        void client.end().catch(() => {});
      }
    }
  }

  #newClient(): Client {
    const { name, connectionString, statementWithinMs } = this.#options;
    return new Client({
      connectionString,
      application_name: `tieout ${name}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: statementWithinMs,
      keepAlive: true,
    });
  }

  #pause(ms: number): Promise<void> {
    if (this.#woken || ms <= 0) {
      this.#woken = false;
      return Promise.resolve();
    }
    return new Promise((goOn) => {
      const timer = setTimeout(() => this.#wakeUp(), ms);
      this.#wakeUp = () => {
        clearTimeout(timer);
        this.#wakeUp = () => {};
        this.#woken = false;
        goOn();
      };
    });
  }

  /** Once for each reason: an outage is a line or two, not one a second. */
  #failed(error: unknown): void {
    const reason = reasonOf(error as Error & { code?: string });
    if (reason !== this.#failure && !this.#stopping)
      log.warn({ loop: this.name, reason }, "waits for the database");
    this.#failure = reason;
  }

  #succeeded(): void {
    if (this.#failure !== undefined) log.info({ loop: this.name }, "goes on");
    this.#failure = undefined;
  }
}

function reasonOf({ code, message }: Error & { code?: string }): string {
  if (code === TOO_MANY_CONNECTIONS) return `The database has no connection left: ${message}.`;
  return message || code || "unknown";
}
