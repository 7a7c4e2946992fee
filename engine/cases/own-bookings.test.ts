/** A bank's own bookings: interest, charges, tax on interest. */
import { describe, expect, test } from "vitest";
import { type CaseLine, solveCase } from "./solve-case.test-support.ts";

const invoice: CaseLine = {
  id: "i",
  amount: "41.25",
  date: "2026-03-28",
  reference: "RE-4401",
  counterparty: "Eins Bau GmbH",
  description: "Rechnung",
};
/** Enough lines to learn how rare amounts are. */
const others = (side: string): CaseLine[] =>
  Array.from({ length: 40 }, (_, at) => ({
    id: `${side}${at}`,
    amount: `${200 + 17 * at}.${10 + at}`,
    date: `2026-03-${String(10 + (at % 15)).padStart(2, "0")}`,
    counterparty: `Kunde ${"ABCDEFGHKL"[at % 10]}${at} AG`,
    description: side === "b" ? `Gutschrift RE-${5100 + at}` : "Rechnung",
    ...(side === "b" ? {} : { reference: `RE-${5100 + at}` }),
  }));
const all = ({ confirmed, suggested }: { confirmed: string[]; suggested: string[] }) => [
  ...confirmed,
  ...suggested,
];

describe("a bank's own booking", () => {
  test.each([
    "HABENZINSEN",
    "HABENZINSEN 0,35 % 01.01.-31.03.2026",
    "ABSCHLUSSENTGELT KONTO 4711002",
    "KONTOFÜHRUNGSGEBÜHR MÄRZ",
    "KAPITALERTRAGSTEUER AUF ZINSEN",
    "INTEREST PAID Q1",
    "CREDIT INTEREST",
    "WITHHOLDING TAX ON INTEREST",
    "MONTHLY SERVICE CHARGE",
    "KAPITALERTRAGSTEUER",
    "INTERETS CREDITEURS",
    "FRAIS DE TENUE DE COMPTE",
    "INTERESSI ATTIVI",
    "COMISION DE MANTENIMIENTO",
    "CREDITRENTE",
    "COMISSÃO DE MANUTENÇÃO DE CONTA",
    "KONTOGEBYR",
    "KREDITRÄNTA",
    "HYVITYSKORKO",
    "OPŁATA ZA PROWADZENIE RACHUNKU",
    "ODSETKI",
    "POPLATEK ZA VEDENÍ ÚČTU",
  ])("is not suggested with an invoice of the same amount: %s", (description) => {
    for (const more of [[], others("l")]) {
      const left = [invoice, ...more];
      const right = [
        { id: "z", amount: "41.25", date: "2026-03-31", description },
        ...(more.length > 0 ? others("b") : []),
      ];
      expect(all(solveCase(left, right))).not.toContain("i|z");
      expect(all(solveCase(right, left))).not.toContain("z|i");
    }
  });

  test("is not suggested as a part of an invoice, or as the sum of two", () => {
    const interest = { id: "z", amount: "41.25", date: "2026-03-31", description: "HABENZINSEN" };
    const parts = [
      { ...invoice, id: "p", amount: "30.20" },
      { ...invoice, id: "q", amount: "11.05", reference: "RE-4402", counterparty: "Zwei Holz AG" },
    ];
    expect(all(solveCase(parts, [interest]))).toEqual([]);
    expect(all(solveCase([{ ...invoice, amount: "75.00" }], [interest]))).toEqual([]);
  });

  test.each<Partial<CaseLine>>([
    { reference: undefined, counterparty: undefined, description: "Zinserträge März" },
    { reference: "B-31", counterparty: "Sparkasse Köln", description: "Kontoabschluss" },
    { reference: undefined, counterparty: undefined, description: "Bank March" },
    { description: "Verzugszinsen" },
  ])("is found in books that have it: %j", (texts) => {
    const booked = { ...invoice, ...texts };
    const interest = { id: "z", amount: "41.25", date: "2026-03-31", description: "HABENZINSEN" };
    expect(all(solveCase([booked], [interest]))).toEqual(["i|z"]);
  });

  test("is a payment where it quotes the invoice, or names who pays", () => {
    for (const description of ["GEBÜHREN 4401", "GEBÜHR EINS BAU GMBH", "Charge ch_3NabX"]) {
      const payment = { id: "z", amount: "41.25", date: "2026-03-31", description };
      expect(all(solveCase([invoice], [payment]))).toEqual(["i|z"]);
    }
  });
});
