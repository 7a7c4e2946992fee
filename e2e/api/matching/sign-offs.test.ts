import { expect, test } from "vitest";
import { signToken } from "#e2e/fixtures.ts";
import type { SignedStatement } from "#lib/matching/periods/contract.ts";
import type { Checklist } from "#lib/matching/sign-off/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const RULES = [{ name: "Same reference", kind: "exact", on: ["reference"], then: "match" }];

class Month {
  readonly #fixture: Fixture;
  readonly path: string;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.path = `reconciliations/${fixture.period}`;
  }

  static async create(policy: object = {}): Promise<Month> {
    const fixture = await Fixture.create();
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules: RULES, ...policy },
    });
    return new Month(fixture);
  }

  get fixture(): Fixture {
    return this.#fixture;
  }

  async action(
    action: "prepare" | "review" | "return" | "close",
    who: string,
    body: object = {},
    role: "tenant_analyst" | "tenant_lead" = "tenant_lead",
  ) {
    return this.#fixture.call("POST", `${this.path}/${action}`, {
      body,
      bearer: await this.#fixture.as([role], who),
    });
  }

  async signOff() {
    return (await this.#fixture.reconciliation()).sign_off;
  }
}

test(
  "a period that needs a review closes once another person has reviewed it",
  async () => {
    const month = await Month.create({ review_levels: 1 });
    expectProblem(await month.action("close", "lea"), "conflict");
    expectProblem(await month.action("review", "lea"), "conflict");

    const prepared = await month.action("prepare", "leo", { note: "Fees agree" }, "tenant_analyst");
    expect(prepared.json).toMatchObject({
      sign_off: {
        state: "prepared",
        levels: 1,
        signatures: [{ kind: "prepared", level: 0, signed_by: "user:leo", note: "Fees agree" }],
        revoked: null,
      },
    });
    expectProblem(await month.action("review", "leo"), "conflict");
    expectProblem(await month.action("close", "lea"), "conflict");
    expect((await month.action("review", "lea")).json).toMatchObject({
      sign_off: { state: "reviewed", signatures: [{ level: 0 }, { level: 1 }] },
    });
    expect((await month.action("close", "leo")).status).toBe(200);

    const signed = await month.fixture.ok<SignedStatement>("GET", `${month.path}/statements/1`);
    const [preparer, reviewer] = signed.signatures;
    expect(preparer?.digest, "both signed the same").toBe(reviewer?.digest);
    expect(signed.signatures).toMatchObject([
      { kind: "prepared", signed_by: "user:leo", digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { kind: "reviewed", signed_by: "user:lea" },
    ]);
  },
  SLOW,
);

test(
  "each level is reviewed by another person, whatever their name",
  async () => {
    const month = await Month.create({ review_levels: 2 });
    await month.action("prepare", "leo");
    await month.action("review", "lea");
    expect(await month.signOff()).toMatchObject({ state: "prepared" });
    expectProblem(await month.action("review", "lea"), "conflict");
    const { tenant } = month.fixture;
    const renamed = await signToken({
      sub: `lea-of-${tenant}`,
      preferred_username: "another-user",
      tenants: { [tenant]: ["tenant_lead"] },
    });
    expectProblem(
      await month.fixture.call("POST", `${month.path}/review`, { body: {}, bearer: renamed }),
      "conflict",
    );
    expectProblem(await month.action("close", "max"), "conflict");
    await month.action("review", "max");
    expect(await month.signOff()).toMatchObject({ state: "reviewed" });
  },
  SLOW,
);

test.each<[string, string, (fixture: Fixture) => Promise<unknown>]>([
  ["a line that arrives", "Lines arrived.", (month) => month.add("left", [line("late", 500)])],
  [
    "a match",
    "Lines were matched.",
    async (month) =>
      month.ok("POST", `reconciliations/${month.period}/matches`, {
        body: { line_ids: await openLines(month) },
      }),
  ],
  [
    "an excluded line",
    "A line was excluded.",
    async (month) =>
      month.ok("POST", `lines/${(await openLines(month))[0]}/exclude`, {
        body: { reason: "Not ours" },
      }),
  ],
  [
    "a stated balance",
    "A balance was recorded.",
    (month) =>
      month.ok("POST", `sources/${month.left}/balances`, {
        body: { day: "2026-10-31", amount: "1.00", reason: "Statement 10" },
      }),
  ],
  [
    "another name of the period",
    "The period was changed.",
    (month) =>
      month.ok("PATCH", `reconciliations/${month.period}`, { body: { name: "Debtors, October" } }),
  ],
  [
    "another kind of a source",
    "The kind of a source was changed.",
    (month) => month.ok("PATCH", `sources/${month.left}`, { body: { kind: "bank_statement" } }),
  ],
])(
  "%s revokes the signatures, with the reason",
  async (_what, reason, change) => {
    const month = await Month.create();
    const { fixture } = month;
    await fixture.add("left", [line("a", 1234)]);
    await fixture.add("right", [line("b", 1234)]);
    expect((await month.action("prepare", "leo")).status).toBe(200);
    await change(fixture);
    expect(await month.signOff()).toMatchObject({
      state: "open",
      signatures: [],
      revoked: { reason },
    });
  },
  SLOW,
);

test(
  "undoing a match or removing a balance revokes the signatures, with the reason",
  async () => {
    const month = await Month.create();
    const { fixture } = month;
    await fixture.add("left", [line("a", 1234)]);
    await fixture.add("right", [line("b", 1234)]);
    const match = await fixture.ok<{ id: string }>("POST", `${month.path}/matches`, {
      body: { line_ids: await openLines(fixture) },
    });
    const balances = `sources/${fixture.left}/balances`;
    const balance = await fixture.ok<{ id: string }>("POST", balances, {
      body: { day: "2026-10-31", amount: "12.34", reason: "Statement 10" },
    });
    for (const [method, path, reason] of [
      ["DELETE", `${balances}/${balance.id}`, "A balance was removed."],
      ["POST", `matches/${match.id}/undo`, "A match was undone."],
    ] as const) {
      expect((await month.action("prepare", "leo")).status).toBe(200);
      await fixture.ok(method, path);
      expect(await month.signOff()).toMatchObject({ state: "open", revoked: { reason } });
    }
  },
  SLOW,
);

test(
  "a reviewer returns a period with a reason, and it is prepared again",
  async () => {
    const month = await Month.create();
    await month.action("prepare", "leo");
    expect(
      (await month.action("return", "lea", { reason: "No evidence for the fee" })).json,
    ).toMatchObject({
      sign_off: { state: "open", revoked: { by: "user:lea", reason: "No evidence for the fee" } },
    });
    expectProblem(await month.action("return", "lea", { reason: "Again" }), "conflict");
    expect((await month.action("prepare", "leo")).status).toBe(200);
  },
  SLOW,
);

test(
  "the checklist shows open checks, and a blocking check stops a close",
  async () => {
    const month = await Month.create({ checks: { balances: "block" } });
    const { fixture } = month;
    await fixture.add("left", [{ ...line("a", 1234), value_date: "2026-10-30" }]);
    const checklist = await fixture.ok<Checklist>("GET", `${month.path}/checklist`);
    const outcomes = Object.fromEntries(
      checklist.items.map(({ check, outcome }) => [check, outcome]),
    );
    expect(outcomes).toEqual({
      period_over: "pass",
      files: "warn",
      balances: "block",
      suggestions: "pass",
      exceptions: "pass",
      difference: "pass",
      evidence: "pass",
      second_person: "pass",
      signatures: "pass",
    });
    expect(checklist.sources).toMatchObject([
      { side: "left", until: "2026-10-30", missing_days: 0, has_balance: false },
      { side: "right", until: null, missing_days: 22, has_balance: false },
    ]);
    expectProblem(await month.action("prepare", "leo"), "conflict");
    const refused = await month.action("close", "leo");
    expectProblem(refused, "conflict");
    expect(refused.json).toMatchObject({
      detail: expect.stringContaining("The balance of Bank and Ledger is unknown."),
    });
    for (const [source, amount] of [
      [fixture.left, "12.34"],
      [fixture.right, "0.00"],
    ])
      await fixture.ok("POST", `sources/${source}/balances`, {
        body: { day: "2026-10-31", amount, reason: "Trial balance" },
      });
    expect((await month.action("close", "leo")).status).toBe(200);
  },
  SLOW,
);

test(
  "a source's missing days are counted up to the last business day of the pair's calendar",
  async () => {
    const { fixture, path } = await Month.create();
    const { id } = await fixture.ok<{ id: string }>("POST", "calendars", {
      body: {
        name: "Office",
        time_zone: "Europe/Berlin",
        weekly: ["monday", "tuesday"].map((day) => ({ day, from: "09:00", to: "17:00" })),
        special_days: [{ date: "2026-10-27", name: "Closed", intervals: [] }],
      },
    });
    await fixture.ok("PUT", `${path}/rules`, { body: { rules: RULES, calendar_id: id } });
    await fixture.add("left", [{ ...line("a", 1234), value_date: "2026-10-26" }]);
    const { sources } = await fixture.ok<Checklist>("GET", `${path}/checklist`);
    expect(sources).toMatchObject([
      { side: "left", missing_days: 0 },
      { side: "right", missing_days: 7 },
    ]);
  },
  SLOW,
);

test(
  "only an admin can lower the number of reviews",
  async () => {
    const month = await Month.create({ review_levels: 2 });
    const body = { rules: RULES, review_levels: 1 };
    const lead = await month.fixture.as(["tenant_lead"], "lea");
    const put = (bearer?: string) =>
      month.fixture.call("PUT", `${month.path}/rules`, { body, bearer });
    expectProblem(await put(lead), "role_required");
    expect((await put()).status).toBe(200);
    // The period was opened while the policy required two.
    expect((await month.fixture.ok<Reconciliation>("GET", month.path)).sign_off?.levels).toBe(2);
  },
  SLOW,
);

async function openLines(fixture: Fixture): Promise<string[]> {
  const { items } = await fixture.ok<{ items: { id: string }[] }>("GET", "lines", {
    query: { reconciliation_id: fixture.period, state: "open" },
  });
  return items.map(({ id }) => id);
}
