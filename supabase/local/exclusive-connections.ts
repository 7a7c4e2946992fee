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

const ACQUIRED_WITHIN_MS = 10_000;

type Client = PostgresConnection["driver"];
type Options = { url: string; size: number; search_path?: string };

/**
 * lite's connection with a pool of one-connection clients. postgres.js hands out connections of its own pool that it may
 * reconnect for someone else while they are held: after an outage it dies of it, or a late rollback meets another's
 * transaction.
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
        new ExclusiveDriver(Array.from({ length: size }, () => new ExclusiveConnection((onclose) => make(onclose).driver))),
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

/** lite has written JSON arguments as text already; postgres.js would write that text as a JSON string. */
function writtenOnce(oid: number) {
  const serialize = (value: unknown) => (typeof value === "string" && isJson(value) ? value : JSON.stringify(value));
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
  readonly #idle: ExclusiveConnection[];
  readonly #waiting: ((connection: ExclusiveConnection) => void)[] = [];

  constructor(connections: ExclusiveConnection[]) {
    super({} as never);
    this.#idle = connections;
  }

  override async init(): Promise<void> {}

  override async acquireConnection(): Promise<never> {
    const connection = this.#idle.pop() ?? (await this.#wait());
    connection.renewIfLost();
    return connection as never;
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next(connection as ExclusiveConnection);
    else this.#idle.push(connection as ExclusiveConnection);
  }

  #wait(): Promise<ExclusiveConnection> {
    return new Promise((resolve, reject) => {
      const give = (connection: ExclusiveConnection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1);
        reject(Object.assign(new Error("Timed out acquiring connection from connection pool."), { code: "POOL_TIMEOUT" }));
      }, ACQUIRED_WITHIN_MS);
      this.#waiting.push(give);
    });
  }
}

class ExclusiveConnection implements DatabaseConnection {
  readonly #make: (onclose: () => void) => Client;
  #client: Client;
  #open = false;
  /** Whether the connection went since it was acquired: what follows would run outside its transaction, or never end. */
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
    if (this.#lost) throw Object.assign(new Error("The connection to the database was lost."), { code: "CONNECTION_CLOSED" });
    try {
      const result = await this.#send(sql, parameters);
      this.#open = true;
      const changed = ["INSERT", "UPDATE", "DELETE", "MERGE"].includes(result.command);
      return { rows: [...result] as Row[], ...(changed && { numAffectedRows: BigInt(result.count) }) };
    } catch (error) {
      const { name, severity } = error as { name?: string; severity?: string };
      this.#lost ||= name !== "PostgresError" || severity === "FATAL";
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error("lite streams nothing.");
  }

  /** `begin` travels with the first statement: one round trip less. postgres.js sends in the order of the awaiting. */
  async #send(sql: string, parameters: readonly unknown[]) {
    const begun = this.#begins && this.#client.unsafe("begin");
    this.#begins = false;
    if (!this.#open) await begun;
    const [, result] = await Promise.all([begun, this.#client.unsafe(sql, [...parameters] as never[], { prepare: true })]);
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
