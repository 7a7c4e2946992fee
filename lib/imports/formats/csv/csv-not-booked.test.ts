/** Rows of a table that aren't booked lines: reserved items, totals and balances. */
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
  [
    "payments whose text is that of a balance or total, in rows from the oldest",
    rows(
      "Date,Text,Amount,Balance",
      "2026-10-02,a,-45.20,954.80",
      "2026-10-03,Available balance,100.00,1054.80",
      "2026-10-04,Saldo final,-100.00,954.80",
      "2026-10-05,Total credits,7.00,961.80",
      "2026-10-31,Closing balance,254.80,961.80",
    ),
    { lines: ["10-02 -4520", "10-03 10000", "10-04 -10000", "10-05 700"], skipped: ["total"] },
  ],
  [
    "a payment with the text of a balance, in rows from the newest",
    rows(
      "Date,Text,Amount,Balance",
      "2026-10-31,Closing balance,,1154.80",
      "2026-10-15,b,300.00,1154.80",
      "2026-10-03,Saldo final,-100.00,854.80",
      "2026-10-02,a,-45.20,954.80",
      "2026-10-01,Opening balance,0.00,1000.00",
    ),
    { lines: ["10-15 30000", "10-02 -4520"], refused: [4], skipped: ["total", "total"] },
  ],
  [
    "items of the future below their heading, and balances without an amount",
    rows(
      "data;lançamento;valor (R$);saldos (R$)",
      "02/10/2026;a;-45,20;",
      "02/10/2026;SALDO DO DIA;;954,80",
      "15/10/2026;b;300,00;",
      "15/10/2026;SALDO DO DIA;;1254,80",
      "lançamentos futuros;;;",
      "20/10/2026;c;-9,00;",
    ),
    {
      lines: ["10-02 -4520 BRL", "10-15 30000 BRL"],
      skipped: ["total", "total", "pending", "pending"],
    },
  ],
  [
    "a preliminary item of a Swedish bank, and a text that begins alike",
    rows(
      "Reskontradatum;Transaktionsdatum;Text;Belopp;Saldo",
      "2026-10-02;2026-10-02;Preluna AB;-45,20;954,80",
      "2026-10-15;2026-10-15;b;300,00;1254,80",
      "2026-10-16;2026-10-16;Prel c;-9,00;",
    ),
    { ...BOTH, refused: [4] },
  ],
  [
    "balances and totals in other words",
    rows(
      "Data;Histórico;Valor",
      "01/10/2026;SALDO EM 30/09/2026;1.000,00",
      "02/10/2026;a;-45,20",
      "02/10/2026;SALDO DO DIA;954,80",
      "15/10/2026;b;300,00",
      "15/10/2026;S A L D O;1.254,80",
      "31/10/2026;Total de outubro;254,80",
    ),
    { ...BOTH, skipped: ["total", "total", "total", "total"] },
  ],
  [
    "balances that say their day, and the sums of a month",
    rows(
      "Datum;Text;Betrag",
      "02.10.2026;a;-45,20",
      "15.10.2026;b;300,00",
      "31.10.2026;Kontostand am 31.10.2026;1.254,80",
      "31.10.2026;Summe der Umsätze;254,80",
      "31.10.2026;Net change;254,80",
    ),
    { ...BOTH, skipped: ["total", "total", "total"] },
  ],
  [
    "a balance of one word, which may be the text of a payment",
    rows(
      "Date,Text,Amount",
      "2026-10-02,a,-45.20",
      "2026-10-15,b,300.00",
      "2026-10-16,Solde,-9.00",
    ),
    { ...BOTH, refused: [4] },
  ],
  [
    "a total that isn't the sum of the lines",
    rows(
      "Date,Text,Amount",
      "2026-10-02,a,-45.20",
      "2026-10-15,b,300.00",
      "2026-10-31,Total for October,9.00",
    ),
    { ...BOTH, refused: [4] },
  ],
  [
    "payments with more words than those of a balance or total",
    rows(
      "Date,Text,Amount",
      "2026-10-02,Balance of invoice 12,-45.20",
      "2026-10-03,Saldo Rechnung 4711,-1.00",
      "2026-10-04,Total Energies,-2.00",
      "2026-10-05,TOTAL,-3.00",
      "2026-10-06,Saldo 4711,-4.00",
      "2026-10-07,Solde facture 2026-10,-5.00",
      "2026-10-08,Sold,6.00",
      "2026-10-09,SumUp,7.00",
    ),
    {
      lines: [
        "10-02 -4520",
        "10-03 -100",
        "10-04 -200",
        "10-05 -300",
        "10-06 -400",
        "10-07 -500",
        "10-08 600",
        "10-09 700",
      ],
    },
  ],
  [
    "the balance that is available, without a column that says whether its amount is a line",
    rows(
      "Date,Text,Amount",
      "2026-10-02,a,-45.20",
      "2026-10-03,Available balance,100.00",
      "2026-10-15,b,300.00",
    ),
    { ...BOTH, skipped: ["total"] },
  ],
])("%s", (_what, text, outcome) => expectOutcome(text, "EUR", outcome));

