import { expect, test } from "vitest";
import { Fixture, line, type NewLine } from "./matching-fixture.ts";

const SLOW = 300_000;

/**
 * For each reason, a line of the left side and similar lines. `late_arrival`, which needs a closed
 * period, is in periods.test.ts.
 */
const CASES: Record<string, { of: NewLine; left?: NewLine[]; right?: NewLine[] }> = {
  missing_counterpart: { of: line("missing", 11_111, { reference: "LONE-11" }) },
  amount_differs: {
    of: line("amount", 444_443, { reference: "AMT-5" }),
    right: [line("amount-r", 77, { reference: "AMT-5" })],
  },
  outside_window: {
    of: line("window", 33_337, { reference: "WIN-77" }),
    right: [line("window-r", 33_337, { reference: "WIN-77", value_date: "2026-08-03" })],
  },
  duplicate: {
    of: line("twice", 55_551, { reference: "DUP-8" }),
    left: [line("once", 55_551, { reference: "DUP-8" })],
    right: [line("once-r", 55_551, { reference: "DUP-8" })],
  },
  group_incomplete: {
    of: line("group", 66_019, { group_key: "po_3" }),
    left: [line("group-2", 5_003, { group_key: "po_3" })],
  },
  currency_differs: {
    of: line("currency", 22_229, { reference: "CUR-6" }),
    right: [line("currency-r", 22_229, { reference: "CUR-6", currency: "USD" })],
  },
  ambiguous: {
    of: line("either", 77_773),
    right: [
      line("either-1", 77_773, { counterparty: "Adler" }),
      line("either-2", 77_773, { counterparty: "Becker" }),
    ],
  },
};

test(
  "an open line's exception gives the reason that a person would",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const cases = Object.entries(CASES);
    await fixture.add(
      "right",
      cases.flatMap(([, { right = [] }]) => right),
    );
    const ids = await fixture.add("left", [
      ...cases.map(([, { of }]) => of),
      ...cases.flatMap(([, { left = [] }]) => left),
    ]);
    expect((await fixture.run()).status).toBe("done");
    const reasonCodes: Record<string, unknown> = {};
    for (const [at, [reason]] of cases.entries()) {
      let id = ids[at] as string;
      // Either of two identical lines may be the surplus one.
      if (reason === "duplicate" && (await fixture.line(id)).state === "matched")
        id = ids[cases.length] as string;
      const { exception_id } = await fixture.line(id);
      reasonCodes[reason] =
        exception_id &&
        (await fixture.ok<{ reason_code: string }>("GET", `exceptions/${exception_id}`))
          .reason_code;
    }
    expect(reasonCodes).toEqual(Object.fromEntries(cases.map(([reason]) => [reason, reason])));
  },
  SLOW,
);
