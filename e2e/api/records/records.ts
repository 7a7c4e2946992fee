import { type Answer, api, type Call, createTenant, uniqueName, userToken } from "#e2e/fixtures.ts";
import type { StoredRecord } from "#lib/records/contract.ts";
import type { Role } from "#lib/wire/access.ts";

export type Team = { tenant: string; admin: string; lead: string; analyst: string };

export async function createTeam(): Promise<Team> {
  const tenant = await createTenant();
  const token = (role: Role, name: string) => userToken(tenant, [role], name);
  const [admin, lead, analyst] = await Promise.all([
    token("tenant_admin", "ada"),
    token("tenant_lead", "leo"),
    token("tenant_analyst", "ana"),
  ]);
  return { tenant, admin, lead, analyst };
}

/** As the admin, unless the call says otherwise. */
export function call(team: Team, method: string, path: string, more: Call = {}): Promise<Answer> {
  return api(method, path, { bearer: team.admin, tenant: team.tenant, ...more });
}

export async function createRecord(
  team: Team,
  surface: string,
  body: object = {},
): Promise<StoredRecord> {
  const answer = await call(team, "POST", `/v1/${surface}`, {
    body: { idempotencyKey: uniqueName("key"), ...body },
  });
  return succeeded(answer, 201) as StoredRecord;
}

export async function listIds(
  team: Team,
  surface: string,
  query: Record<string, string> = {},
  more: Call = {},
): Promise<string[]> {
  const { items } = succeeded(await call(team, "GET", `/v1/${surface}`, { query, ...more })) as {
    items: StoredRecord[];
  };
  return items.map(({ id }) => id);
}

/** @throws Error with the response if the status differs. */
export function succeeded({ status, text, json }: Answer, expected = 200): unknown {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${text}`);
  return json;
}