test.each([
  ["You have no pending transactions at this time."],
  ["Es liegen zur Zeit keine Umsätze vor."],
  ["Posted transactions of October 2026 (2)"],
])("booked rows follow a pending heading and %s", (note) =>
  expectOutcome(
    rows("Pending", note, "Date,Text,Amount", "2026-10-02,a,-45.20", "2026-10-15,b,300.00"),
    "EUR",
    BOTH,
  ),
);

test("a sentence below pending rows ends them", () =>
  expectOutcome(
    rows(
      "Date,Text,Amount",
      "Pending,,",
      "2026-10-16,c,-9.99",
      "Transactions between 1 October and 31 October.,,",
      "2026-10-02,a,-45.20",
      "2026-10-15,b,300.00",
    ),
    "EUR",
    { ...BOTH, refused: [4], skipped: ["pending", "pending"] },
  ));

test("account numbers in columns called debit and credit aren't amounts", () =>
  expectOutcome(
    rows(
      "Date,Debit,Credit,Amount,Text",
      "2026-10-02,1200 Bank,4400,45.20,a",
      "2026-10-15,5000,1200 Bank,300.00,b",
    ),
    "EUR",
    { lines: ["10-02 4520", "10-15 30000"] },
  ));

test("asks about unsigned amounts if a type may state the direction", async () => {
  await expectOutcome(
    rows("Date,Text,Amount,Type", "2026-10-02,a,45.20,payout", "2026-10-15,b,300.00,charge"),
    "EUR",
    { asks: "sign_values" },
  );
});

