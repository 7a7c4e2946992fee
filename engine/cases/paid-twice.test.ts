/** An invoice that is paid twice, and one of the payments is sent back. */
import { describe, expect, test } from "vitest";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

const invoice: CaseLine = {
  id: "i",
  amount: "612.40",
  date: "2026-03-02",
  reference: "KF 007933",
  counterparty: "Lindqvist Bygg AB",
};
const paid = (id: string, date: string): CaseLine => ({
  id,
  amount: "612.40",
  date,
  description: "INSATTNING LINDQVIST BYGG KF 007933",
});
const back: CaseLine = {
  id: "b",
  amount: "-612.40",
  date: "2026-03-12",
  description: "BETALNING LINDQVIST BYGG 007933",
};

describe("an invoice that is paid twice, with one payment sent back", () => {
  const payments = [paid("p", "2026-03-05"), paid("q", "2026-03-06"), back];

  test("is suggested with the first payment, and the second with what was sent back", () => {
    const { confirmed, suggested } = solveCase([invoice], payments);
    expect(confirmed).toEqual([]);
    expect(suggested).toEqual(["i|p", "|b,q"]);
    const turned = solveCase(payments, [invoice]);
    expect([...turned.confirmed, ...turned.suggested].sort()).toEqual(["b,q|", "p|i"]);
  });

  test("is confirmed with its parts where no two of them cancel each other", () => {
    const parts = [
      { ...paid("p", "2026-03-05"), amount: "700.00" },
      { ...back, amount: "-87.60" },
    ];
    expect(solveCase([invoice], parts).confirmed).toEqual(["i|b,p"]);
  });
});

describe("a transfer that came back", () => {
  test.each([
    "ZWROT PRZELEWU",
    "PALAUTUS",
    "RETUR",
    "TILBAKEFØRT BETALING",
    "TILBAGEFØRSEL",
    "RETOUR",
    "TERUGBOEKING",
    "RETROCESION",
    "VIREMENT RETOURNE",
    "IADE",
    "VRACENO",
  ])("is suggested with the transfer: %s", (mark) => {
    const name = "NANDU TEXTIL SERVICE OY";
    const lines: CaseLine[] = [
      { id: "t", amount: "-3549.08", date: "2026-03-16", description: `OMA MAKSU ${name}` },
      { id: "r", amount: "3549.08", date: "2026-03-20", description: `${mark} ${name}` },
    ];
    expect(solveCase([], lines).suggested).toEqual(["|r,t"]);
  });
});

describe("parts by name alone that add up to an invoice", () => {
  test("are at most suggested where a payment of its amount and name is open, too", () => {
    const lines = [
      {
        id: "i",
        amount: "300.00",
        date: "2026-03-10",
        reference: "KF 5505",
        counterparty: "Bjornstad Fisk AS",
      },
      {
        id: "j",
        amount: "180.00",
        date: "2026-03-06",
        reference: "KF 6213",
        counterparty: "Bjornstad Fisk AS",
      },
    ];
    const bank = (id: string, amount: string, date: string): CaseLine => ({
      id,
      amount,
      date,
      description: "OVERFORING FRA BJORNSTAD FISK AS",
    });
    const { confirmed } = solveCase(lines, [
      bank("a", "120.00", "2026-03-11"),
      bank("b", "51.62", "2026-03-12"),
      bank("d", "14.91", "2026-03-12"),
      bank("e", "73.33", "2026-03-13"),
      bank("c", "300.00", "2026-03-14"),
    ]);
    expect(confirmed).not.toContain("i|a,b,d,e");
  });
});
