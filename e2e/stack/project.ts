/**
 * A stack under test from an operator's view: its database, its API as an admin (of acme by
 * default), its jobs.
 */
import { SignJWT } from "jose";
import { Client } from "pg";
import { type Supervisor, stackOf } from "./supervisor.ts";

export class Project {
  readonly #supervisor: Supervisor;
  readonly env: Record<string, string>;

  constructor(supervisor: Supervisor, dataDir: string) {
    this.#supervisor = supervisor;
    this.env = stackOf(dataDir).env;
  }

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = await this.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** A connection as the database's owner. */
  async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.env.DATABASE_URL,
      connectionTimeoutMillis: 10_000,
    });
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  async headers(tenant = "acme"): Promise<Record<string, string>> {
    const token = await new SignJWT({
      preferred_username: "ada",
      tenants: { [tenant]: ["tenant_admin"] },
    })
      .setProtectedHeader({ alg: "HS256" })
      .setSubject("ada")
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(this.env.AUTH_JWT_SECRET));
    return { Authorization: `Bearer ${token}`, "X-Tenant-Id": tenant };
  }

  async call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const headers = {
      ...(await this.headers()),
      ...(body && { "Content-Type": "application/json" }),
    };
    const response = await fetch(`http://127.0.0.1:${this.#supervisor.port}${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  /** Adds a job for the workers. @returns a function that tells whether it is done */
  async giveJob(task: string): Promise<() => Promise<boolean>> {
    const [job] = await this.sql<{ id: string }>("select id from graphile_worker.add_job($1)", [
      task,
    ]);
    return async () =>
      (await this.sql("select from graphile_worker.jobs where id = $1", [job?.id])).length === 0;
  }
}
