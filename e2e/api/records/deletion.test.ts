import { beforeAll, describe, expect, test } from "vitest";
import { database, sql, uniqueName } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { call, createRecord, createTeam, listIds, succeeded, type Team } from "./records.ts";

const HOUR_MS = 3_600_000;
const THIRTY_DAYS_MS = 30 * 24 * HOUR_MS;

let team: Team;
beforeAll(async () => {
  team = await createTeam();
});

type Deleted = { id: string; soft_delete: boolean; deleted_at: string; purge_at: string };

async function createDeleted(surface: string): Promise<Deleted> {
  const { id } = await createRecord(team, surface);
  return succeeded(await call(team, "DELETE", `/v1/${surface}/${id}`)) as Deleted;
}

/** Backdates the deletion of a record, as if this much time had passed. */
async function pass(id: string, time: string): Promise<void> {
  await sql("update public.records set deleted_at = deleted_at - $2::interval where id = $1", [
    id,
    time,
  ]);
}

async function exists(id: string): Promise<boolean> {
  return (await sql("select from public.records where id = $1", [id])).length === 1;
}

/** Has the running worker purge records, and waits until its job is done. */
async function purge(): Promise<void> {
  const [job] = await sql<{ id: string }>(
    "select id from graphile_worker.add_job('purge_records')",
  );
  await until(
    "the purge is done",
    async () =>
      (await sql("select from graphile_worker.jobs where id = $1", [job?.id])).length === 0,
  );
}

