/**
 * Helpers of the tests of sources, lines and imports: a tenant, its sources, and calls that are
 * expected to succeed.
 */
import { expect } from "vitest";
import { api, createTenant, uniqueName, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Import } from "#lib/imports/contract.ts";
import type { Line } from "#lib/lines/contract.ts";
import type { Source } from "#lib/sources/contract.ts";

export type Team = { tenant: string; admin: string };
type Page = { items: Line[]; next_cursor: string | null };
type Added = {
  accepted_count: number;
  duplicate_count: number;
  items: { index: number; id: string; duplicate: boolean }[];
};

export async function createTeam(): Promise<Team> {
  const tenant = await createTenant();
  return { tenant, admin: await userToken(tenant, ["tenant_admin"]) };
}

export async function createSource({ tenant, admin }: Team, fields: object = {}): Promise<Source> {
  const body = { name: uniqueName("Bank"), kind: "bank_statement", currency: "EUR", ...fields };
  const { status, json, text } = await api("POST", "/v1/sources", { bearer: admin, tenant, body });
  expect(status, text).toBe(201);
  return json as Source;
}

export function addLines(
  { tenant, admin }: Team,
  sourceId: string,
  lines: object[],
  headers: Record<string, string> = {},
) {
  return api("POST", `/v1/sources/${sourceId}/lines`, {
    bearer: admin,
    tenant,
    body: { lines },
    headers,
  });
}

export async function added(team: Team, sourceId: string, lines: object[]): Promise<Added> {
  const { status, json, text } = await addLines(team, sourceId, lines);
  expect(status, text).toBe(200);
  return json as Added;
}

export async function listed(
  { tenant, admin }: Team,
  query: Record<string, string>,
): Promise<Page> {
  const { status, json, text } = await api("GET", "/v1/lines", { bearer: admin, tenant, query });
  expect(status, text).toBe(200);
  return json as Page;
}

/** All of a source's lines, page by page. */
export async function linesOf(team: Team, query: Record<string, string>): Promise<Line[]> {
  const lines: Line[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Page = await listed(team, { ...query, limit: "250", ...(cursor && { cursor }) });
    lines.push(...page.items);
    cursor = page.next_cursor;
  }
  return lines;
}

export async function sourceOf({ tenant, admin }: Team, id: string): Promise<Source> {
  return (await api("GET", `/v1/sources/${id}`, { bearer: admin, tenant })).json as Source;
}

type Sent = { query?: Record<string, string>; headers?: Record<string, string> };

export function sendFile(
  { tenant, admin }: Team,
  sourceId: string,
  file: string | Uint8Array<ArrayBuffer>,
  { query, headers }: Sent = {},
) {
  return api("POST", `/v1/sources/${sourceId}/imports`, {
    bearer: admin,
    tenant,
    body: file,
    query,
    headers: { "Content-Type": "application/octet-stream", ...headers },
  });
}

export async function importOf({ tenant, admin }: Team, id: string): Promise<Import> {
  const { status, json, text } = await api("GET", `/v1/imports/${id}`, { bearer: admin, tenant });
  expect(status, text).toBe(200);
  return json as Import;
}

/** The import once it is in one of these states. */
export function importIn(
  team: Team,
  id: string,
  statuses: Import["status"][],
  within_ms = 180_000,
): Promise<Import> {
  return until(
    `the import is ${statuses.join(" or ")}`,
    async () => {
      const found = await importOf(team, id);
      return statuses.includes(found.status) && found;
    },
    within_ms,
  );
}

/** Sends a file and waits until it is read. */
export async function imported(
  team: Team,
  sourceId: string,
  file: string | Uint8Array<ArrayBuffer>,
  sent: Sent = {},
): Promise<Import> {
  const { status, json, text, headers } = await sendFile(team, sourceId, file, sent);
  expect(status, text).toBe(202);
  const { id } = json as Import;
  expect(headers.get("Location")).toBe(`/v1/imports/${id}`);
  return importIn(team, id, ["done", "failed"]);
}

export function undo({ tenant, admin }: Team, id: string) {
  return api("POST", `/v1/imports/${id}/undo`, { bearer: admin, tenant });
}
