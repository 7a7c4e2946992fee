import { describe, expect, test } from "vitest";
import { testDatabases } from "../generate/test-databases.ts";
import { type CatalogueObject, readCatalogueInTransaction } from "./catalogue.ts";
import { describe as described, differences, planOf } from "./difference.ts";
import { schemaDatabase } from "./schema-database.ts";

const SECONDS = 1000;

const fresh = testDatabases();
const schemas = schemaDatabase(fresh);

/** Statements that change a fresh database; each needs a migration. */
const CHANGES: Record<string, string> = {
  "a function with another body":
    "create or replace function private.high_risk_below() returns integer language sql immutable set search_path = '' return 30",
  "a removed function": "drop function private.drop_waiting_deliveries(text)",
  "a function with another return type": `drop function private.unlock_dead_workers();
    create function private.unlock_dead_workers() returns integer language plpgsql
    set search_path = '' as 'begin return 1; end';
    grant execute on function private.unlock_dead_workers() to service_role`,
  "a new function": `create function private.news() returns integer language sql
    set search_path = '' return 1; comment on function private.news() is 'New.'`,
  "a changed policy": `alter policy webhooks_read on public.webhooks
    using (tenant_id = (select private.tenant_id()))`,
  "a removed policy": "drop policy records_read on public.records",
  "a removed trigger": "drop trigger guard on public.exceptions",
  "a trigger that always fires": "alter table public.exceptions enable always trigger guard",
  "a changed grant":
    "revoke select on public.events from authenticated; grant select (id) on public.events to anon",
  "a removed grant": "revoke execute on function private.may(text[]) from anon",
  "rows of the table of permissions": `delete from private.operations where operation = 'getMe';
    update private.permissions set roles = '{tenant_admin}' where permission = 'read:members'`,
  "a permission that replaces another": `insert into private.permissions select 'read:self',
      principals, roles, scope from private.permissions
      where permission = 'read:me';
    update private.operations set permission = 'read:self' where permission = 'read:me';
    delete from private.permissions where permission = 'read:me'`,
  "no row-level security": "alter table public.records disable row level security",
  "a new table": `create table public.notes (id bigint generated always as identity,
      tenant_id text not null references public.tenants (id),
      body text not null check (length(body) <= 10), primary key (tenant_id, id));
    create index notes_by_body on public.notes (tenant_id, body);
    alter table public.notes enable row level security;
    grant select on public.notes to authenticated;
    create policy notes_read on public.notes for select to authenticated using (true)`,
};

/** Objects with data, which a person must migrate. */
const BY_HAND: Record<string, [sql: string, named: string]> = {
  "a column": [
    "alter table public.tenants add column colour text",
    "column public.tenants.colour is added",
  ],
  "a changed type": [
    "alter table public.webhook_attempts alter column number type bigint",
    "column public.webhook_attempts.number is changed: integer not null → bigint not null",
  ],
  "a constraint": [
    "alter table public.tenants add constraint short check (length(id) < 20)",
    "constraint public.tenants short is added",
  ],
  "an index": ["drop index public.webhooks_by_id", "index public.webhooks_by_id is removed"],
  "a removed table": ["drop table private.usage_batches", "table private.usage_batches is removed"],
  "an extension": [
    "create extension btree_gin with schema extensions",
    "extension btree_gin is added",
  ],
};

describe("npm run migration", () => {
  test.each(Object.entries(CHANGES))("writes %s", { timeout: 60 * SECONDS }, async (_, sql) => {
    const changed = await changedBy(sql);
    const { byHand, statements } = planOf(schemas.known, changed);
    expect(byHand.map(described)).toEqual([]);
    expect(statements).not.toHaveLength(0);
    expect(differences(await changedBy(statements.join("\n")), changed).map(described)).toEqual([]);
    // Also back to the previous state; only a table must be dropped by hand.
    const back = planOf(changed, schemas.known).statements.join("\n");
    if (!sql.includes("create table"))
      expect(
        differences(await changedBy(`${sql};\n${back}`), schemas.known).map(described),
      ).toEqual([]);
  });

  test("writes only the rows that changed", { timeout: 60 * SECONDS }, async () => {
    const { statements } = planOf(
      schemas.known,
      await changedBy(CHANGES["rows of the table of permissions"] as string),
    );
    expect(statements).toEqual([
      expect.stringMatching(
        /^insert into private\.permissions select \('\(read:members,.*on conflict \(permission\) do update/,
      ),
      "delete from private.operations where verb = 'get_me' and operation = 'getMe';",
    ]);
  });

  test.each(Object.entries(BY_HAND))(
    "leaves %s to a person, and names it",
    { timeout: 60 * SECONDS },
    async (_, [sql, named]) => {
      expect(planOf(schemas.known, await changedBy(sql)).byHand.map(described)).toContain(named);
    },
  );
});

/** The catalogue of the schemas after these statements. */
async function changedBy(sql: string): Promise<CatalogueObject[]> {
  await schemas.desired.client.query("begin");
  try {
    await schemas.desired.client.query(sql);
    return await readCatalogueInTransaction(schemas.desired.client);
  } finally {
    await schemas.desired.client.query("rollback");
  }
}
