import { describe } from "vitest";
import { bai2, check, type Expected } from "../field-report-cases.test-support.ts";

/** An account from 10.00 to `closing` on 1 June, with these entries. */
const account = (closing: string, ...entries: string[]) =>
  `02,1,2,1,260601,,EUR,2/\n03,7,EUR,010,1000,,,015,${closing},,/\n${entries.join("\n")}\n49,0,1/\n98,0,1,1/`;
/** Entries of today so far, of an account. */
const todayOf = (number: string, ...entries: string[]) =>
  `02,1,2,1,260602,,EUR,3/\n03,${number},EUR,,,,/\n${entries.join("\n")}\n49,0,1/\n98,0,1,1/`;
const END = "99,0,1,1/";
const RENT = "16,475,100,Z,B1,C1,RENT/";
const SALE = "16,165,500,Z,B2,C2,SALE/";

describe("BAI2: a type code of totals in an entry", () => {
  check([
    [
      "repeats the entries, as the balances say",
      bai2(account("1400", "16,100,500,,,/", SALE, "16,400,100,,,/", RENT), END),
      {
        lines: [
          [500, "2026-06-01"],
          [-100, "2026-06-01"],
        ],
        skipped: 2,
        holds: true,
      },
    ],
    [
      "is an entry, as the balances say",
      bai2(account("1500", "16,190,500,Z,B2,C2,WIRE/"), END),
      { lines: [[500, "2026-06-01"]], holds: true, has: ["WIRE"] },
    ],
    [
      "is refused if the balances agree with neither",
      bai2(account("1700", "16,110,500,,,/", SALE), END),
      { lines: [[500, "2026-06-01"]], refused: 1, holds: false, says: /of a total.*"110"/ },
    ],
    [
      "is refused without balances",
      bai2(account("", "16,110,500,,,/", SALE), END),
      { lines: [[500, "2026-06-01"]], refused: 1, says: /of a total/ },
    ],
    [
      "is the payment of a loan that has no parts",
      bai2(account("", "16,720,500,Z,L1,,PAYMENT/"), END),
      { lines: [[500, "2026-06-01"]] },
    ],
    [
      "is refused next to the parts of a loan's payment",
      bai2(account("", "16,720,500,Z,L1,,PAYMENT/", "16,721,500,Z,L1,,INTEREST/"), END),
      { lines: [[500, "2026-06-01"]], refused: 1 },
    ],
  ]);
});

describe("BAI2: entries of today so far", () => {
  const today = todayOf("7", "16,475,777,Z,B9,,CARD/");
  const todayOfOther = todayOf("8", "16,475,777,Z,B9,,CARD/");
  check([
    [
      "are skipped next to a finished day",
      bai2(account("900", RENT), today, END),
      { lines: [[-100, "2026-06-01"]], skipped: 1, holds: true },
    ],
    ["are read in a file without other days", bai2(today, END), { lines: [[-777, "2026-06-02"]] }],
    [
      "are read next to a finished day of another account",
      bai2(account("900", RENT), todayOfOther, END),
      {
        lines: [
          [-100, "2026-06-01"],
          [-777, "2026-06-02"],
        ],
        warns: /several accounts/,
      },
    ],
    [
      "are read in front of a finished day of another account",
      bai2(todayOfOther, account("900", RENT), END),
      {
        lines: [
          [-777, "2026-06-02"],
          [-100, "2026-06-01"],
        ],
        warns: /several accounts/,
      },
    ],
    [
      "are skipped in a group with other accounts",
      bai2(account("900", RENT), todayOfOther, today, END),
      {
        lines: [
          [-100, "2026-06-01"],
          [-777, "2026-06-02"],
        ],
        skipped: 1,
        warns: /several accounts/,
      },
    ],
    [
      "refuse the file in front of a finished day",
      bai2(today, account("900", RENT), END),
      { lines: [[-777, "2026-06-02"]], fileRefused: true, says: /in two files/ },
    ],
  ]);
});

describe("BAI2: a balance that an account states twice", () => {
  check([
    [
      "differs",
      bai2(account("1000,,,010,1100", RENT), END),
      { lines: [[-100, "2026-06-01"]], holds: false },
    ],
    [
      "is the same",
      bai2(account("900,,,010,1000", RENT), END),
      { lines: [[-100, "2026-06-01"]], holds: true },
    ],
  ]);
});

describe("BAI2: a date of six digits", () => {
  const created = (day: string) => `01,111,222,${day},0700,1,,,2/\n`;
  const group = (day: string) =>
    `02,1,2,1,${day},,EUR,2/\n03,7,EUR,,,,/\n${RENT}\n49,0,1/\n98,0,1,1/\n${END}`;
  const isRefused: Expected = {
    lines: [],
    refused: 2,
    says: /can be read as 20.*as 2026-06-01/,
  };
  check([
    ["is MMDDYY, like the header", created("060226") + group("060126"), isRefused],
    ["is MMDDYY, unlike the header", created("260602") + group("060126"), isRefused],
    [
      "is MMDDYY, and no day as YYMMDD",
      created("112726") + group("112626"),
      { lines: [], refused: 2, says: /not a date/ },
    ],
    [
      "is an old YYMMDD, whose other reading is far from the header's",
      created("060321") + group("060317"),
      { lines: [[-100, "2006-03-17"]] },
    ],
    [
      "of availability is MMDDYY",
      bai2(account("", "16,475,100,V,060126,,B1,C1,RENT/"), END),
      { lines: [], refused: 1, says: /funds type.*V,060126/ },
    ],
    [
      "is the same in both orders",
      created("060606") + group("060606"),
      { lines: [[-100, "2006-06-06"]] },
    ],
  ]);
});
