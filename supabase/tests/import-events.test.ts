import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";

const TENANT = "acme";
const SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const fresh = schemaDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
  await client.query("select private.create_tenant('acme', 'Acme')");
  await client.query(
    `insert into public.sources (id, tenant_id, name, kind, currency, created_by)
     values ('src_1', 'acme', 'Bank', 'bank_statement', 'EUR', 'user:ada')`,
  );
}, 120_000);

/** Creates an import that is being read, with the event of its creation. */
async function createImport(id: string, file_name: string): Promise<void> {
  await client.query(
    `insert into public.imports (id, tenant_id, source_no, status, format, file_name, created_by)
     select $2, tenant_id, source_no, 'reading', 'csv', $3, 'user:ada' from public.sources
     where tenant_id = $1`,
    [TENANT, id, file_name],
  );
  await client.query(
    `insert into public.security_events (tenant_id, type, actor, target, details)
     values ($1, 'import.created', 'user:ada', $2, jsonb_build_object('sha256', $3::text))`,
    [TENANT, id, SHA256],
  );
}

async function lastEvent(target: string) {
  const { rows } = await client.query(
    `select type, actor, details from public.security_events where tenant_id = $1 and target = $2
     order by seq desc limit 1`,
    [TENANT, target],
  );
  return rows[0];
}

test("an import that was read records an event with its counts and hash", async () => {
  await createImport("imp_1", "oktober.csv");
  await client.query("begin");
  await client.query("select private.stage_lines()");
  await client.query(
    `insert into pg_temp.staged_lines (position, amount_minor, currency, value_date, reference)
     values (0, 100, 'EUR', '2026-10-12', 'R-1'), (1, 200, 'EUR', '2026-10-12', 'R-2')`,
  );
  const outcome = { read_count: 5, refused_count: 1, skipped_count: 2, refusals: [], skips: [] };
  await client.query("select private.finish_import($1, 'imp_1', $2)", [
    TENANT,
    { ...outcome, statements: [], warnings: [] },
  ]);
  await client.query("commit");
  expect(await lastEvent("imp_1")).toMatchObject({
    type: "import.finished",
    actor: "system",
    details: {
      file_name: "oktober.csv",
      format: "csv",
      sha256: SHA256,
      source_id: "src_1",
      read_count: 5,
      accepted_count: 2,
      duplicate_count: 0,
      skipped_count: 2,
      refused_count: 1,
    },
  });
});

test("an import that failed records an event with the reason", async () => {
  await createImport("imp_2", "cut.xml");
  await client.query("select private.fail_import($1, 'imp_2', 'The file ends too early.')", [
    TENANT,
  ]);
  expect(await lastEvent("imp_2")).toMatchObject({
    type: "import.failed",
    details: { file_name: "cut.xml", sha256: SHA256, failure: "The file ends too early." },
  });
});
