/** Rows of a table that are no booked lines: reserved items, totals and balances among the lines. */
import { expect, test } from "vitest";
import { expectOutcome, imported, type Outcome, rows } from "./csv-outcome.test-support.ts";

const BOTH: Outcome = { lines: ["10-02 -4520", "10-15 30000"] };

test.each<[string, string, Outcome]>([
  [
    "an authorization among types of payments",
    rows(
      "Date,Type,Text,Amount",
      "2026-10-02,Payment,a,-45.20",
      "2026-10-15,Refund,b,300.00",
      "2026-10-16,Authorization,c,-9.99",
    ),
    { ...BOTH, refused: [4] },
  ],
  [
    "a text that begins with pending, and one that only has the word",
    rows(
      "Date,Text,Amount",
      "2026-10-02,Pending fees settled,-45.20",
      "2026-10-15,b,300.00",
      "2026-10-16,PENDING - c,-9.99",
    ),
    { ...BOTH, refused: [4] },
  ],
  [
    "pending rows below their heading",
    rows(
      "Date,Text,Amount",
      "2026-10-02,a,-45.20",
      "2026-10-15,b,300.00",
      "Pending transactions",
      "2026-10-16,c,-9.99",
      "2026-10-17,d,-1.00",
    ),
    { ...BOTH, skipped: ["pending", "pending", "pending"] },
  ],
  [
    "pending rows in a table above the booked ones",
    rows(
      "Vorgemerkte Umsätze",
      "Datum;Text;Betrag",
      "16.10.2026;c;-9,99",
      "Gebuchte Umsätze",
      "Datum;Text;Betrag",
      "02.10.2026;a;-45,20",
      "15.10.2026;b;300,00",
    ),
    { ...BOTH, skipped: ["pending"] },
  ],
  [
    "a heading that leaves pending rows out",
    rows(
      "Without pending transactions",
      "Date,Text,Amount",
      "2026-10-02,a,-45.20",
      "2026-10-15,b,300.00",
    ),
    BOTH,
  ],
  [
    "a dated total that is the sum of the lines, and a filling station of that name",
    rows(
      "Datum;Text;Betrag",
      "02.10.2026;TOTAL;-45,20",
      "15.10.2026;b;300,00",
      "31.10.2026;Summe;254,80",
    ),
    { ...BOTH, skipped: ["total"] },
  ],
  [
    "balances that say of which day they are",
    rows(
      "Date,Description,Amount",
      "2026-10-01,Balance brought forward,1000.00",
      "2026-10-02,a,-45.20",
      "2026-10-15,b,300.00",
      "2026-10-31,CLOSING BALANCE AS AT 31 OCT,1254.80",
    ),
    { ...BOTH, skipped: ["total", "total"], balance: true },
  ],
])("%s", (_what, text, outcome) => expectOutcome(text, "EUR", outcome));

test("amounts without a sign are asked about where a type may say the direction", async () => {
  await expectOutcome(
    rows("Date,Text,Amount,Type", "2026-10-02,a,45.20,payout", "2026-10-15,b,300.00,charge"),
    "EUR",
    { asks: "sign_values" },
  );
});

test("of columns for several currencies, the source's is read, and other rows are refused", () =>
  expectOutcome(
    rows(
      "Date,Text,Debit EUR,Credit EUR,Debit USD,Credit USD",
      "2026-10-02,a,45.20,,,",
      "2026-10-15,b,,300.00,,",
      "2026-10-16,c,,,10.00,",
    ),
    "EUR",
    { ...BOTH, refused: [4] },
  ));

test("a file of several accounts is said to be one", () =>
  expectOutcome(
    rows(
      "IBAN;Datum;Text;Betrag;IBAN Empfänger",
      "DE02500105170137075030;02.10.2026;a;-45,20;DE1",
      "DE02120300000000202051;15.10.2026;b;300,00;DE2",
    ),
    "EUR",
    { ...BOTH, warns: /"IBAN" names several accounts, such as DE02500105170137075030, DE0212/ },
  ));

test("amounts in thousands are refused", async () => {
  await expect(
    imported(rows("Date,Text,Amount (in thousands)", "2026-10-02,a,-45.20"), "EUR"),
  ).rejects.toMatchObject({ code: "invalid_request" });
});
