/** Payouts of a processor whose name is on too many lines to identify one. */
import { expect, test } from "vitest";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

const day = (at: number) => `2026-03-${String(at).padStart(2, "0")}`;

test("payouts of a day's sales less its fee are found by the processor's name", () => {
  const sales: CaseLine[] = [];
  const payouts: CaseLine[] = [];
  for (let at = 0; at < 10; at++) {
    let total = 0;
    for (let sale = 0; sale < 8; sale++) {
      const cents = 1000 + (((at * 8 + sale) * 7919) % 43_211);
      total += cents;
      sales.push({
        id: `s${at}-${sale}`,
        amount: (cents / 100).toFixed(2),
        date: day(3 + 2 * at),
        reference: `W${100_000 + (((at * 8 + sale) * 6151) % 899_999)}`,
        counterparty: `Kunde ${String.fromCharCode(65 + at)}${"abcdefgh"[sale]}x`,
        description: "Klarna",
      });
    }
    const fee = Math.round(total * 0.019) + 800;
    const date = day(3 + 2 * at);
    const feeLine = { id: `f${at}`, amount: (-fee / 100).toFixed(2), date };
    sales.push({ ...feeLine, description: "Klarna gebyr" });
    payouts.push({
      id: `p${at}`,
      amount: ((total - fee) / 100).toFixed(2),
      date: day(5 + 2 * at),
      description: `KLARNA BANK AB ${4_000_000 + at * 137_911}`,
    });
    sales.push({
      id: `i${at}`,
      amount: (713.31 + 91.07 * at).toFixed(2),
      date,
      reference: `KF 00${7100 + at}`,
      counterparty: `Firma ${String.fromCharCode(65 + at)} AB`,
      description: "Faktura",
    });
  }
  const { confirmed, suggested } = solveCase(sales, payouts);
  const found = [...confirmed, ...suggested];
  for (let at = 0; at < 10; at++) {
    const own = [`f${at}`, ...Array.from({ length: 8 }, (_, sale) => `s${at}-${sale}`)];
    expect(found).toContain(`${own}|p${at}`);
  }
});
