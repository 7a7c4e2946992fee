/**
 * The money columns of a table are read correctly, asked about, or refused, and never read
 * incorrectly.
 */
import { expect, test } from "vitest";
import type { Mapping } from "../mapping.ts";
import { expectOutcome, imported, type Outcome, rows } from "./csv-outcome.test-support.ts";

test.each<[string, string, string, Outcome]>([
  [
    "withdrawals are written with a minus throughout",
    rows(
      "Fecha;Concepto;Cargo;Abono",
      "13/03/2026;a;-10,00;",
      "14/03/2026;b;;20,00",
      "15/03/2026;c;-5,00;",
    ),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000", "03-15 -500"] },
  ],
  [
    "credits are written with a minus throughout",
    rows(
      "Buchungstag;Text;Soll;Haben",
      "13.03.2026;a;10,00;",
      "14.03.2026;b;;-20,00",
      "15.03.2026;c;;-5,00",
    ),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000", "03-15 500"] },
  ],
  [
    "both columns are negative",
    rows(
      "Date,Text,Money Out,Money In",
      "2026-03-13,a,-10.00,",
      "2026-03-14,b,,-20.00",
      "2026-03-15,c,-5.00,",
    ),
    "GBP",
    { lines: ["03-13 -1000", "03-14 2000", "03-15 -500"] },
  ],
  [
    "a lone minus comes first, without a balance",
    rows(
      "Data;Opis;Obciążenia;Uznania",
      "13.03.2026;zwrot;-10,00;",
      "14.03.2026;b;20,00;",
      "15.03.2026;c;5,00;",
      "16.03.2026;c;7,00;",
    ),
    "PLN",
    { lines: ["03-13 1000", "03-14 -2000", "03-15 -500", "03-16 -700"] },
  ],
  [
    "as many debits with a minus as without, and no balance",
    rows("Date,Text,Debit,Credit", "2026-03-13,a,-10.00,", "2026-03-14,b,20.00,"),
    "USD",
    { asks: "debit_sign" },
  ],
  [
    "as many debits with a minus as without, newest first, with a balance of what is there",
    rows(
      "Date,Text,Debit,Credit,Balance",
      "2026-03-15,c,,5.00,95.00",
      "2026-03-14,b,20.00,,90.00",
      "2026-03-13,a,-10.00,,110.00",
    ),
    "USD",
    { lines: ["03-15 500", "03-14 -2000", "03-13 1000"] },
  ],
  [
    "a balance of what is owed rises with debits",
    rows(
      "Date,Text,Charge Debit,Debit,Credit,Balance",
      "2026-03-13,a,,10.00,,110.00",
      "2026-03-14,b,,,20.00,90.00",
      "2026-03-15,c,,5.00,,95.00",
    ),
    "USD",
    { lines: ["03-13 -1000", "03-14 2000", "03-15 -500"] },
  ],
])("debit and credit columns are read by the whole column: %s", (_, text, currency, outcome) =>
  expectOutcome(text, currency, outcome),
);