test("reads the column of the source's currency, and refuses rows in other currencies", () =>
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

test("warns about a file with several accounts", () =>
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

test.each([
  ["in German", "31.10.2026;Verfügbarer Betrag;1.254,80"],
  ["with a day", "31.10.2026;Solde disponible au 31/10/2026;1.254,80"],
  ["in Dutch", "31.10.2026;Beschikbaar saldo;1.254,80"],
  ["in Polish", "31.10.2026;Dostępne środki;1.254,80"],
  ["without a date", "Verfügbarer Betrag;;1.254,80"],
])("an available balance isn't a line, %s", (_, row) =>
  expectOutcome(
    rows("Datum;Text;Betrag", "02.10.2026;a;-45,20", "15.10.2026;b;300,00", row),
    "EUR",
    { ...BOTH, skipped: ["total"] },
  ),
);

test("a shop named like an available balance is a line", () =>
  expectOutcome(
    rows("Datum;Text;Betrag", "02.10.2026;Verfügbarer Betrag GmbH;-45,20", "15.10.2026;b;300,00"),
    "EUR",
    BOTH,
  ));

test.each([
  ["Storno", "", "ja"],
  ["Storno", "nein", "ja"],
  ["Is Reversed", "false", "true"],
  ["Reversal flag", "N", "Y"],
  ["Stornato", "no", "si"],
  ["Extourne", "N", "O"],
  ["Generalumkehr", "", "X"],
])("a row that column %s flags (%j, %j) is asked about", async (column, no, yes) => {
  const table = (flag: string) =>
    rows(
      `Datum;Text;Betrag;${column}`,
      `02.10.2026;a;-45,20;${no}`,
      `15.10.2026;b;300,00;${no}`,
      `16.10.2026;c;-9,99;${flag}`,
    );
  await expectOutcome(table(yes), "EUR", { asks: "status" });
  const lines = [...(BOTH.lines ?? []), "10-16 -999"];
  await expectOutcome(table(no), "EUR", { lines });
});

test.each([
  ["sales and receipts", "Type", "SI", "SR"],
  ["purchases and payments", "Type", "PI", "PP"],
  ["sales and credit notes", "Document type", "SI", "SC"],
  ["journals", "Type", "JD", "JC"],
])("the directions of a ledger's codes are asked about: %s", (_, column, first, second) =>
  expectOutcome(
    rows(
      `${column},Date,Details,Amount`,
      `${first},2026-10-02,a,45.20`,
      `${second},2026-10-15,b,300`,
    ),
    "EUR",
    { asks: "sign_values" },
  ),
);

test("a ledger's codes with signed amounts, or one code alone, aren't asked about", async () => {
  const ledger = (first: string, amount: string) =>
    rows("Type,Date,Details,Amount", `${first},2026-10-02,a,${amount}`, "SI,2026-10-15,b,300.00");
  await expectOutcome(ledger("SR", "-45.20"), "EUR", BOTH);
  await expectOutcome(ledger("SI", "45.20"), "EUR", { lines: ["10-02 4520", "10-15 30000"] });
});

test("one status in all rows isn't a direction", () =>
  expectOutcome(
    rows("Date,Text,Amount,Status", "2026-10-02,a,-45.20,Sent", "2026-10-15,b,300.00,Sent"),
    "EUR",
    BOTH,
  ));

test("asks which currency is meant if those of payment and account differ", async () => {
  const table = (second: string) =>
    rows(
      "Date,Text,Amount,Transaction currency,Account currency",
      "2026-10-02,a,-45.20,EUR,EUR",
      `2026-10-15,b,300.00,${second},EUR`,
    );
  await expectOutcome(table("USD"), "EUR", { asks: "fields.currency" });
  await expectOutcome(table("EUR"), "EUR", BOTH);
});

test("the original currency, which has another amount, isn't asked about", () =>
  expectOutcome(
    rows(
      "Date,Text,Orig currency,Orig amount,Payment currency,Amount",
      "2026-10-02,a,USD,-50.00,EUR,-45.20",
      "2026-10-15,b,EUR,300.00,EUR,300.00",
    ),
    "EUR",
    BOTH,
  ));

test("a sentence below the heading of pending rows doesn't end them", () =>
  expectOutcome(
    rows(
      "Pending transactions",
      "These transactions may still change.",
      "Date;Text;Amount",
      "2026-10-20;c;-9,99",
      "Booked transactions",
      "2026-10-02;a;-45,20",
      "2026-10-15;b;300,00",
    ),
    "EUR",
    { ...BOTH, skipped: ["pending"] },
  ));

test("a long heading without the punctuation of a sentence ends pending rows", () =>
  expectOutcome(
    rows(
      "Pending transactions",
      "Date;Text;Amount",
      "2026-10-20;c;-9,99",
      "Current account of Jo Doe 1234",
      "2026-10-02;a;-45,20",
      "2026-10-15;b;300,00",
    ),
    "EUR",
    { ...BOTH, skipped: ["pending"], refused: [4] },
  ));

test("a card's payments and credits are negative, so the signs are asked about", () =>
  expectOutcome(
    rows(
      "Trans. Date,Post Date,Description,Amount,Category",
      "02/20/2026,02/20/2026,Shop,8.01,Merchandise",
      "02/20/2026,02/22/2026,Store,-52.42,Payments and Credits",
      "02/19/2026,02/19/2026,Chemist,25.24,Merchandise",
      "02/19/2026,02/19/2026,Films,101.92,Services",
    ),
    "USD",
    { asks: "amount_sign" },
  ));
