import fc from "fast-check";
import { expect, test } from "vitest";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { bookDifferences } from "./books.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 1_800_000;
const CALLERS = 12;
const SEED = Number(process.env.FUZZ_SEED ?? 20261124);
/** `ACTIONS` sets their number. Those of the gate take a few seconds. */
const ACTIONS = Number(process.env.ACTIONS ?? (WHOLE ? 1_200 : 180));

const KINDS = [
  "lines",
  "lines",
  "import",
  "undo import",
  "sign",
  "run",
  "confirm",
  "exclude",
  "hand",
  "take back",
  "close",
  "reopen",
  "open",
  "archive",
] as const;
type Action = { kind: (typeof KINDS)[number]; pick: number };

const actions = fc.sample(
  fc.record<Action>({ kind: fc.constantFrom(...KINDS), pick: fc.nat(10_000) }),
  {
    numRuns: ACTIONS,
    seed: SEED,
  },
);

/** The statuses that concurrent calls may return. A deadlock or an error would be a 5xx. */
const ALLOWED_STATUSES = [200, 201, 202, 400, 404, 409];

test(
  `after ${CALLERS} concurrent callers, a pair's books equal its lines and decisions`,
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const { rules } = await fixture.ok<{ rules: object[] }>(
      "GET",
      `reconciliations/${fixture.period}/rules`,
    );
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules, automatic: "always" },
    });
    const answers = new Map<string, number>();
    const waiting = [...actions];
    let n = 0;

    async function call(method: string, path: string, body?: object): Promise<void> {
      const { status, text } = await fixture.call(method, path, body ? { body } : {});
      expect(ALLOWED_STATUSES, `${method} ${path} ${text}`).toContain(status);
      const code = status < 300 ? "done" : (JSON.parse(text) as { code: string }).code;
      answers.set(code, (answers.get(code) ?? 0) + 1);
    }

    async function one<Item extends object>(
      path: string,
      query: Record<string, string>,
      pick: number,
    ): Promise<Item | undefined> {
      const { items } = await fixture.ok<{ items: Item[] }>("GET", path, {
        query: { limit: "50", ...query },
      });
      return items[pick % Math.max(1, items.length)];
    }

    const lineOf = (pick: number) => {
      const number = n++;
      const value_date = `2026-${pick % 5 === 0 ? "11" : "10"}-${String(1 + (pick % 28)).padStart(2, "0")}`;
      return line(`x${number}`, [100, 250, 350, 400, 1_000, -100][pick % 6] ?? 100, {
        reference: `R${pick % 9}`,
        value_date,
      });
    };

    async function perform({ kind, pick }: Action): Promise<void> {
      const source = pick % 2 === 0 ? fixture.left : fixture.right;
      const period = (await one<Reconciliation>("reconciliations", {}, pick))?.id ?? fixture.period;
      if (kind === "lines")
        await call("POST", `sources/${source}/lines`, {
          lines: [0, 1, 2, 3].map((more) => lineOf(pick + more * 17)),
        });
      else if (kind === "import")
        await call("POST", `sources/${source}/imports`, {
          lines: [0, 1, 2].map((more) => lineOf(pick + more * 7)),
        });
      else if (kind === "undo import") {
        const found = await one<{ id: string }>("imports", { source_id: source }, pick);
        if (found) await call("POST", `imports/${found.id}/undo`);
      } else if (kind === "sign")
        await call("PATCH", `sources/${source}`, { sign: pick % 3 === 0 ? "inverted" : "as_is" });
      else if (kind === "run") await call("POST", `reconciliations/${period}/runs`, {});
      else if (kind === "confirm") {
        const found = await one<{ id: string }>(
          `reconciliations/${period}/matches`,
          { state: "suggested" },
          pick,
        );
        if (found)
          await call("POST", `matches/${found.id}/${pick % 3 === 0 ? "reject" : "confirm"}`);
      } else if (kind === "exclude") {
        const found = await one<{ id: string }>(
          "lines",
          { reconciliation_id: period, state: "open" },
          pick,
        );
        if (found)
          await call("POST", `lines/${found.id}/exclude`, {
            reason: "In the storm",
            reconciliation_id: period,
          });
      } else if (kind === "hand") {
        const left = await one<{ id: string }>(
          "lines",
          { reconciliation_id: period, side: "left", state: "open" },
          pick,
        );
        const right = await one<{ id: string }>(
          "lines",
          { reconciliation_id: period, side: "right", state: "open" },
          pick + 1,
        );
        if (left && right)
          await call("POST", `reconciliations/${period}/matches`, {
            line_ids: [left.id, right.id],
            split_line_id: pick % 2 ? left.id : right.id,
          });
      } else if (kind === "take back") {
        const found = await one<{ id: string }>(
          `reconciliations/${period}/matches`,
          { state: "confirmed" },
          pick,
        );
        if (found) await call("POST", `matches/${found.id}/undo`);
      } else if (kind === "close") await call("POST", `reconciliations/${period}/close`);
      else if (kind === "reopen")
        await call("POST", `reconciliations/${period}/reopen`, { reason: "In the storm" });
      else if (kind === "open") await call("POST", "reconciliations", periodAfter(pick));
      else if (pick % 5 === 0 && period !== fixture.period)
        await call("PATCH", `reconciliations/${period}`, { status: "archived" });
    }

    function periodAfter(pick: number): object {
      const day = 1 + (pick % 9) * 3;
      const of = (number: number) => `2026-11-${String(number).padStart(2, "0")}`;
      return {
        name: `From ${of(day)}`,
        period_start: of(day),
        period_end: of(day + 2),
        left_source_id: fixture.left,
        right_source_id: fixture.right,
        auto_run: pick % 2 === 0,
      };
    }

    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        for (let action = waiting.shift(); action; action = waiting.shift()) await perform(action);
      }),
    );
    const { items: periods } = await fixture.ok<{ items: Reconciliation[] }>(
      "GET",
      "reconciliations",
      { query: { limit: "250" } },
    );
    await until("every run to have ended", async () => {
      const runs = await Promise.all(
        periods.map(({ id }) =>
          fixture.ok<{ items: { status: string }[] }>("GET", `reconciliations/${id}/runs`),
        ),
      );
      return runs.every(({ items }) =>
        items.every(({ status }) => status === "done" || status === "failed"),
      );
    });
    console.log(
      `Storm of ${ACTIONS} actions, seed ${SEED}: ` +
        `${[...answers].map(([code, count]) => `${code} ${count}`).join(", ")}`,
    );
    expect(await bookDifferences(fixture.tenant), `seed ${SEED}`).toEqual([]);
    for (const { id } of periods) expect((await fixture.proof(id)).holds, id).toBe(true);
  },
  SLOW,
);
