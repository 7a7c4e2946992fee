import { expect } from "vitest";
import { api, createTenant, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Connection, ConnectionFile } from "#lib/connections/contract.ts";

export const MAPPING = {
  fields: { value_date: "Day", amount: "Amount", reference: "Text" },
  date_format: "YYYY-MM-DD",
  decimal_separator: ".",
};

export const csv = (...rows: string[]) => ["Day,Amount,Text", ...rows, ""].join("\n");

/** For 200,000 lines on a busy machine. */
const IMPORTED_TIMEOUT_MS = 240_000;

/** A tenant whose admin connects sources. */
export class ConnectedTenant {
  readonly id: string;
  readonly admin: string;

  private constructor(id: string, admin: string) {
    this.id = id;
    this.admin = admin;
  }

  static async create(): Promise<ConnectedTenant> {
    const id = await createTenant();
    return new ConnectedTenant(id, await userToken(id, ["tenant_admin"]));
  }

  call(method: string, path: string, body?: object, bearer = this.admin) {
    return api(method, `/v1/${path}`, { bearer, tenant: this.id, body });
  }

  /** @returns the response's body. Fails the test unless the call succeeds. */
  async ok<Body>(method: string, path: string, body?: object): Promise<Body> {
    const answer = await this.call(method, path, body);
    expect([200, 201, 202], answer.text).toContain(answer.status);
    return answer.json as Body;
  }

  source(mapping: object | null = MAPPING): Promise<{ id: string }> {
    return this.ok("POST", "sources", {
      name: "Bank",
      kind: "bank_statement",
      currency: "EUR",
      time_zone: "Europe/Berlin",
      mapping,
    });
  }

  async connect(settings: object, mapping: object | null = MAPPING) {
    const { id: source_id } = await this.source(mapping);
    const body = { source_id, stable_seconds: 0, ...settings };
    return this.ok<Connection>("POST", "connections", body);
  }

  get(id: string): Promise<Connection> {
    return this.ok("GET", `connections/${id}`);
  }

  /** The files that a connection found, the first one first. */
  async files(id: string): Promise<ConnectionFile[]> {
    const { items } = await this.ok<{ items: ConnectionFile[] }>("GET", `connections/${id}/files`);
    return items.toReversed();
  }

  /** Fetches, and waits until the fetch and the imports that it queued have ended. */
  async fetched(id: string): Promise<[files: ConnectionFile[], Connection]> {
    const before = await this.ok<Connection>("POST", `connections/${id}/fetch`);
    const after = await until("the fetch is over", async () => {
      const now = await this.get(id);
      return now.last_look_at !== before.last_look_at && now;
    });
    return [await this.settled(id), after];
  }

  /** The files that a connection found, once all of their imports have ended. */
  settled(id: string): Promise<ConnectionFile[]> {
    const ended = async () => {
      const files = await this.files(id);
      return files.every(({ outcome }) => !/ing$/.test(outcome)) && files;
    };
    return until("the imports are over", ended, IMPORTED_TIMEOUT_MS);
  }

  async lineCount({ source_id }: Connection): Promise<number> {
    return (await this.ok<{ line_count: number }>("GET", `sources/${source_id}`)).line_count;
  }
}
