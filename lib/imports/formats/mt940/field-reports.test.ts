import { describe } from "vitest";
import {
  BOOKED,
  bai2,
  bal,
  camt,
  check,
  mt940,
  ntry,
  on,
  to,
} from "../field-report-cases.test-support.ts";

describe("MT940: 30 February", () => {
  check([
    [
      "in a leap year",
      mt940(to("101,00"), ":61:2802300301C1,00NINTNONREF"),
      { lines: [[100, "2028-02-29"]], holds: true },
    ],
    [
      "29 February of another year",
      mt940(to("101,00"), ":61:2702290301C1,00NINTNONREF"),
      { lines: [[100, "2027-02-28"]], holds: true },
    ],
    [
      "as the entry date",
      mt940(to("99,00"), ":61:2603020230D1,00NCHGNONREF"),
      { lines: [[-100, "2026-03-02"]], holds: true },
    ],
    [
      "in a balance",
      mt940(":62F:C260230EUR101,00", ":61:260228C1,00NINTNONREF"),
      { lines: [[100, "2026-02-28"]], holds: true },
    ],
    [
      "31 February is none",
      mt940(to("101,00"), ":61:2602310301C1,00NINTNONREF"),
      { lines: [], refused: 1, holds: false, says: /260231/ },
    ],
  ]);
});

describe("MT940: end marks on the last field", () => {
  const envelope =
    "{1:F01BANKNL2AXXXX0000000000}{2:O9400000260602BANKNL2AXXXX00000000002606020000N}{4:";
  const line = ":61:260602D1,00NTRFNONREF";
  check([
    [
      "of an envelope, with the next one behind it",
      `${envelope}\r\n${mt940("").trim()}\r\n${line}\r\n${to("99,00")}-}{5:{CHK:1}}\r\n${envelope}\r\n${mt940(`${to("100,00")}-}`)}`,
      { lines: [[-100, "2026-06-02"]], statements: 2, holds: true },
    ],
    [
      "on the available balance",
      mt940(`${to("99,00")}\r\n:64:C260602EUR99,00-`, line),
      { lines: [[-100, "2026-06-02"]], holds: true },
    ],
    [
      "on the text behind the balance",
      mt940(`${to("99,00")}\r\n:86:SALDO PER 2 JUNI-}`, line),
      { lines: [[-100, "2026-06-02"]], holds: true },
    ],
    [
      "after a blank",
      mt940(`${to("99,00")} -`, line),
      { lines: [[-100, "2026-06-02"]], holds: true },
    ],
    [
      "a text that ends in a dash keeps it",
      mt940(`${to("99,00")}\r\n-`, line, ":86:HUUR JUNI -"),
      { lines: [[-100, "2026-06-02"]], holds: true, has: ["HUUR JUNI -"] },
    ],
    [
      "an unreadable last balance costs no line",
      mt940(":62F:C260602EUR99;00", line),
      { lines: [[-100, "2026-06-02"]], refused: 1, holds: false, says: /99;00/ },
    ],
    [
      "a balance of a tag that is none",
      mt940(":65F:Dnull7414,3", line),
      { lines: [[-100, "2026-06-02"]], refused: 1, holds: false },
    ],
    [
      "leading zeros",
      mt940(":62F:C260602EUR00000000000000000099,00", line),
      { lines: [[-100, "2026-06-02"]], holds: true },
    ],
  ]);
});

