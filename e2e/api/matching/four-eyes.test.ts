import { describe, expect, test } from "vitest";
import { api, signToken, uniqueName } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const RULES = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];

type Action = (fixture: Fixture, bearer: string, left: string, right: string) => Promise<unknown>;

const match: Action = (fixture, bearer, left, right) =>
  fixture.ok<Match>("POST", `reconciliations/${fixture.period}/matches`, {
    bearer,
    body: { line_ids: [left, right] },
  });

const actions: [string, Action][] = [
  ["matched by hand", match],
  [
    "wrote off",
    async (fixture, bearer, left) => {
      const [short] = await fixture.add("right", [line("short", 99)]);
      const adjustments = [{ kind: "write_off", amount_minor: 1 }];
      await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
        bearer,
        body: { line_ids: [left, short], adjustments },
      });
    },
  ],
  [
    "excluded, though it was included again",
    async (fixture, bearer, left) => {
      await fixture.ok("POST", `lines/${left}/exclude`, { bearer, body: { reason: "Not ours" } });
      await fixture.ok("POST", `lines/${left}/include`, { body: { reason: "Ours" } });
    },
  ],
  [
    "undid a match",
    async (fixture, bearer, left, right) => {
      const { id } = (await match(fixture, fixture.admin, left, right)) as Match;
      await fixture.ok("POST", `matches/${id}/undo`, { bearer });
    },
  ],
  [
    "took a decision back",
    async (fixture, bearer, left) => {
      await fixture.ok("POST", `lines/${left}/exclude`, { body: { reason: "Not ours" } });
      const { items } = await fixture.ok<{ items: Decision[] }>(
        "GET",
        `reconciliations/${fixture.period}/decisions`,
      );
      await fixture.ok("POST", `decisions/${items[0]?.id}/undo`, { bearer });
    },
  ],
];

async function withFourEyes(): Promise<{
  fixture: Fixture;
  lea: string;
  close: (bearer: string) => ReturnType<Fixture["call"]>;
}> {
  const fixture = await Fixture.create();
  await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
    body: { rules: RULES, four_eyes: true },
  });
  const close = (bearer: string) =>
    fixture.call("POST", `reconciliations/${fixture.period}/close`, { bearer });
  return { fixture, lea: await fixture.as(["tenant_lead"], "lea"), close };
}

describe("with four eyes", () => {
  test.each(actions)(
    "a person who %s can't close the period, even if others acted later",
    async (_what, action) => {
      const { fixture, lea, close } = await withFourEyes();
      const [a = "", b = ""] = await fixture.add("left", [line("a", 100), line("b", 7)]);
      const [x = "", y = ""] = await fixture.add("right", [line("x", 100), line("y", 7)]);
      await action(fixture, lea, a, x);
      await match(fixture, fixture.admin, b, y);
      expectProblem(await close(lea), "conflict");
      expectProblem(await close(fixture.admin), "conflict");
      expect((await close(await fixture.as(["tenant_lead"], "max"))).status).toBe(200);
    },
  );

  test("people are compared by issuer and subject, not by name or key", async () => {
    const { fixture, lea, close } = await withFourEyes();
    const key = await fixture.ok<{ key_id: string; key_secret: string }>(
      "POST",
      `tenants/${fixture.tenant}/api-keys`,
      { body: { name: uniqueName("Key"), scopes: ["write:reconciliations"] } },
    );
    const byKey = `${key.key_id}.${key.key_secret}`;
    const { tenant, left } = fixture;
    const lines = [line("by-key", 100)];
    const posted = await api("POST", `/v1/sources/${left}/lines`, {
      bearer: byKey,
      tenant,
      body: { lines },
    });
    expect(posted.status).toBe(200);
    const renamed = await signToken({
      sub: `ada-of-${tenant}`,
      preferred_username: "another-user",
      tenants: { [tenant]: ["tenant_admin"] },
    });
    expectProblem(await close(renamed), "conflict");
    expect((await close(lea)).status).toBe(200);
  });

  test("a person who confirms a suggestion or adds a line has worked in the period", async () => {
    const { fixture, lea, close } = await withFourEyes();
    const lines = [line("counter", 100)];
    await fixture.ok("POST", `sources/${fixture.right}/lines`, { bearer: lea, body: { lines } });
    expectProblem(await close(lea), "conflict");
    expect((await close(await fixture.as(["tenant_lead"], "max"))).status).toBe(200);
  });

  test("only an admin can turn the policy off, for periods opened from then on", async () => {
    const { fixture, lea, close } = await withFourEyes();
    const key = await fixture.ok<{ key_id: string; key_secret: string }>(
      "POST",
      `tenants/${fixture.tenant}/api-keys`,
      {
        body: {
          name: uniqueName("Key"),
          scopes: ["write:reconciliations", "read:reconciliations"],
        },
      },
    );
    const turnOff = (bearer: string) =>
      fixture.call("PUT", `reconciliations/${fixture.period}/rules`, {
        bearer,
        body: { rules: RULES, four_eyes: false },
      });
    const [a = "", b = ""] = await fixture.add("left", [line("a", 100), line("b", 100)]);
    const [x = "", y = ""] = await fixture.add("right", [line("x", 100), line("y", 100)]);
    await match(fixture, lea, a, x);
    for (const bearer of [lea, `${key.key_id}.${key.key_secret}`])
      expectProblem(await turnOff(bearer), "role_required");
    expect((await turnOff(fixture.admin)).status).toBe(200);
    expectProblem(await close(lea), "conflict");
    expectProblem(await close(fixture.admin), "conflict");
    expect((await close(await fixture.as(["tenant_lead"], "max"))).status).toBe(200);
    fixture.period = (
      await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" })
    ).id;
    await match(fixture, lea, b, y);
    expect((await close(lea)).status).toBe(200);
  });
});
