import { describe } from "vitest";
import { BOOKED, bal, CAMT, camt, check, ntry, on } from "../field-report-cases.test-support.ts";

describe("camt: days as XML Schema allows them", () => {
  check([
    [
      "an offset west of Greenwich",
      camt(ntry(BOOKED + on("2026-06-01-05:00"))),
      { lines: [[2500, "2026-06-01"]] },
    ],
    [
      "a time in the element of a day",
      camt(ntry(`${BOOKED}<ValDt><Dt>2026-06-01T00:00:00Z</Dt></ValDt>`)),
      { lines: [[2500, "2026-06-01"]] },
    ],
    [
      "midnight at the end of a leap day",
      camt(ntry(`${BOOKED}<ValDt><DtTm>2028-02-29T24:00:00</DtTm></ValDt>`)),
      { lines: [[2500, "2028-02-29"]] },
    ],
    [
      "fractions of seconds and an offset",
      camt(ntry(`${BOOKED}<BookgDt><DtTm>2026-06-01T23:59:59.999999+02:00</DtTm></BookgDt>`)),
      { lines: [[2500, "2026-06-01"]] },
    ],
    [
      "a day that there is not, with an offset",
      camt(ntry(BOOKED + on("2026-06-31+02:00"))),
      { lines: [], refused: 1, says: /BookgDt|not a date/ },
    ],
  ]);
});

describe("camt: the booking status of an entry", () => {
  const status = (text: string) => `<Sts><Prtry>${text}</Prtry></Sts>${on("2026-06-01")}`;
  const parties =
    "<NtryDtls><TxDtls><RltdPties><Dbtr><Nm>WE</Nm></Dbtr><Cdtr><Nm>THEY</Nm></Cdtr></RltdPties></TxDtls></NtryDtls>";
  check([
    [
      "booked in a bank's own words",
      camt(ntry(status("Gebucht"))),
      { lines: [[2500, "2026-06-01"]] },
    ],
    ["noted in a bank's own words", camt(ntry(status("VORGEMERKT"))), { lines: [], skipped: 1 }],
    [
      "words that say neither are refused",
      camt(ntry(status("CHECKED"))),
      { lines: [], refused: 1, says: /CHECKED/ },
    ],
    [
      "a reversal marked by 1, as XML Schema allows",
      camt(ntry(`<RvslInd>1</RvslInd>${BOOKED}${on("2026-06-01")}${parties}`)),
      { lines: [[2500, "2026-06-01"]], has: ['"reversal":true', '"counterparty":"THEY"'] },
    ],
  ]);
});

describe("camt: namespaces", () => {
  const body = ntry(BOOKED + on("2026-06-01"));
  check([
    [
      "STUZZA's of camt.052",
      camt(body, "ISO:camt.052.001.02:APC:STUZZA:payments:002", "EUR", "BkToCstmrAcctRpt", "Rpt"),
      { lines: [[2500, "2026-06-01"]] },
    ],
    ["ISO's with a bank's ending", camt(body, `${CAMT}_BANK`), { lines: [[2500, "2026-06-01"]] }],
    [
      "none, of a notification",
      camt(body, "", "EUR", "BkToCstmrDbtCdtNtfctn", "Ntfctn"),
      { lines: [[2500, "2026-06-01"]] },
    ],
    [
      "a bank's own",
      camt(body, "http://bank.example/statements"),
      { lines: [[2500, "2026-06-01"]] },
    ],
    [
      "a prefix that nobody declared",
      camt(body).replace("<Document", '<Document xsi:schemaLocation="a b"'),
      { lines: [[2500, "2026-06-01"]] },
    ],
    [
      "another message's",
      camt(body, "urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"),
      { lines: [], fileRefused: true, says: /pain\.001/ },
    ],
    [
      "version 11 of a report",
      camt(
        body,
        "urn:iso:std:iso:20022:tech:xsd:camt.052.001.11",
        "EUR",
        "BkToCstmrAcctRpt",
        "Rpt",
      ),
      { lines: [[2500, "2026-06-01"]] },
    ],
  ]);
});

