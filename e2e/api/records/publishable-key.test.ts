import { beforeAll, describe, expect, test } from "vitest";
import { stack, uniqueName } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { invoke } from "../contracts/operation.ts";
import { call, createRecord, createTeam, listIds, succeeded, type Team } from "./records.ts";

/** The operations that the publishable key may call. All others are forbidden. */
const ALLOWED = [
  "getMe",
  "listTroubleshooting",
  "getTroubleshootingGuide",
  "listReleaseNotes",
  "getReleaseNote",
];

const PUBLIC = SURFACES.filter((surface) => surface.public);
const bearer = stack.publishableKey;

let team: Team;
beforeAll(async () => {
  team = await createTeam();
});

describe("the publishable key", () => {
  // In the gate, refusals.test.ts calls each operation once with this key.
  test.runIf(WHOLE).each(
    CONTRACTS.map((contract) => ({
      contract,
      operationId: contract.operationId,
      isAllowed: ALLOWED.includes(contract.operationId),
    })),
  )("$operationId is allowed: $isAllowed", async ({ contract, isAllowed }) => {
    const answer = await invoke(contract, team, { bearer });
    if (isAllowed) succeeded(answer);
    else expectProblem(answer, "role_required", contract);
  });

  test("gains no access by additional parameters or headers", async () => {
    const { id } = await createRecord(team, "release-notes", { published: true });
    const tricks = [
      { query: { include_deleted: "true" } },
      { query: { include_deleted: "only" } },
      { query: { include_deleted: "true" }, headers: { "X-Audit-Reason": "please" } },
    ];
    for (const trick of tricks)
      expectProblem(
        await call(team, "GET", "/v1/release-notes", { bearer, ...trick }),
        "role_required",
      );
    expectProblem(
      await call(team, "GET", `/v1/release-notes/${id}`, {
        bearer,
        query: { include_deleted: "true" },
      }),
      "role_required",
    );
    expectProblem(await call(team, "GET", `/v1/integrations/${id}`, { bearer }), "role_required");
    expectProblem(
      await call(team, "GET", "/v1/release-notes", { bearer, tenant: [] }),
      "tenant_required",
    );
    const nobody = await call(team, "GET", "/v1/release-notes", {
      bearer,
      tenant: uniqueName("t"),
    });
    expect(nobody.json).toEqual({ items: [], next_cursor: null });
  });
});

describe.each(PUBLIC)("the publishable key on /v1/$path", ({ path }) => {
  const word = uniqueName("word").replace("-", "");
  let shown: string;
  let hidden: string[];
  let foreign: string;

  beforeAll(async () => {
    const other = await createTeam();
    foreign = (await createRecord(other, path, { published: true, note: word })).id;
    const drafts: object[] = [
      {},
      { published: false },
      { published: null },
      { operation: "publish" },
      { deep: { published: true } },
    ];
    hidden = await Promise.all(
      drafts.map(async (draft) => (await createRecord(team, path, { ...draft, note: word })).id),
    );
    const deleted = await createRecord(team, path, { published: true, note: word });
    succeeded(await call(team, "DELETE", `/v1/${path}/${deleted.id}`));
    hidden.push(deleted.id);
    shown = (await createRecord(team, path, { published: true, note: word, operation: "publish" }))
      .id;
  });

  test("lists only published records of the named tenant, with any query", async () => {
    const queries: Record<string, string>[] = [
      {},
      { q: word },
      { operation: "publish" },
      { updated_since: "2020-01-01T00:00:00Z" },
      { include_deleted: "false" },
    ];
    for (const query of queries) {
      const seen = await listIds(team, path, { limit: "250", ...query }, { bearer });
      expect(seen).toContain(shown);
      for (const id of [...hidden, foreign]) expect(seen).not.toContain(id);
    }
    expect(await listIds(team, path, { q: word }, { bearer })).toEqual([shown]);
  });

  test("hidden records take no place in a page", async () => {
    const newer = (await createRecord(team, path, { published: true, note: word })).id;
    await createRecord(team, path, { note: word });
    const answer = await call(team, "GET", `/v1/${path}`, {
      bearer,
      query: { q: word, limit: "1" },
    });
    const { items, next_cursor } = succeeded(answer) as {
      items: { id: string }[];
      next_cursor: string;
    };
    expect(items.map(({ id }) => id)).toEqual([newer]);
    expect(await listIds(team, path, { q: word, cursor: next_cursor }, { bearer })).toEqual([
      shown,
    ]);
  });

  test("reads published records; others are 404", async () => {
    expect(succeeded(await call(team, "GET", `/v1/${path}/${shown}`, { bearer }))).toMatchObject({
      id: shown,
      published: true,
    });
    for (const id of [...hidden, foreign])
      expectProblem(await call(team, "GET", `/v1/${path}/${id}`, { bearer }), "not_found");
  });

  test("never sees who created a record", async () => {
    const read = succeeded(await call(team, "GET", `/v1/${path}/${shown}`, { bearer }));
    const { items } = succeeded(await call(team, "GET", `/v1/${path}`, { bearer })) as {
      items: object[];
    };
    for (const record of [read, ...items]) expect(record).toMatchObject({ created_by: null });
    expect(succeeded(await call(team, "GET", `/v1/${path}/${shown}`))).toMatchObject({
      created_by: "user:ada",
    });
  });

  test("an unpublished record is gone at once", async () => {
    const { id } = await createRecord(team, path, { published: true });
    succeeded(await call(team, "GET", `/v1/${path}/${id}`, { bearer }));
    succeeded(await call(team, "PATCH", `/v1/${path}/${id}`, { body: { published: false } }));
    expectProblem(await call(team, "GET", `/v1/${path}/${id}`, { bearer }), "not_found");
  });
});