describe("MT940: text that looks like fields or subfields", () => {
  const line = ":61:260602D1,00NTRFNONREF";
  check([
    [
      "a time that begins like an account",
      mt940(to("99,00"), line, ":86:PINBETALING 02-06-2026 10", ":25:30 TERMINAL X9"),
      { lines: [[-100, "2026-06-02"]], holds: true, statements: 1, has: [":25:30 TERMINAL X9"] },
    ],
    [
      "a time that begins like a number of statement",
      mt940(to("99,00"), line, ":86:KAART 1234 OM 09", ":28:59 UUR"),
      { lines: [[-100, "2026-06-02"]], holds: true, has: [":28:59 UUR"] },
    ],
    [
      "a brace at the beginning",
      mt940(to("99,00"), line, ":86:FACTUUR", "{2026-17} BEDANKT"),
      { lines: [[-100, "2026-06-02"]], holds: true, has: ["{2026-17} BEDANKT"] },
    ],
    [
      "a percentage",
      mt940(to("99,00"), line, ":86:-10% KORTING OP FACTUUR"),
      { lines: [[-100, "2026-06-02"]], holds: true, has: ["-10% KORTING OP FACTUUR"] },
    ],
    [
      "a phone number behind three digits",
      mt940(to("99,00"), line, ":86:020-45678 BELLEN"),
      { lines: [[-100, "2026-06-02"]], holds: true, has: ["020-45678 BELLEN"] },
    ],
    [
      "a question mark before digits",
      mt940(to("99,00"), line, ":86:105?00LASTSCHRIFT?20WARUM?50 EUR ZUVIEL?32MAX"),
      {
        lines: [[-100, "2026-06-02"]],
        holds: true,
        has: ["WARUM?50 EUR ZUVIEL", '"counterparty":"MAX"'],
      },
    ],
    [
      "a message that begins although the last one lacks its balance",
      `${mt940(line).trim()}\r\n:86:TEXT\r\n${mt940(to("100,00"))}`,
      { lines: [[-100, "2026-06-02"]], refused: 1, holds: false, statements: 2 },
    ],
  ]);
});

describe("MT940 with noted items", () => {
  const booked = mt940(`${to("99,00")}\r\n-`, ":61:260602D1,00NTRFNONREF");
  const noted = (...head: string[]) =>
    [
      ":20:DISPO",
      ":25:NL00BANK0123456789",
      ":28C:7/2",
      ...head,
      ":61:260603D7,77NTRFNONREF",
      ":86:VORMERKUNG",
    ].join("\r\n");
  check([
    [
      "before the statement",
      `${noted(":34F:EUR0,")}\r\n-\r\n${booked}`,
      { lines: [[-100, "2026-06-02"]], skipped: 1, holds: true, statements: 1 },
    ],
    [
      "with a time alone",
      `${booked}${noted(":13D:2606031905+0200")}\r\n-\r\n`,
      { lines: [[-100, "2026-06-02"]], skipped: 1, holds: true, statements: 1 },
    ],
    [
      "without any mark",
      `${booked}${noted()}\r\n:90D:1EUR7,77\r\n-`,
      { lines: [[-100, "2026-06-02"]], skipped: 1, holds: true, statements: 1 },
    ],
    [
      "in an envelope of 942",
      `{1:F01BANK}{2:O9400000}{4:\r\n${booked.trimEnd()}}\r\n{1:F01BANK}{2:O9420000}{4:\r\n${noted()}\r\n-}\r\n`,
      { lines: [[-100, "2026-06-02"]], skipped: 1, holds: true, statements: 1 },
    ],
    [
      "by the name of German banks, first in the file",
      `${noted().replace(":20:DISPO", ":20:STARTDISPE")}\r\n-\r\n${booked}`,
      { lines: [[-100, "2026-06-02"]], skipped: 1, holds: true, statements: 1 },
    ],
    [
      "none of them, only the empty report",
      `${booked}:20:DISPO\r\n:25:1\r\n:28C:7/2\r\n:34F:EURD0,\r\n:13:2606031905\r\n:90D:0EUR0,\r\n:90C:0EUR0,\r\n-\r\n`,
      { lines: [[-100, "2026-06-02"]], holds: true, statements: 1 },
    ],
    [
      "an interim report alone is read",
      `${noted(":34F:EURD0,", ":13D:2606031905+0200")}\r\n:90D:1EUR7,77\r\n-`,
      { lines: [[-777, "2026-06-03"]] },
    ],
  ]);
});

