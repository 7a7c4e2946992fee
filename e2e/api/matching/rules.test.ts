import { describe, expect, test } from "vitest";
import { api } from "#e2e/fixtures.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line, month } from "./matching-fixture.ts";

const SLOW = 300_000;

describe("rules", () => {
  const EXACT = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];

  test("are the defaults until they are set, and each change is a version", async () => {
    const fixture = await Fixture.create();
    const path = `reconciliations/${fixture.period}/rules`;
    const first = await fixture.call("GET", path);
    expect(first.json).toMatchObject({ version: 0, automatic: "earned", four_eyes: false });
    expect((first.json as RuleSet).rules.length).toBeGreaterThan(3);
    const set = await fixture.ok("PUT", path, { body: { rules: EXACT, automatic: "always" } });
    expect(set).toMatchObject({
      version: 1,
      rules: EXACT,
      automatic: "always",
      four_eyes: false,
      dry_run: false,
    });
    const etag = first.headers.get("etag") ?? "";
    const stale = await api("PUT", `/v1/${path}`, {
      bearer: fixture.admin,
      tenant: fixture.tenant,
      body: { rules: EXACT },
      headers: { "If-Match": etag },
    });
    expectProblem(stale, "precondition_failed");
  });

  test(
    "can be previewed: a dry run shows the changes and stores nothing",
    async () => {
      const fixture = await Fixture.create();
      const { left, right } = month(40);
      await fixture.add("left", left);
      await fixture.add("right", right);
      await fixture.run();
      const before = [await fixture.matches(), await fixture.proof()];
      const body = {
        rules: [
          {
            name: "Near",
            kind: "tolerance",
            on: ["reference"],
            amount_tolerance_minor: 50,
            then: "match",
          },
        ],
        dry_run: true,
      };
      const { run_id } = await fixture.ok<{ run_id: string }>(
        "PUT",
        `reconciliations/${fixture.period}/rules`,
        { body },
      );
      const done = await expect
        .poll(async () => (await fixture.ok<Run>("GET", `runs/${run_id}`)).status, {
          timeout: 180_000,
        })
        .toBe("done")
        .then(() => fixture.ok<Run>("GET", `runs/${run_id}`));
      expect(done.dry_run).toBe(true);
      expect(done.impact?.newly_matched.matches).toBeGreaterThan(0);
      expect(done.impact?.samples.length).toBeGreaterThan(0);
      expect([await fixture.matches(), await fixture.proof()]).toEqual(before);
      expect(await fixture.ok("GET", `reconciliations/${fixture.period}/rules`)).toMatchObject({
        version: 0,
      });
    },
    SLOW,
  );

  test(
    "that change make the next run match all lines again",
    async () => {
      const fixture = await Fixture.create();
      await fixture.add("left", [
        line("a", 500, { reference: "X" }),
        line("b", 900, { reference: "Y" }),
      ]);
      await fixture.add("right", [
        line("c", 500, { reference: "X" }),
        line("d", 900, { reference: "Y", counterparty: "Z" }),
      ]);
      await fixture.run();
      expect(await fixture.matches({ state: "confirmed" })).toHaveLength(2);
      await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
        body: { rules: [{ name: "Name", kind: "exact", on: ["counterparty"], then: "match" }] },
      });
      const run = await fixture.run();
      expect(run).toMatchObject({ status: "done", rules_version: 1, changed: { undone: 2 } });
      expect(await fixture.matches({ state: "confirmed" })).toEqual([]);
      expect((await fixture.proof()).holds).toBe(true);
    },
    SLOW,
  );
});
