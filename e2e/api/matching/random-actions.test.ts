import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { bookDifferences } from "./books.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 600_000;
const WORLDS = Number(process.env.WORLDS ?? 4);

type Action = {
  kind:
    | "add"
    | "run"
    | "confirm"
    | "reject"
    | "undo"
    | "exclude"
    | "include"
    | "hand"
    | "close"
    | "reopen";
  pick: number;
};

const actions = fc.array(
  fc.record<Action>({
    kind: fc.constantFrom(
      "add",
      "add",
      "add",
      "run",
      "run",
      "run",
      "confirm",
      "reject",
      "undo",
      "exclude",
      "include",
      "hand",
      "close",
      "reopen",
    ),
    pick: fc.nat(10_000),
  }),
  { minLength: 15, maxLength: 25 },
);

/** A line from a small vocabulary, so that amounts, references and names coincide. */
function lineOf(n: number, pick: number) {
  const amount = [100, 100, 250, 350, 400, 1_000, -100, -250][pick % 8] as number;
  return line(`x${n}`, amount + (pick % 5 === 0 ? 1 : 0), {
    reference: pick % 3 === 0 ? undefined : `R${pick % 6}`,
    counterparty: `C${pick % 4}`,
    value_date: `2026-10-${String(1 + (pick % 28)).padStart(2, "0")}`,
    ...(pick % 11 === 0 && { group_key: `g${pick % 2}` }),
    ...(pick % 4 === 1 && { fee_minor: [100, 50, -50][pick % 3] as number }),
  });
}

test(
  "after any actions of people and runs, every line is in one place and no cent is missing",
  async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (chosen) => {
        const fixture = await Fixture.create({ grace_days: 0 });
        await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
          body: { ...(await rulesOf(fixture)), automatic: "always" },
        });
        let n = 0;
        for (const action of chosen) {
          await perform(fixture, action, () => n++);
          await expectSound(fixture);
        }
        await fixture.call("POST", `reconciliations/${fixture.period}/reopen`, {
          body: { reason: "Once more" },
        });
        expect((await fixture.run()).status).toBe("done");
        await expectSound(fixture);
      }),
      { numRuns: WORLDS, seed: 7, endOnFailure: true },
    );
  },
  SLOW,
);

async function rulesOf(fixture: Fixture): Promise<{ rules: object[] }> {
  const { rules } = await fixture.ok<{ rules: object[] }>(
    "GET",
    `reconciliations/${fixture.period}/rules`,
  );
  return { rules };
}

/** Performs an action. It may be refused with a reason, but must not fail. */
async function perform(
  fixture: Fixture,
  { kind, pick }: Action,
  next: () => number,
): Promise<void> {
  const one = <Item>(items: readonly Item[]) => items[pick % Math.max(1, items.length)];
  const open = async () =>
    (
      await fixture.ok<{ items: { id: string }[] }>("GET", "lines", {
        query: { reconciliation_id: fixture.period, state: "open" },
      })
    ).items;
  const attempt = async (method: string, path: string, body?: object) => {
    const { status, text } = await fixture.call(method, path, body ? { body } : {});
    expect([200, 201, 202, 400, 409], `${method} ${path} ${text}`).toContain(status);
  };
  const closed =
    (await fixture.ok<Reconciliation>("GET", `reconciliations/${fixture.period}`)).closed_at !==
    null;
  if (kind === "add") {
    const side = pick % 2 === 0 ? "left" : "right";
    await fixture.add(
      side,
      [0, 1, 2].map((more) => lineOf(next(), pick + more * 17)),
    );
  } else if (kind === "run") {
    if (!closed) expect((await fixture.run()).failure).toBeNull();
  } else if (kind === "confirm" || kind === "reject" || kind === "undo") {
    const match = one(
      await fixture.matches({ state: kind === "undo" ? "confirmed" : "suggested" }),
    );
    if (match) await attempt("POST", `matches/${match.id}/${kind}`);
  } else if (kind === "exclude") {
    const found = one(await open());
    if (found)
      await attempt("POST", `lines/${found.id}/exclude`, {
        reason: "At random",
        reconciliation_id: fixture.period,
      });
  } else if (kind === "include") {
    const { items } = await fixture.ok<{ items: { id: string }[] }>("GET", "lines", {
      query: { reconciliation_id: fixture.period, state: "excluded" },
    });
    const found = one(items);
    if (found) await attempt("POST", `lines/${found.id}/include`, { reason: "At random" });
  } else if (kind === "hand") {
    const found = (await open()).slice(0, 3).map(({ id }) => id);
    if (found.length > 1)
      await attempt("POST", `reconciliations/${fixture.period}/matches`, {
        line_ids: found,
        adjustments: [{ kind: "other", amount_minor: pick % 7 === 0 ? 0 : 100 }],
      });
  } else if (kind === "close") await attempt("POST", `reconciliations/${fixture.period}/close`);
  else await attempt("POST", `reconciliations/${fixture.period}/reopen`, { reason: "At random" });
}

async function expectSound(fixture: Fixture): Promise<void> {
  const { tenant, period } = fixture;
  const proof = await fixture.proof();
  expect(proof.holds, JSON.stringify(proof)).toBe(true);
  expect(await bookDifferences(tenant), period).toEqual([]);
}