describe("MT940: blanks, types and amounts of field 61", () => {
  check([
    [
      "blanks on both sides of the amount",
      mt940(to("87,50"), ":61:2606020602D 12,50 NTRFNONREF"),
      { lines: [[-1250, "2026-06-02"]], holds: true },
    ],
    [
      "blanks for the entry date of a reversal",
      mt940(to("112,50"), ":61:260602    RD12,50NTRFNONREF"),
      { lines: [[1250, "2026-06-02"]], holds: true },
    ],
    [
      "a type of one letter",
      mt940(to("112,50"), ":61:2606020602CR12,50N   REF 1//B2"),
      { lines: [[1250, "2026-06-02"]], holds: true, has: ['"REF 1"', '"B2"'] },
    ],
    [
      "another type than S, N and F",
      mt940(to("99,58"), ":61:2606020602D0,42MCI0NONREF//0550"),
      { lines: [[-42, "2026-06-02"]], holds: true },
    ],
    [
      "no type at all",
      mt940(to("87,50"), ":61:2606020602D12,50//BANK9"),
      { lines: [[-1250, "2026-06-02"]], holds: true, has: ["BANK9"] },
    ],
    [
      "no comma, a type behind it",
      mt940(to("3100"), ":61:2606020602CR3000NTRFINV9"),
      { lines: [[300000, "2026-06-02"]], holds: true },
    ],
    [
      "no comma in any balance",
      mt940(to("90").replace("100,00", "100"), ":61:2606020602D10NCHK77"),
      { lines: [[-1000, "2026-06-02"]], holds: true },
    ],
    [
      "nothing before the comma",
      mt940(to("99,50"), ":61:2606020602D,50NCHGNONREF"),
      { lines: [[-50, "2026-06-02"]], holds: true },
    ],
    [
      "a break before the amount",
      mt940(to("130,00"), ":61:2606020602CR", "30,00N062NONREF"),
      { lines: [[3000, "2026-06-02"]], holds: true },
    ],
    [
      "a point is no comma",
      mt940(to("87,50"), ":61:2606020602D12.50NTRFNONREF"),
      { lines: [], refused: 1, holds: false, says: /12\.50/ },
    ],
    [
      "letters within the amount",
      mt940(to("87,50"), ":61:2606020602D1O,50NTRFNONREF"),
      { lines: [], refused: 1, holds: false },
    ],
  ]);
});

describe("MT940: unknown currencies and refusals that cancel out", () => {
  const inCurrency = (code: string) =>
    mt940(to("90,00", code), ":61:260602D10,00NTRFNONREF").replaceAll("EUR", code);
  check([
    ["offshore renminbi", inCurrency("CNH"), { lines: [], refused: 3, holds: false, says: /CNH/ }],
    [
      "a mark that is no more",
      inCurrency("DEM"),
      { lines: [], refused: 3, holds: false, says: /DEM/ },
    ],
    ["a coin", inCurrency("BTC"), { lines: [], refused: 3, holds: false, says: /BTC/ }],
    [
      "known in the closing balance alone",
      mt940(to("90,00"), ":61:260602D10,00NTRFNONREF").replace("EUR100", "EUX100"),
      { lines: [], refused: 2, holds: false, says: /EUX/ },
    ],
    [
      "unreadable, though its currency is there",
      mt940(to("90,00"), ":61:260602D10,00NTRFNONREF").replace("EUR100,00", "EUR1OO,OO"),
      { lines: [[-1000, "2026-06-02"]], refused: 1, holds: false },
    ],
    [
      "two lines that cancel out",
      mt940(to("100,00"), ":61:260602D1x,00NTRFA", ":61:260602C1x,00NTRFB"),
      { lines: [], refused: 2, holds: false },
    ],
    [
      "two days that are none",
      mt940(to("100,00"), ":61:261302D1,00NTRFA", ":61:261302C1,00NTRFB"),
      { lines: [], refused: 2, holds: false },
    ],
    [
      "of camt",
      camt(
        bal("OPBD", "5.00") +
          bal("CLBD", "5.00") +
          ntry(BOOKED + on("soon")) +
          ntry(BOOKED + on("late"), undefined, "DBIT"),
      ),
      { lines: [], refused: 2, holds: false },
    ],
    [
      "of BAI2",
      bai2(
        "02,1,2,1,260601,,EUR,2/",
        "03,7,,010,500,,,015,500,,/",
        "16,175,x,Z,,A/",
        "16,475,x,Z,,B/",
        "49,1000,4/",
        "98,1000,1,6/",
        "99,1000,1,8/",
      ),
      { lines: [], refused: 2, holds: false },
    ],
  ]);
});