test.each<[string, string, string, Outcome]>([
  [
    "Soll and Haben",
    rows("Datum;Betrag;Art", "13.03.2026;10,00;Soll", "14.03.2026;20,00;Haben"),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "S and H in a column of an unknown name",
    rows("Datum;Betrag;xyz", "13.03.2026;10,00;S", "14.03.2026;20,00;H"),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "Ut and In",
    rows("Datum;Text;Belopp;Riktning", "2026-03-13;a;10,00;Ut", "2026-03-14;b;20,00;In"),
    "SEK",
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "plus and minus signs in a column",
    rows("date,sum,+/-", "2026-03-13,10.00,-", "2026-03-14,20.00,+"),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "Débit and Crédit with capitals and accents",
    rows("Date;Montant;Sens", "13/03/2026;10,00;DÉBIT", "14/03/2026;20,00;CRÉDIT"),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "Money out and Money in",
    rows("Date,Amount,Flow", "2026-03-13,10.00,Money out", "2026-03-14,20.00,money in"),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "payments only",
    rows("Date,Amount,Type", "2026-03-13,10.00,Debit", "2026-03-14,20.00,Debit"),
    "EUR",
    { lines: ["03-13 -1000", "03-14 -2000"] },
  ],
  [
    "an unknown word among known ones",
    rows(
      "Date,Amount,Type",
      "2026-03-13,10.00,Withdrawal",
      "2026-03-14,20.00,Deposit",
      "2026-03-15,5.00,Interest",
    ),
    "USD",
    { asks: "sign_values" },
  ],
  [
    "a word that nobody knows, which the balance explains",
    rows(
      "Date,Amount,Type,Balance",
      "2026-03-13,10.00,Withdrawal,90.00",
      "2026-03-14,20.00,Deposit,110.00",
      "2026-03-15,5.00,Interest,115.00",
    ),
    "USD",
    { lines: ["03-13 -1000", "03-14 2000", "03-15 500"] },
  ],
  [
    "the sign agrees with the column",
    rows("Date,Amount,Type", "2026-03-13,-10.00,Debit", "2026-03-14,20.00,Credit"),
    "EUR",
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "the sign disagrees with the column",
    rows("Date,Amount,Type", "2026-03-13,10.00,Debit", "2026-03-14,-20.00,Debit"),
    "EUR",
    { asks: "amount_sign" },
  ],
  [
    "the sign disagrees with the column, and the balance says why",
    rows(
      "Date,Amount,Type,Balance",
      "2026-03-12,50.00,Credit,150.00",
      "2026-03-13,10.00,Debit,140.00",
      "2026-03-14,-20.00,Debit,160.00",
    ),
    "EUR",
    { lines: ["03-12 5000", "03-13 -1000", "03-14 2000"] },
  ],
  [
    "the kind of a card is no direction",
    rows("Date,Amount,Card Funding", "2026-03-13,10.00,debit", "2026-03-14,20.00,credit"),
    "EUR",
    { lines: ["03-13 1000", "03-14 2000"] },
  ],
])("a direction column is recognised by its values: %s", (_, text, currency, outcome) =>
  expectOutcome(text, currency, outcome),
);

test.each<[string, string, Outcome]>([
  [
    "en attente",
    rows(
      "Date;Libellé;Montant;Statut",
      "13/03/2026;a;-10,00;Comptabilisé",
      "14/03/2026;b;-5,00;En attente",
    ),
    { lines: ["03-13 -1000"], skipped: ["pending"] },
  ],
  [
    "pendiente and rechazada",
    rows(
      "Fecha;Concepto;Importe;Estado",
      "13/03/2026;a;-10,00;Completada",
      "14/03/2026;b;-5,00;Pendiente",
      "15/03/2026;c;-6,00;Rechazada",
    ),
    { lines: ["03-13 -1000"], skipped: ["pending", "declined"] },
  ],
  [
    "nicht gebucht, in a column of another name",
    rows(
      "Datum;Zweck;Betrag;Hinweis",
      "13.03.2026;a;-10,00;Umsatz gebucht",
      "14.03.2026;b;-5,00;noch nicht gebucht",
    ),
    { lines: ["03-13 -1000"], skipped: ["pending"] },
  ],
  [
    "in behandeling and mislukt",
    rows(
      "Datum;Omschrijving;Bedrag;Status",
      "13-03-2026;a;-10,00;Verwerkt",
      "14-03-2026;b;-5,00;In behandeling",
      "15-03-2026;b;-5,00;Mislukt",
    ),
    { lines: ["03-13 -1000"], skipped: ["pending", "declined"] },
  ],
  [
    "authorised only",
    rows(
      "Date,Text,Amount,Transaction status",
      "2026-03-13,a,-10.00,Settled",
      "2026-03-14,b,-5.00,Authorised",
    ),
    { lines: ["03-13 -1000"], skipped: ["pending"] },
  ],
  [
    "a word that nobody knows",
    rows("Date,Text,Amount,Status", "2026-03-13,a,-10.00,Posted", "2026-03-14,b,-5.00,Zanzibar"),
    { asks: "status" },
  ],
  [
    "two words that nobody knows",
    rows("Date,Text,Amount,Status", "2026-03-13,a,-10.00,Alpha", "2026-03-14,b,-5.00,Beta"),
    { asks: "status" },
  ],
  [
    "a flag",
    rows("Date,Text,Amount,Pending", "2026-03-13,a,-10.00,false", "2026-03-14,b,-5.00,true"),
    { lines: ["03-13 -1000"], skipped: ["status"] },
  ],
  [
    "nothing but pending rows",
    rows("Date,Text,Amount,Status", "2026-03-13,a,-10.00,Pending", "2026-03-14,b,-5.00,Pending"),
    { skipped: ["pending", "pending"] },
  ],
  [
    "the states of an address",
    rows("Date,Text,Amount,State", "2026-03-13,a,-10.00,CA", "2026-03-14,b,-5.00,NY"),
    { lines: ["03-13 -1000", "03-14 -500"] },
  ],
])("only booked rows are lines: %s", (_, text, outcome) => expectOutcome(text, "EUR", outcome));

