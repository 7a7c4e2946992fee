import type { Submittable } from "pg";

/**
 * `name` has at most 63 bytes and is derived from the text: behind a pooler, the connection may
 * come from another process that prepared a statement of the same name.
 */
export type Statement = { name: string; text: string };
/** A statement with its parameters in Postgres's text format. */
export type BoundStatement = Statement & { values: (string | null)[] };

/**
 * The part of pg's connection that sends messages
 * (https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY).
 */
type Connection = {
  stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: (string | null)[] }): void;
  execute(message: object): void;
  close(message: { type: "S"; name: string }): void;
  sync(): void;
};

/** The names of the statements prepared on each connection. */
const prepared = new WeakMap<Connection, Set<string>>();

/**
 * Runs statements in one round trip and in one transaction, which Postgres ends at the Sync after
 * them. `result` is the only value of the last one. `prepare` decides whether the connection keeps
 * them under their names.
 */
export class PipelinedTransaction implements Submittable {
  readonly result: Promise<string | null>;
  readonly #statements: BoundStatement[];
  readonly #prepare: boolean;
  #settle: PromiseWithResolvers<string | null> = Promise.withResolvers();
  #value: string | null = null;

  constructor(statements: BoundStatement[], { prepare }: { prepare: boolean }) {
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
        // Closes a statement that a failed attempt may have prepared.
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
    const names = prepared.get(connection) ?? new Set();
    if (this.#prepare) for (const { name } of this.#statements) names.add(name);
    prepared.set(connection, names);
    this.#settle.resolve(this.#value);
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }
}
