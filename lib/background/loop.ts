import { Client, type QueryResultRow } from "pg";
import { log } from "../runtime/log.ts";
import { PRODUCT_ID } from "../wire/product.ts";
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
  /** The name in the log and the connection's `application_name`. */
  name: string;
  connectionString: string;
  /** The maximum duration of a statement in milliseconds; after it the connection is replaced. */
  statementTimeoutMs: number;
  /** Runs on each new connection, before its first turn. */
  onConnect?: (client: Client) => Promise<void>;
  /**
   * Does the work that is due. @returns milliseconds until the next turn, unless woken earlier.
   * @throws if the database failed.
   */
  turn: (query: Query) => Promise<number>;
};

/**
 * Repeats a turn on its own connection until it is stopped. If a turn fails, it reconnects, so it
 * survives outages of the database. Every wait has a timeout, so the loop is always working,
 * sleeping or retrying.
 */
export class Loop implements Service {
  readonly #options: LoopOptions;
  readonly #running: Promise<void>;
  #stopping = false;
  #woken = false;
  #wakeUp = () => {};
  /** When the next step is due, by `performance.now()`. */
  #expectedAt = performance.now();
  #failure: string | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  get name(): string {
    return this.#options.name;
  }

  /** The loop took its turns, and the database answered. */
  get healthy(): boolean {
    return this.#lateMs < LATE_MS;
  }

  /** The loop waits for something without a timeout, which must not happen. */
  get stuck(): boolean {
    return this.#failure === undefined && this.#lateMs > this.#options.statementTimeoutMs + LATE_MS;
  }

  get #lateMs(): number {
    return performance.now() - this.#expectedAt;
  }

  /** Starts the next turn at once, or right after the current one. */
  wake(): void {
    this.#woken = true;
    this.#wakeUp();
  }

  /** Waits for the current turn and starts no other. */
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
        // `wake` doesn't shorten this pause: its callers want the database, which just failed.
        await new Promise((resume) =>
          setTimeout(resume, Math.min(RETRY_AFTER_MS * 2 ** failures++, RETRY_AFTER_MAX_MS)),
        );
      } finally {
        // Not awaited: a connection whose other end is gone may take long to close.
        void client.end().catch(() => {});
      }
    }
  }

  #newClient(): Client {
    const { name, connectionString, statementTimeoutMs } = this.#options;
    return new Client({
      connectionString,
      application_name: `${PRODUCT_ID} ${name}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: statementTimeoutMs,
      keepAlive: true,
    });
  }

  #pause(ms: number): Promise<void> {
    if (this.#woken || ms <= 0) {
      this.#woken = false;
      return Promise.resolve();
    }
    return new Promise((resume) => {
      const timer = setTimeout(() => this.#wakeUp(), ms);
      this.#wakeUp = () => {
        clearTimeout(timer);
        this.#wakeUp = () => {};
        this.#woken = false;
        resume();
      };
    });
  }

  /** Logs each reason once, so that an outage doesn't add a line per second. */
  #failed(error: unknown): void {
    const reason = reasonOf(error as Error & { code?: string });
    if (reason !== this.#failure && !this.#stopping)
      log.warn({ loop: this.name, reason }, "waits for the database");
    this.#failure = reason;
  }

  #succeeded(): void {
    if (this.#failure !== undefined) log.info({ loop: this.name }, "the database responds again");
    this.#failure = undefined;
  }
}

function reasonOf({ code, message }: Error & { code?: string }): string {
  if (code === TOO_MANY_CONNECTIONS) return `The database has no connection left: ${message}.`;
  return message || code || "unknown";
}
