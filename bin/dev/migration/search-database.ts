import type { Client } from "pg";
import { beforeAll } from "vitest";
import { schemaDatabases } from "../generate/schema-databases.ts";

const MINUTES_2 = 120_000;

type Explained = { Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number } };

/** What the search functions return: a page with items. */
type Item = Record<string, unknown>;

/**
 * Provides a fresh database with the tenants acme and globex to the tests of a file.
 * @param fill SQL that runs before the first test.
 */
export function databaseWithTwoTenants(fill: string) {
  const fresh = schemaDatabases();
  let client: Client;
  beforeAll(async () => {
    ({ client } = await fresh());
    await client.query(
      "select private.create_tenant('acme', 'Acme'), private.create_tenant('globex', 'Globex')",
    );
    await client.query(fill);
  }, MINUTES_2);

  async function asAdmin<Result>(
    verb: string,
    input: object,
    request: object,
    { setup = "", explain = "" } = {},
  ): Promise<Result> {
    await client.query("begin");
    try {
      await client.query(setup);
      await client.query(
        `select set_config('role', 'authenticated', true),
           set_config('request.jwt.claims', $1, true)`,
        [JSON.stringify(ADMIN)],
      );
      const { rows } = await client.query<Record<string, Result>>(
        `${explain} select ${verb}($1, $2)`,
        [input, request],
      );
      return Object.values(rows[0] as Record<string, Result>)[0] as Result;
    } finally {
      await client.query("rollback");
    }
  }

  return {
    /** The count that a statement returns once pending statistics have been flushed. */
    async count(sql: string): Promise<number> {
      await client.query("select pg_stat_force_next_flush()");
      const { rows } = await client.query<{ count: number }>(sql);
      return (rows[0] as { count: number }).count;
    },

    /** The first three items of a page that `list`, a function of SQL, returns to acme's admin. */
    async page(list: string, operation: string, input: object): Promise<Item[]> {
      const page = await asAdmin<{ items: Item[] }>(list, { limit: 3, ...input }, { operation });
      return page.items;
    },

    /** What `verb`, a function of SQL, returns to acme's admin after `setup`, which is undone. */
    asAdmin<Result>(verb: string, input: object, request: object, setup: string): Promise<Result> {
      return asAdmin(verb, input, request, { setup });
    },

    /**
     * How many pages of 8 kB `verb` reads for acme's admin after `setup`, which is undone. Pages in
     * memory count, too.
     */
    async pagesRead(verb: string, input: object, request: object, setup = ""): Promise<number> {
      const explain = "explain (analyze, buffers, timing off, format json)";
      const [{ Plan }] = (await asAdmin(verb, input, request, { explain, setup })) as [Explained];
      return Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"];
    },

    async run(sql: string): Promise<void> {
      await client.query(sql);
    },
  };
}

const ADMIN = {
  tenant_id: "acme",
  role: "authenticated",
  principal_type: "user",
  sub: "ada",
  actor: "user:ada",
  roles: ["tenant_admin"],
  scopes: [],
};
