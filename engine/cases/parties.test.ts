/** Sums that are only found by arithmetic, of parties that the payment doesn't name. */
import { describe, expect, test } from "vitest";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

const invoice = (
  id: string,
  amount: string,
  reference: string,
  counterparty: string,
): CaseLine => ({
  id,
  amount,
  date: "2026-03-02",
  reference,
  counterparty,
});
const one = invoice("e", "1117.43", "RE-4401", "Eins Bau GmbH");
const two = invoice("z", "2391.18", "RE-4402", "Zwei Holz AG");
const three = invoice("d", "980.00", "RE-4403", "Drei Metall KG");

describe("a payment of one customer that other customers' invoices add up to", () => {
  test.each([
    { counterparty: "Drei Metall KG", description: "Zahlung" },
    { description: "SEPA Drei Metall KG Zahlung" },
  ])("is not suggested as their sum: %j", (texts) => {
    const payment = { id: "p", amount: "3508.61", date: "2026-03-05", ...texts };
    for (const [left, right, sum] of [
      [[one, two, three], [payment], "e,z|p"],
      [[payment], [one, two, three], "p|e,z"],
    ] as const) {
      const { confirmed, suggested } = solveCase(left, right);
      expect([...confirmed, ...suggested]).not.toContain(sum);
    }
  });

  test.each([
    { counterparty: "Adyen N.V.", description: "Payout" },
    { counterparty: "Zwei Holz AG", description: "Sammelzahlung" },
  ])("is found where it names a processor or one of them: %j", (texts) => {
    const payment = { id: "p", amount: "3508.61", date: "2026-03-05", ...texts };
    const { confirmed, suggested } = solveCase([one, two, three], [payment]);
    expect([...confirmed, ...suggested]).toEqual(["e,z|p"]);
  });
});