describe.each(SURFACES)("/v1/$path", ({ path }) => {
  test("a deletion returns the purge date, and only the bin shows the record", async () => {
    const created = await createRecord(team, path, { operation: "list", note: "Zanzibar" });
    const answer = await call(team, "DELETE", `/v1/${path}/${created.id}`);
    const deleted = succeeded(answer) as Deleted;
    expect(deleted).toEqual({
      ...created,
      soft_delete: true,
      updated_at: deleted.deleted_at,
      deleted_at: expect.stringMatching(/Z$/),
      purge_at: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(deleted.purge_at) - Date.parse(deleted.deleted_at)).toBe(THIRTY_DAYS_MS);
    expectProblem(await call(team, "GET", `/v1/${path}/${created.id}`), "not_found");
    const queries = [
      {},
      { operation: "list" },
      { q: "zanzibar" },
      { updated_since: created.created_at },
      { include_deleted: "false" },
    ];
    for (const query of queries as Record<string, string>[]) {
      expect(await listIds(team, path, { limit: "250", ...query })).not.toContain(created.id);
      expect(
        await listIds(team, path, { limit: "250", ...query, include_deleted: "true" }),
      ).toContain(created.id);
    }
    const query = { include_deleted: "true" };
    expect(succeeded(await call(team, "GET", `/v1/${path}/${created.id}`, { query }))).toEqual(
      deleted,
    );
  });

  test("a record can be deleted, listed and restored repeatedly, with the same results", async () => {
    const created = await createRecord(team, path, { keep: { me: 1 } });
    for (let round = 0; round < 2; round += 1) {
      succeeded(await call(team, "DELETE", `/v1/${path}/${created.id}`));
      expect(await listIds(team, path)).not.toContain(created.id);
      const restored = succeeded(await call(team, "POST", `/v1/${path}/${created.id}/restore`));
      expect(restored).toEqual({ ...created, updated_at: expect.any(String) });
      expect(await listIds(team, path)).toContain(created.id);
      expect(succeeded(await call(team, "GET", `/v1/${path}/${created.id}`))).toEqual(restored);
    }
  });

  test("the bin lists only deleted records", async () => {
    const unchanged = await createRecord(team, path);
    const deleted = await createDeleted(path);
    const bin = await listIds(team, path, { include_deleted: "only", limit: "250" });
    expect(bin).toContain(deleted.id);
    expect(bin).not.toContain(unchanged.id);
  });

  test("restoring a live record returns it unchanged", async () => {
    const created = await createRecord(team, path);
    const answer = await call(team, "POST", `/v1/${path}/${created.id}/restore`);
    expect(succeeded(answer)).toEqual(created);
    expect(answer.headers.get("etag")).toMatch(/^"1-/);
  });

  test("the bin is for tenant_admin", async () => {
    const { id } = await createDeleted(path);
    for (const bearer of [team.lead, team.analyst]) {
      for (const include_deleted of ["true", "only"]) {
        expectProblem(
          await call(team, "GET", `/v1/${path}`, { bearer, query: { include_deleted } }),
          "role_required",
        );
      }
      expectProblem(
        await call(team, "GET", `/v1/${path}/${id}`, {
          bearer,
          query: { include_deleted: "true" },
        }),
        "role_required",
      );
      expectProblem(
        await call(team, "POST", `/v1/${path}/${id}/restore`, { bearer }),
        "role_required",
      );
      succeeded(
        await call(team, "GET", `/v1/${path}`, { bearer, query: { include_deleted: "false" } }),
      );
    }
  });

  test("a lead can delete without seeing deleted records", async () => {
    const { id } = await createRecord(team, path);
    expect(
      succeeded(await call(team, "DELETE", `/v1/${path}/${id}`, { bearer: team.lead })),
    ).toMatchObject({ soft_delete: true });
  });
});

describe("the purge", () => {
  test("a record is purged 30 days after its deletion, and not an hour earlier", async () => {
    const [due, nearly, later, unchanged] = await Promise.all([
      createDeleted("integrations"),
      createDeleted("release-notes"),
      createDeleted("troubleshooting"),
      createRecord(team, "integrations"),
    ]);
    await pass(due.id, "30 days");
    await pass(nearly.id, "29 days 23 hours");
    await purge();
    expect(await exists(due.id)).toBe(false);
    expect(await exists(nearly.id)).toBe(true);
    expect(await exists(later.id)).toBe(true);
    expect(await exists(unchanged.id)).toBe(true);
    expectProblem(await call(team, "POST", `/v1/integrations/${due.id}/restore`), "not_found");
    expect(await listIds(team, "integrations", { include_deleted: "only" })).not.toContain(due.id);
    succeeded(await call(team, "POST", `/v1/release-notes/${nearly.id}/restore`));
  });

  test("a record is gone 30 days after its deletion, even before the purge runs", async () => {
    const { id } = await createDeleted("integrations");
    const deleted = { include_deleted: "true" };
    await pass(id, "29 days 23 hours");
    succeeded(await call(team, "GET", `/v1/integrations/${id}`, { query: deleted }));
    // A lock on the row keeps the purge from deleting it before the test reads it.
    const holding = await database.connect();
    try {
      await holding.query("begin");
      await holding.query("select from public.records where id = $1 for key share", [id]);
      await pass(id, "1 hour");
      expectProblem(
        await call(team, "GET", `/v1/integrations/${id}`, { query: deleted }),
        "not_found",
      );
      for (const include_deleted of ["true", "only"]) {
        expect(
          await listIds(team, "integrations", { include_deleted, limit: "250" }),
        ).not.toContain(id);
      }
      expectProblem(await call(team, "POST", `/v1/integrations/${id}/restore`), "not_found");
      expect(await exists(id)).toBe(true);
    } finally {
      await holding.query("rollback");
      holding.release();
    }
  });

  test("a second deletion restarts the 30 days", async () => {
    const { id } = await createDeleted("integrations");
    await pass(id, "29 days 23 hours");
    succeeded(await call(team, "POST", `/v1/integrations/${id}/restore`));
    succeeded(await call(team, "DELETE", `/v1/integrations/${id}`));
    await pass(id, "1 hour");
    await purge();
    expect(await exists(id)).toBe(true);
  });

  test("to the millisecond: at purge_at, and not before", async () => {
    const { id } = await createDeleted("integrations");
    const connection = await database.connect();
    try {
      await connection.query("begin");
      const deletedAgo = async (interval: string) => {
        await connection.query(
          `update public.records set deleted_at = date_trunc('milliseconds', now()) - $2::interval
           where id = $1`,
          [id, interval],
        );
        await connection.query("select private.purge_records(1000000)");
        return (
          (await connection.query("select from public.records where id = $1", [id])).rowCount === 0
        );
      };
      expect(await deletedAgo("719 hours 59 minutes 59.999 seconds")).toBe(false);
      expect(await deletedAgo("720 hours")).toBe(true);
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  });

  test("the database refuses an earlier deletion, even to its owner", async () => {
    const { id } = await createDeleted("integrations");
    const unchanged = await createRecord(team, "integrations");
    await pass(id, "29 days 23 hours");
    for (const one of [id, unchanged.id]) {
      await expect(sql("delete from public.records where id = $1", [one])).rejects.toThrow(
        "may not be purged",
      );
    }
  });

  test("the time zone of a session with 23-hour days changes nothing", async () => {
    const connection = await database.connect();
    try {
      await connection.query("set timezone to 'Europe/Berlin'");
      const { rows } = await connection.query(
        "select private.record_purge_at('2026-03-01T12:00:00Z')::text as at",
      );
      expect(new Date(rows[0].at).toISOString()).toBe("2026-03-31T12:00:00.000Z");
    } finally {
      await connection.query("reset timezone");
      connection.release();
    }
  });

  test("continues in batches until nothing is due", async () => {
    const marker = uniqueName("batch");
    await sql(
      `insert into public.records (tenant_id, surface, data, deleted_at)
       select $1, 'integrations', jsonb_build_object('marker', $2::text),
         now() - interval '31 days' from generate_series(1, 2500)`,
      [team.tenant, marker],
    );
    await purge();
    expect(
      await sql("select from public.records where data ->> 'marker' = $1", [marker]),
    ).toHaveLength(0);
  });

  test("never purges a record that is being restored", async () => {
    const { id } = await createDeleted("integrations");
    await pass(id, "30 days");
    const restoring = await database.connect();
    try {
      await restoring.query("begin");
      await restoring.query("update public.records set deleted_at = null where id = $1", [id]);
      await purge();
      await restoring.query("commit");
    } finally {
      restoring.release();
    }
    expect(succeeded(await call(team, "GET", `/v1/integrations/${id}`))).toMatchObject({
      soft_delete: false,
    });
  });
});
