import { Fixture, line } from "../matching/matching-fixture.ts";

export const BANK_FEE = {
  account: "4970",
  counter_account: "1200",
  tax_code: null,
  cost_center: "200",
  text: "Fee {period} {reference} {amount} {currency}",
};
export const RULES = {
  fee: BANK_FEE,
  excluded_left: { account: "6800", counter_account: "1200", text: "{note}" },
  carried_left: { account: "1590", counter_account: "1200", text: "Open {date}" },
};

/** A fee of 2.50, an excluded line of −14.90 and an open line of 40.00, all in October. */
export async function october(): Promise<Fixture & { match: string }> {
  const fixture = await Fixture.create();
  const lefts = await fixture.add("left", [
    line("a", 9_750, { reference: "RG-1" }),
    line("b", -1_490, { reference: "Account fee" }),
    line("c", 4_000, { reference: "RG-3", value_date: "2026-10-20" }),
  ]);
  const [right = ""] = await fixture.add("right", [line("x", 10_000, { reference: "RG-1" })]);
  const match = await fixture.ok<{ id: string }>(
    "POST",
    `reconciliations/${fixture.period}/matches`,
    {
      body: {
        line_ids: [lefts[0], right],
        adjustments: [{ kind: "fee", amount_minor: -250, note: "Card fee" }],
      },
    },
  );
  await fixture.ok("POST", `lines/${lefts[1]}/exclude`, { body: { reason: "Booked quarterly" } });
  return Object.assign(fixture, { match: match.id });
}