describe("camt: entries in a currency other than their account's", () => {
  const balances = (from: string, until: string) =>
    bal("OPBD", from, "SEK") + bal("CLBD", until, "SEK");
  const usd = '<Amt Ccy="USD">10.00</Amt>';
  const details = (name: string, amount: string) =>
    `<AmtDtls><${name}><Amt Ccy="SEK">${amount}</Amt></${name}></AmtDtls>`;
  const sek = (entry: string, until: string) =>
    camt(balances("500.00", until) + entry, CAMT, "SEK");
  const booked = BOOKED + on("2026-06-01");
  check([
    [
      "a counter value, money out",
      sek(ntry(booked + details("CntrValAmt", "105.30"), usd, "DBIT"), "394.70"),
      { lines: [[-10530, "2026-06-01", "SEK"]], holds: true },
    ],
    [
      "in the only transaction's details",
      sek(
        ntry(`${booked}<NtryDtls><TxDtls>${details("TxAmt", "105.30")}</TxDtls></NtryDtls>`, usd),
        "605.30",
      ),
      { lines: [[10530, "2026-06-01", "SEK"]], holds: true },
    ],
    [
      "two transactions of a batch",
      sek(
        ntry(
          `${booked}<NtryDtls><TxDtls><Refs><EndToEndId>A</EndToEndId></Refs>${details("TxAmt", "5.30")}</TxDtls><TxDtls>${details("TxAmt", "100.00")}</TxDtls></NtryDtls>`,
          usd,
        ),
        "605.30",
      ),
      {
        lines: [
          [530, "2026-06-01", "SEK"],
          [10000, "2026-06-01", "SEK"],
        ],
        holds: true,
      },
    ],
    [
      "nowhere in the account's",
      sek(ntry(booked, usd), "605.30"),
      { lines: [[1000, "2026-06-01", "USD"]], holds: false },
    ],
    [
      "two amounts that differ",
      sek(
        ntry(
          `${booked}<AmtDtls><TxAmt><Amt Ccy="SEK">105.30</Amt></TxAmt><CntrValAmt><Amt Ccy="SEK">99.00</Amt></CntrValAmt></AmtDtls>`,
          usd,
        ),
        "605.30",
      ),
      { lines: [[1000, "2026-06-01", "USD"]], holds: false },
    ],
  ]);
});

describe("camt: what is booked, and when", () => {
  const notification = (inner: string) =>
    camt(ntry(inner), CAMT.replace("053", "054"), "EUR", "BkToCstmrDbtCdtNtfctn", "Ntfctn");
  check([
    [
      "an undated notification has its message's day",
      notification("<Sts>BOOK</Sts>"),
      { lines: [[2500, "2026-06-03"]] },
    ],
    [
      "a proprietary status in a word",
      camt(
        ntry(`<Sts><Prtry>Pending</Prtry></Sts>${on("2026-06-01")}`) +
          ntry(`<Sts><Prtry>BOOKED</Prtry></Sts>${on("2026-06-02")}`),
      ),
      { lines: [[2500, "2026-06-02"]], skipped: 1 },
    ],
    [
      "future and information, as text and as code",
      camt(
        ntry(`<Sts>FUTR</Sts>${on("2026-06-01")}`) +
          ntry(`<Sts><Cd>INFO</Cd></Sts>${on("2026-06-02")}`),
      ),
      { lines: [], skipped: 2 },
    ],
    [
      "a pending one of no known currency stands in no balance's way",
      camt(
        bal("OPBD", "1.00") +
          bal("CLBD", "1.00") +
          ntry("<Sts><Cd>PDNG</Cd></Sts>", '<Amt Ccy="XXQ">5</Amt>'),
      ),
      { lines: [], skipped: 1, holds: true },
    ],
    [
      "a status that nobody knows",
      camt(
        bal("OPBD", "1.00") +
          bal("CLBD", "1.00") +
          ntry(`<Sts><Cd>MAYB</Cd></Sts>${on("2026-06-01")}`),
      ),
      { lines: [], refused: 1, holds: false, says: /MAYB/ },
    ],
  ]);
});

describe("camt: the direction of a reversed entry", () => {
  const reversed = ntry(
    `<RvslInd>true</RvslInd>${BOOKED}${on("2026-06-01")}`,
    '<Amt Ccy="EUR">25.00</Amt>',
    "DBIT",
  );
  check([
    [
      "is its own, as the balances say",
      camt(bal("OPBD", "100.00") + reversed + bal("CLBD", "75.00")),
      { lines: [[-2500, "2026-06-01"]], holds: true },
    ],
    [
      "is that of the reversed payment, as the balances say: the file is refused",
      camt(bal("OPBD", "100.00") + reversed + bal("CLBD", "125.00")),
      { lines: [[-2500, "2026-06-01"]], fileRefused: true, says: /reversed entries contradict/ },
    ],
    [
      "is its own without balances",
      camt(reversed),
      { lines: [[-2500, "2026-06-01"]], holds: null },
    ],
  ]);
});
