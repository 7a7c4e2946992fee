import type { Submittable } from "pg";

/** `name`: of 63 bytes at most, and of this text alone: a pooler may give the connection of another process, which knows the name too. */
export type Statement = { name: string; text: string };
/** Its parameters, each as Postgres reads it from text. */
export type Bound = Statement & { values: (string | null)[] };

/** What pg's connection sends (https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY). */
type Connection = {
  stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: (string | null)[] }): void;
  execute(message: object): void;
  close(message: { type: "S"; name: string }): void;
  sync(): void;
};

/** The statements that a connection has taken in. */
const prepared = new WeakMap<Connection, Set<string>>();

/**
 * Runs statements in one round trip and in one transaction, which Postgres ends at the Sync behind them. `result`: the last one's
 * only value. `prepare`: whether the connection keeps them by their names.
 */
export class PipelinedTransaction implements Submittable {
  readonly result: Promise<string | null>;
  readonly #statements: Bound[];
  readonly #prepare: boolean;
  #settle: PromiseWithResolvers<string | null> = Promise.withResolvers();
  #value: string | null = null;

  constructor(statements: Bound[], { prepare }: { prepare: boolean }) {
    this.#statements = statements;
    this.#prepare = prepare;
    this.result = this.#settle.promise;
  }

  submit(given: unknown): void {
    const connection = given as Connection;
    connection.stream.cork();
    for (const { name, text, values } of this.#statements) {
      const statement = this.#prepare ? name : "";
      if (!this.#prepare || !prepared.get(connection)?.has(name)) {
        // Left by a try that came no further.
        if (this.#prepare) connection.close({ type: "S", name });
        connection.parse({ name: statement, text });
      }
      connection.bind({ statement, values });
      connection.execute({});
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#value = fields[0] ?? null;
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(connection: Connection): void {
    const known = prepared.get(connection) ?? new Set();
    if (this.#prepare) for (const { name } of this.#statements) known.add(name);
    prepared.set(connection, known);
    this.#settle.resolve(this.#value);
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }
}
