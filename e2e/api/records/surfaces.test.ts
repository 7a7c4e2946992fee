import { beforeAll, describe, expect, test } from "vitest";
import { uniqueName } from "#e2e/fixtures.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { call, createRecord, createTeam, listIds, succeeded, type Team } from "./records.ts";

let team: Team;
beforeAll(async () => {
  team = await createTeam();
});

describe.each(SURFACES)("/v1/$path", ({ path, example }) => {
  test("accepts the specification's example, and replays the same record", async () => {
    const body = {
      tenantId: team.tenant,
      operation: "list",
      limit: 25,
      idempotencyKey: uniqueName("key"),
    };
    const first = await call(team, "POST", `/v1/${path}`, { body });
    expect(succeeded(first, 201)).toEqual({
      ...body,
      id: expect.stringMatching(/^rec_[0-9a-f]{32}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by: "user:ada",
      updated_at: expect.stringMatching(/Z$/),
      soft_delete: false,
      deleted_at: null,
      purge_at: null,
    });
    const again = await call(team, "POST", `/v1/${path}`, { body });
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    expect(await listIds(team, path, { operation: "list" })).toHaveLength(1);
  });

  test("keeps unknown fields as sent", async () => {
    const unknown = {
      "": 1,
      constructor: { prototype: [] },
      toString: "x",
      "with space": "'; drop table records; --",
      deep: { list: [1, -0.5, 1e15, 5e-324, true, null, "ünïcode 🔑 \u202e"], empty: {}, none: [] },
    };
    const created = await createRecord(team, path, { ...example, ...unknown });
    expect(created).toMatchObject({ ...example, ...unknown });
    expect(succeeded(await call(team, "GET", `/v1/${path}/${created.id}`))).toEqual(created);
  });

  test("changes by merge patch: null removes, objects merge, lists are replaced", async () => {
    const created = await createRecord(team, path, {
      ...example,
      a: { b: 1, c: { d: 1, e: 2 } },
      list: [1, 2],
      gone: 1,
      operation: "list",
    });
    const patch = {
      a: { b: null, c: { e: 3 } },
      list: [3],
      gone: null,
      operation: null,
      added: "x",
    };
    const answer = await call(team, "PATCH", `/v1/${path}/${created.id}`, { body: patch });
    const { gone: _, operation: __, ...unchanged } = created;
    expect(succeeded(answer)).toEqual({
      ...unchanged,
      a: { c: { d: 1, e: 3 } },
      list: [3],
      added: "x",
      updated_at: expect.any(String),
    });
    expect(await listIds(team, path, { operation: "list" })).not.toContain(created.id);
  });

  test("accepts a merge patch with its own media type", async () => {
    const created = await createRecord(team, path);
    const headers = { "Content-Type": "application/merge-patch+json" };
    expect(
      succeeded(
        await call(team, "PATCH", `/v1/${path}/${created.id}`, { body: { a: 1 }, headers }),
      ),
    ).toMatchObject({ a: 1 });
  });

  test("serves its own records only", async () => {
    const created = await createRecord(team, path, example);
    for (const other of SURFACES.filter((surface) => surface.path !== path)) {
      expect(await listIds(team, other.path, { limit: "250" })).not.toContain(created.id);
      for (const method of ["GET", "DELETE"]) {
        expectProblem(await call(team, method, `/v1/${other.path}/${created.id}`), "not_found");
      }
      expectProblem(
        await call(team, "PATCH", `/v1/${other.path}/${created.id}`, { body: { a: 1 } }),
        "not_found",
      );
      expectProblem(
        await call(team, "POST", `/v1/${other.path}/${created.id}/restore`),
        "not_found",
      );
    }
  });

  test("idempotency keys are separate per surface", async () => {
    const idempotencyKey = uniqueName("key");
    const ids = await Promise.all(
      SURFACES.map(
        async (surface) => (await createRecord(team, surface.path, { idempotencyKey })).id,
      ),
    );
    expect(new Set(ids).size).toBe(SURFACES.length);
  });
});