test.each<[string, string, Outcome]>([
  [
    "the balance moves by amount less fee",
    rows(
      "Datum;Betrag;Gebühr;Saldo",
      "13.03.2026;-10,00;1,00;89,00",
      "14.03.2026;20,00;0,50;108,50",
      "15.03.2026;5,00;0,00;113,50",
    ),
    { lines: ["03-13 -1100", "03-14 1950", "03-15 500"] },
  ],
  [
    "the fee is written with a minus",
    rows(
      "Date,Amount,Commission,Balance",
      "2026-03-13,-10.00,-1.00,89.00",
      "2026-03-14,20.00,-0.50,108.50",
    ),
    { lines: ["03-13 -1100", "03-14 1950"] },
  ],
  [
    "the fee is in the amount already",
    rows(
      "Date;Montant;Frais;Solde",
      "13/03/2026;-11,00;1,00;89,00",
      "14/03/2026;19,50;0,50;108,50",
    ),
    { lines: ["03-13 -1100", "03-14 1950"] },
  ],
  [
    "no balance says",
    rows("Date,Amount,Fee", "2026-03-13,-10.00,1.00", "2026-03-14,20.00,0.50"),
    { asks: "fee_handling" },
  ],
  [
    "gross, fee and net",
    rows("Date,Gross,Fee,Net", "2026-03-13,10.00,1.00,9.00", "2026-03-14,20.00,0.50,19.50"),
    { lines: ["03-13 900", "03-14 1950"] },
  ],
  [
    "no fee was taken",
    rows("Date,Amount,Fee", "2026-03-13,-10.00,0.00", "2026-03-14,20.00,"),
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
])("a fee is determined by the balance, or becomes a question: %s", (_, text, outcome) =>
  expectOutcome(text, "EUR", outcome),
);

test.each<[string, string, string, Outcome]>([
  [
    "H and S behind",
    rows("Datum;Betrag", '13.03.2026;"1.010,00 S"', '14.03.2026;"20,00 H"'),
    "EUR",
    { lines: ["03-13 -101000", "03-14 2000"] },
  ],
  [
    "CR in brackets and before",
    rows(
      "Date,Amount",
      "13/03/2026,£10.00 (CR)",
      '14/03/2026,"cr £1,020.00"',
      "15/03/2026,DR £5.00",
    ),
    "GBP",
    { lines: ["03-13 1000", "03-14 102000", "03-15 -500"] },
  ],
  [
    "only CR is marked",
    rows("Date,Amount", "13/03/2026,10.00", "14/03/2026,20.00CR", "15/03/2026,5.00"),
    "GBP",
    { lines: ["03-13 -1000", "03-14 2000", "03-15 -500"] },
  ],
  [
    "narrow blanks and a minus behind",
    rows("Date;Montant", "13/03/2026;1\u202F010,00-\u00A0€", "14/03/2026;€\u00A020,00"),
    "EUR",
    { lines: ["03-13 -101000", "03-14 2000"] },
  ],
  [
    "kr before",
    rows("Dato;Beløb", "13.03.2026;kr. -10,00", "14.03.2026;kr 1.020,00"),
    "DKK",
    { lines: ["03-13 -1000", "03-14 102000"] },
  ],
  [
    "kr in the books of another currency",
    rows("Dato;Beløb", "13.03.2026;kr. -10,00", "14.03.2026;kr 1.020,00"),
    "EUR",
    { asks: "currency" },
  ],
  [
    "pounds in the books of another currency",
    rows("Date,Amount", "13/03/2026,-£10.00", "14/03/2026,£20.00"),
    "EUR",
    { lines: ["03-13 -1000 GBP", "03-14 2000 GBP"] },
  ],
  [
    "a code before each amount",
    rows("Date,Amount", "13/03/2026,USD -10.00", "14/03/2026,EUR 20.00"),
    "EUR",
    { lines: ["03-13 -1000 USD", "03-14 2000"] },
  ],
  [
    "in the header, in brackets",
    rows("Datum;Umsatz [CHF]", "13.03.2026;-10,00", "14.03.2026;20,00"),
    "EUR",
    { lines: ["03-13 -1000 CHF", "03-14 2000 CHF"] },
  ],
  [
    "in the header of debits and credits",
    rows("Date;Débit CHF;Crédit CHF", "13.03.2026;10.00;", "14.03.2026;;20.00"),
    "EUR",
    { lines: ["03-13 -1000 CHF", "03-14 2000 CHF"] },
  ],
  [
    "in a column of an unknown name",
    rows("Date;Amount;Qq", "2026-03-13;-10.00;SEK", "2026-03-14;20.00;NOK"),
    "EUR",
    { lines: ["03-13 -1000 SEK", "03-14 2000 NOK"] },
  ],
])("marks and currencies next to an amount are never dropped: %s", (_, text, currency, outcome) =>
  expectOutcome(text, currency, outcome),
);

test.each<[string, string, Outcome]>([
  [
    "a row that breaks it, oldest first",
    rows(
      "Date,Amount,Balance",
      "2026-03-13,10.00,110.00",
      "2026-03-14,20.00,130.00",
      "2026-03-15,5.00,136.00",
      "2026-03-16,4.00,140.00",
    ),
    { lines: ["03-13 1000", "03-14 2000", "03-15 500", "03-16 400"], warns: /Row 4/ },
  ],
  [
    "a row that breaks it, newest first",
    rows(
      "Datum;Betrag;Kontostand",
      "16.03.2026;4,00;139,00",
      "15.03.2026;5,00;136,00",
      "14.03.2026;20,00;130,00",
      "13.03.2026;10,00;110,00",
    ),
    { lines: ["03-16 400", "03-15 500", "03-14 2000", "03-13 1000"], warns: /Row 2/ },
  ],
  [
    "balances of two accounts",
    rows(
      "Account,Date,Amount,Balance",
      "A,2026-03-13,10.00,110.00",
      "B,2026-03-13,1.00,11.00",
      "A,2026-03-14,20.00,130.00",
      "B,2026-03-14,1.00,12.00",
    ),
    {
      lines: ["03-13 1000", "03-13 100", "03-14 2000", "03-14 100"],
      warns: /^Column "Account" names several accounts/,
    },
  ],
  [
    "an opening and a closing balance that fit",
    rows(
      "Opening balance,100.00",
      "Date,Amount",
      "2026-03-13,10.00",
      "2026-03-14,-20.00",
      "Closing balance,90.00",
    ),
    { lines: ["03-13 1000", "03-14 -2000"], skipped: ["total"], balance: true },
  ],
  [
    "an opening and a closing balance that don't",
    rows(
      "Anfangssaldo;100,00;EUR",
      "Endsaldo;91,00;EUR",
      "Datum;Betrag",
      "13.03.2026;10,00",
      "14.03.2026;-20,00",
    ),
    { lines: ["03-13 1000", "03-14 -2000"], balance: false },
  ],
  [
    "a balance carried forward in a row of the table",
    rows(
      "Date,Description,Amount,Balance",
      "2026-03-12,Balance brought forward,,100.00",
      "2026-03-13,a,10.00,110.00",
    ),
    { lines: ["03-13 1000"], skipped: ["total"] },
  ],
  [
    "positive amounts by which the balance falls",
    rows(
      "Date,Amount,Balance",
      "2026-03-13,10.00,90.00",
      "2026-03-14,20.00,70.00",
      "2026-03-15,-5.00,75.00",
    ),
    { asks: "amount_sign" },
  ],
])("balances are checked row by row: %s", (_, text, outcome) =>
  expectOutcome(text, "EUR", outcome),
);

test.each<[string, string, Outcome]>([
  ["a header alone", rows("Datum;Verwendungszweck;Betrag"), {}],
  ["a header under a preamble", rows("Account,1234", "", "Date,Description,Amount"), {}],
  [
    "empty cells left out at a row's end",
    rows(
      "Date,Text,Amount,Note,Tag",
      "2026-03-13,a,10.00",
      "2026-03-14,b,20.00,,x",
      "2026-03-15,c",
    ),
    { lines: ["03-13 1000", "03-14 2000"], refused: [4] },
  ],
  [
    "days that are in order one way only",
    rows("Date,Amount", "03/02/2026,1.00", "04/02/2026,2.00", "01/03/2026,3.00", "02/03/2026,4.00"),
    { lines: ["02-03 100", "02-04 200", "03-01 300", "03-02 400"] },
  ],
  [
    "two columns without names of which each row has one",
    rows(
      "2026-03-13,a,10.00,,90.00",
      "2026-03-14,b,,20.00,110.00",
      "2026-03-15,c,5.00,,105.00",
      "2026-03-16,c,5.50,,99.50",
    ),
    { lines: ["03-13 -1000", "03-14 2000", "03-15 -500", "03-16 -550"] },
  ],
])("tables are read as far as they go: %s", (_, text, outcome) =>
  expectOutcome(text, "EUR", outcome),
);

test("a file is read with the answer to its question in the mapping", async () => {
  const text = rows(
    "Date,Text,Amount,Status",
    "2026-03-13,a,-10.00,Posted",
    "2026-03-14,b,-5.00,Zanzibar",
  );
  const preview = await imported(text, "EUR");
  const [booked, skipped] = preview.question?.choices.map(({ value }) => JSON.parse(value)) ?? [];
  await expectOutcome(
    text,
    "EUR",
    { lines: ["03-13 -1000", "03-14 -500"] },
    { fields: {}, status: booked },
  );
  await expectOutcome(
    text,
    "EUR",
    { lines: ["03-13 -1000"], skipped: ["status"] },
    { fields: {}, status: skipped },
  );
});

test("refuses a row with an unknown status beyond the first MiB", async () => {
  const many = Array.from(
    { length: 40_000 },
    (_, nth) => `2026-03-13,line ${nth} of many,-1.00,Posted`,
  );
  const text = rows("Date,Text,Amount,Status", ...many, "2026-03-14,b,-5.00,Zanzibar");
  const { lines, refused } = await imported(text, "EUR");
  expect(lines).toHaveLength(40_000);
  expect(refused).toEqual([40_002]);
});

test("reads a saved mapping without settings for amounts", async () => {
  const saved: Mapping = {
    fields: { booked_date: "Datum", amount: "Betrag", sign: "S/H" },
    date_format: "DD.MM.YYYY",
    decimal_separator: ",",
    delimiter: ";",
  };
  const text = rows("Datum;Betrag;S/H", "13.03.2026;10,00;S", "14.03.2026;20,00;H");
  await expectOutcome(text, "EUR", { lines: ["03-13 -1000", "03-14 2000"] }, saved);
});

test.each<[string, string, Outcome]>([
  [
    "a word where the day will be",
    rows("Date,Text,Amount", "Pending,a,-5.00", "13/03/2026,b,-10.00", "14/03/2026,c,-1.00"),
    { lines: ["03-13 -1000", "03-14 -100"], skipped: ["pending"] },
  ],
  [
    "a currency that nobody has any more",
    rows("Date,Text,Amount,Currency", "2010-03-13,a,-5.00,LTL"),
    { refused: [2] },
  ],
  [
    "a purchase currency, with a header that names the account's",
    rows("Date;Text;Amount (EUR);Fremdwährung", "2026-03-13;a;-5,00;USD"),
    { lines: ["03-13 -500"] },
  ],
  [
    "a currency named above the table",
    rows("Account currency:;CHF", "Date;Text;Amount", "2026-03-13;a;-5,00"),
    { lines: ["03-13 -500 CHF"] },
  ],
  [
    "a minus in the only column of amounts, called Inflow",
    rows("Date;Payee;Inflow", "18.03.2026;a;-33,87", "19.03.2026;b;-1,00"),
    { asks: "credit_sign" },
  ],
  [
    "empty debit and credit columns with a filled amount",
    rows("Date,Amount,Debit,Credit", "2026-03-13,-10.00,,", "2026-03-14,20.00,,"),
    { lines: ["03-13 -1000", "03-14 2000"] },
  ],
  [
    "two columns of one name",
    rows("Date,Amount,Amount", "2026-03-13,10.00,11.00"),
    { asks: "fields.amount" },
  ],
  [
    "payments whose kind says direct debit",
    rows("Date,Amount,Type", "2026-03-13,10.00,Direct Debit", "2026-03-14,20.00,Bank Credit"),
    { asks: "sign_values" },
  ],
])("real files are read, asked about or refused: %s", (_, text, outcome) =>
  expectOutcome(text, "EUR", outcome),
);

test("a file is refused if its amounts have no sign and its balance moves both ways", async () => {
  const text = rows(
    "Date,Amount,Balance",
    "2026-03-13,10.00,90.00",
    "2026-03-14,20.00,110.00",
    "2026-03-15,5.00,105.00",
  );
  await expect(imported(text, "EUR")).rejects.toMatchObject({
    errors: [{ message: expect.stringMatching(/don't say debit or credit/) }],
  });
});
