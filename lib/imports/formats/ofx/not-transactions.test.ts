import { describe } from "vitest";
import { check, ofx, stmttrn } from "../field-report-cases.test-support.ts";

const RENT = stmttrn("20261002", "-45.20", "1", "<MEMO>RENT");
const RENT_LINE: [number, string] = [-4520, "2026-10-02"];

describe("OFX: thousands separators", () => {
  check([
    [
      "refuse the file: a comma next to decimal points",
      ofx(RENT + stmttrn("20261003", "1,650", "2")),
      {
        lines: [RENT_LINE, [165, "2026-10-03"]],
        fileRefused: true,
        says: /decimals or as thousands.*"1,650"/,
      },
    ],
    [
      "refuse the file: a point next to decimal commas",
      ofx(stmttrn("20261002", "-45,20", "1") + stmttrn("20261003", "1.650", "2")),
      {
        lines: [RENT_LINE, [165, "2026-10-03"]],
        fileRefused: true,
        says: /decimals or as thousands.*"1.650"/,
      },
    ],
    [
      "are none if the mark is that of the decimals",
      ofx(RENT + stmttrn("20261003", "1.650", "2")),
      { lines: [RENT_LINE, [165, "2026-10-03"]] },
    ],
  ]);
});

describe("OFX: transactions that are not booked money", () => {
  const others = (more: string) => ofx(RENT + more);
  const hold = stmttrn("20261003", "-9.00", "2", "<NAME>SHOP").replace("OTHER", "HOLD");
  check([
    ["amounts on hold are skipped", others(hold), { lines: [RENT_LINE], skipped: 1 }],
    [
      "a name that begins with pending is refused",
      others(stmttrn("20261003", "-9.00", "2", "<NAME>PENDING - SHOP")),
      { lines: [RENT_LINE], refused: 1, says: /may not be booked.*PENDING - SHOP/ },
    ],
    [
      "balances of the day are skipped",
      others(
        stmttrn("20261002", "954.80", "2", "<MEMO>SALDO DO DIA") +
          stmttrn("20261001", "1000.00", "3", "<MEMO>Saldo Anterior"),
      ),
      { lines: [RENT_LINE], skipped: 2 },
    ],
    [
      "a balance of one word is refused, because it may be the text of a payment",
      others(stmttrn("20261002", "954.80", "2", "<NAME>SALDO")),
      { lines: [RENT_LINE], refused: 1, says: /may be a payment.*SALDO/ },
    ],
    [
      "a payment with more words is a line",
      others(
        stmttrn("20261002", "-7.00", "2", "<NAME>BALANCE<MEMO>INVOICE 7") +
          stmttrn("20261002", "-8.00", "3", "<NAME>TOTAL<MEMO>FUEL"),
      ),
      { lines: [RENT_LINE, [-700, "2026-10-02"], [-800, "2026-10-02"]] },
    ],
  ]);
});
