import { AsyncLocalStorage } from "node:async_hooks";
import { PostgresConnection } from "@supabase/lite/postgres";
import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";

const ACQUIRED_TIMEOUT_MS = 10_000;

type Client = PostgresConnection["driver"];
type Options = { url: string; size: number; search_path?: string };

/**
 * Code within it uses a reserved connection: a health check must not queue behind the calls that it
 * checks.
 */
export const reservedConnection = new AsyncLocalStorage<true>();

/**
 * lite's connection with a pool of one-connection clients. postgres.js hands out connections of its
 * own pool that it may reconnect for someone else while they are held: after an outage it dies of
 * it, or a late rollback meets another's transaction.
 */
export function exclusiveConnection({ url, size, search_path }: Options): PostgresConnection {
  const make = (onclose = () => {}) =>
    new PostgresConnection({
      url,
      postgresOptions: {
        max: 1,
        max_lifetime: null,
        connect_timeout: 5,
        backoff: () => 0.1,
        onclose,
        onnotice: () => {},
        types: { json: writtenOnce(114), jsonb: writtenOnce(3802), timestamptz: TIMESTAMPTZ },
        connection: search_path ? { search_path } : {},
      },
    });
  const connection = make();
  connection.kysely = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () =>
        new ExclusiveDriver(size, () => new ExclusiveConnection((onclose) => make(onclose).driver)),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return connection;
}

/** As PostgREST renders it: ISO 8601 instead of Postgres' own form. */
const TIMESTAMPTZ = {
  to: 1184,
  from: [1184],
  serialize: String,
  parse: (text: string) => text.replace(" ", "T").replace(/\+00$/, "+00:00"),
};

/**
 * lite has written JSON arguments as text already; postgres.js would write that text as a JSON
 * string.
 */
function writtenOnce(oid: number) {
  const serialize = (value: unknown) =>
    typeof value === "string" && isJson(value) ? value : JSON.stringify(value);
  return { to: oid, from: [oid], serialize, parse: JSON.parse };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

class ExclusiveDriver extends PostgresDriver {
  readonly #shared: Lane;
  readonly #reserved: Lane;

  constructor(size: number, make: () => ExclusiveConnection) {
    super({} as never);
    this.#shared = new Lane(size, make);
    this.#reserved = new Lane(1, make);
  }

  override async init(): Promise<void> {}

  override async acquireConnection(): Promise<never> {
    const connection = await (reservedConnection.getStore()
      ? this.#reserved
      : this.#shared
    ).acquire();
    connection.renewIfLost();
    return connection as never;
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    for (const lane of [this.#shared, this.#reserved])
      lane.release(connection as ExclusiveConnection);
  }
}

/** Connections and who waits for one, in order. */
class Lane {
  readonly #own: Set<ExclusiveConnection>;
  readonly #idle: ExclusiveConnection[];
  readonly #waiting: ((connection: ExclusiveConnection) => void)[] = [];

  constructor(size: number, make: () => ExclusiveConnection) {
    this.#idle = Array.from({ length: size }, make);
    this.#own = new Set(this.#idle);
  }

  async acquire(): Promise<ExclusiveConnection> {
    return this.#idle.pop() ?? this.#wait();
  }

  /** What belongs to another lane is left alone. */
  release(connection: ExclusiveConnection): void {
    if (!this.#own.has(connection)) return;
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  #wait(): Promise<ExclusiveConnection> {
    return new Promise((resolve, reject) => {
      const give = (connection: ExclusiveConnection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(
          Object.assign(new Error("Timed out acquiring connection from connection pool."), {
            code: "POOL_TIMEOUT",
          }),
        );
      }, ACQUIRED_TIMEOUT_MS);
      this.#waiting.push(give);
    });
  }
}

class ExclusiveConnection implements DatabaseConnection {
  readonly #make: (onclose: () => void) => Client;
  #client: Client;
  #open = false;
  /**
   * Whether the connection went since it was acquired: what follows would run outside its
   * transaction, or never end.
   */
  #lost = false;
  #begins = false;

  constructor(make: (onclose: () => void) => Client) {
    this.#make = make;
    this.#client = this.#connect();
  }

  renewIfLost(): void {
    if (!this.#lost) return;
    this.#client.end({ timeout: 0 });
    this.#client = this.#connect();
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (sql === "begin") {
      this.#begins = true;
      return { rows: [] };
    }
    if (this.#lost)
      throw Object.assign(new Error("The connection to the database was lost."), {
        code: "CONNECTION_CLOSED",
      });
    try {
      const result = await this.#send(sql, parameters);
      this.#open = true;
      const changed = ["INSERT", "UPDATE", "DELETE", "MERGE"].includes(result.command);
      return {
        rows: [...result] as Row[],
        ...(changed && { numAffectedRows: BigInt(result.count) }),
      };
    } catch (error) {
      const { name, severity } = error as { name?: string; severity?: string };
      this.#lost ||= name !== "PostgresError" || severity === "FATAL";
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error("lite streams nothing.");
  }

  /**
   * `begin` travels with the first statement: one round trip less. postgres.js sends in the order
   * of the awaiting.
   */
  async #send(sql: string, parameters: readonly unknown[]) {
    const begun = this.#begins && this.#client.unsafe("begin");
    this.#begins = false;
    if (!this.#open) await begun;
    const [, result] = await Promise.all([
      begun,
      this.#client.unsafe(sql, [...parameters] as never[], { prepare: true }),
    ]);
    return result;
  }

  #connect(): Client {
    this.#open = false;
    this.#lost = false;
    const client: Client = this.#make(() => {
      this.#lost ||= client === this.#client;
    });
    return client;
  }
}
