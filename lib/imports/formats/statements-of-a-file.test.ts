/** Several statements in one file: of several accounts, on several days, and the same one twice. */
import { describe } from "vitest";
import {
  BOOKED,
  bai2,
  bal,
  camt,
  check,
  mt940,
  ntry,
  ofx,
  on,
  stmttrn,
  to,
} from "./field-report-cases.test-support.ts";

const ENTRY = ":61:260602D1,00NTRFNONREF";
const BODY = bal("OPBD", "5.00") + ntry(BOOKED + on("2026-06-02")) + bal("CLBD", "30.00");
const twice = (second: string) =>
  camt(BODY).replace("</Stmt>", `</Stmt><Stmt><Id>S</Id>${second}</Stmt>`);
const camtAccount = (id: string) =>
  `<Acct><Id><Othr><Id>${id}</Id></Othr></Id><Ccy>EUR</Ccy></Acct>`;
const bai2Account = (id: string, opening = "1000", closing = "900") =>
  `03,${id},EUR,010,${opening},,,015,${closing},,/\n16,475,100,Z,B1,C1,RENT/\n49,0,1/`;
const bai2Group = (day: string, ...accounts: string[]) =>
  [`02,1,2,1,${day},,EUR,2/`, ...accounts, "98,0,1,1/"].join("\n");
const ofxAccount = (id: string) =>
  `<STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>${id}</BANKACCTFROM><BANKTRANLIST>${stmttrn("20260602", "-1.00", id)}</BANKTRANLIST></STMTRS></STMTTRNRS>`;
const SPENT: [number, string][] = [
  [-100, "2026-06-02"],
  [-100, "2026-06-02"],
];
const EARNED: [number, string][] = [
  [2500, "2026-06-02"],
  [2500, "2026-06-02"],
];

describe("statements of several accounts are read with a warning", () => {
  const warns = /^The file has statements of several accounts, such as \S+, \S+\. Their lines/;
  check([
    [
      "in MT940",
      mt940(to("99,00"), ENTRY) +
        mt940(to("99,00"), ENTRY).replace("NL00BANK0123456789", "NL00BANK0000000001"),
      { lines: SPENT, warns },
    ],
    ["in camt", twice(camtAccount("2") + BODY), { lines: EARNED, warns }],
    [
      "in BAI2",
      bai2(bai2Group("260602", bai2Account("7"), bai2Account("8")), "99,0,1,1/"),
      { lines: SPENT, warns },
    ],
    [
      "in OFX",
      ofx(stmttrn("20260602", "-1.00", "1")).replace("</BANKMSGSRSV1>", `${ofxAccount("78")}$&`),
      { lines: SPENT, warns },
    ],
    [
      "unless only one of them has lines",
      mt940(to("99,00"), ENTRY) +
        mt940(to("100,00")).replace("NL00BANK0123456789", "NL00BANK0000000001"),
      { lines: SPENT.slice(0, 1) },
    ],
  ]);
});

describe("a file with the same statement twice is refused", () => {
  const refused = { fileRefused: true, says: /statement twice/ } as const;
  check([
    ["in MT940", mt940(to("99,00"), ENTRY).repeat(2), { lines: SPENT, ...refused }],
    ["in camt", twice(camtAccount("1") + BODY), { lines: EARNED, ...refused }],
    [
      "in BAI2",
      bai2(bai2Group("260602", bai2Account("7")).concat("\n").repeat(2), "99,0,1,1/"),
      { lines: SPENT, ...refused },
    ],
  ]);
});

describe("statements that only look the same are read", () => {
  check([
    [
      "of another day",
      bai2(
        bai2Group("260601", bai2Account("7")),
        bai2Group("260602", bai2Account("7", "900", "800")),
        "99,0,1,1/",
      ),
      {
        lines: [
          [-100, "2026-06-01"],
          [-100, "2026-06-02"],
        ],
      },
    ],
    [
      "of a day that ends where it began",
      mt940(to("100,00"), ENTRY, ENTRY.replace("D1,00", "C1,00")).repeat(2),
      { lines: [SPENT[0], [100, "2026-06-02"], SPENT[0], [100, "2026-06-02"]] as typeof SPENT },
    ],
    [
      "without balances",
      twice(camtAccount("1") + ntry(BOOKED + on("2026-06-02"))),
      { lines: EARNED },
    ],
  ]);
});
