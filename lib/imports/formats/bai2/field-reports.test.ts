import { describe } from "vitest";
import { bai2, check, type Expected } from "../field-report-cases.test-support.ts";

describe("BAI2: loose lines, summaries, codes and groups", () => {
  const head = ["02,1,2,1,260601,,EUR,2/", "03,7,EUR,010,1000,,,015,900,,/"];
  const end = ["49,2000,4/", "98,2000,1,6/", "99,2000,1,8/"];
  const spent: Expected = { lines: [[-100, "2026-06-01"]], holds: true };
  check([
    [
      "text that begins like a record",
      bai2(...head, "16,475,100,Z,B1,C1,STEEL", "16,000 UNITS", "49,50 EUR EACH", ...end),
      { ...spent, has: ["STEEL 16,000 UNITS 49,50 EUR EACH"] },
    ],
    [
      "text wrapped behind a slash",
      bai2(...head, "16,475,100,Z,B1,C1,PAID 12/", "OTHER HALF", ...end),
      { ...spent, has: ["OTHER HALF"] },
    ],
    [
      "blank lines and blanks",
      bai2(...head, "", "16,475,100,Z,B1,C1,RENT/   ", "   ", ...end),
      spent,
    ],
    [
      "two records on a line in the middle",
      bai2(...head, "16,475,100,Z,B1,C1,RENT/ 49,2000,3/", ...end.slice(1)),
      spent,
    ],
    [
      "a header in two pieces",
      bai2(
        head[0] as string,
        "03,7,EUR,010,10",
        "00,,,015,900,,/",
        "16,475,100,Z,B1,C1,RENT/",
        ...end,
      ),
      spent,
    ],
    [
      "too few commas before the next summary",
      bai2(head[0] as string, "03,7,EUR,010,1000,,015,900/", "16,475,100,Z,B1,C1,RENT/", ...end),
      spent,
    ],
    [
      "a continuation in the middle of a summary",
      bai2(
        head[0] as string,
        "03,7,EUR,010,1000,,,015/",
        "88,900,,,100,000,0,/",
        "16,475,100,Z,B1,C1,RENT/",
        ...end,
      ),
      spent,
    ],
    [
      "three commas too many, twice",
      bai2(
        head[0] as string,
        "03,7,EUR,010,1000,,,,,,/",
        "88,015,900,,,,,,/",
        "88,400,000,2,/",
        "16,475,100,Z,B1,C1,RENT/",
        ...end,
      ),
      spent,
    ],
    [
      "deferred availability within summaries",
      bai2(
        head[0] as string,
        "03,7,EUR,010,1000,,,072,50,2,D,2,0,20,1,30,015,900,,/",
        "16,475,100,Z,B1,C1,RENT/",
        "49,2050,3/",
        "98,2050,1,5/",
        "99,2050,1,7/",
      ),
      spent,
    ],
    [
      "value dates in summaries",
      bai2(
        head[0] as string,
        "03,7,EUR,010,1000,,V,260601,,015,900,,V,260601,/",
        "16,475,100,Z,B1,C1,RENT/",
        ...end,
      ),
      spent,
    ],
    [
      "escrow, disbursements and a status",
      bai2(
        head[0] as string,
        "03,7,EUR,010,1000,,,015,910,,/",
        "16,723,30,Z,A/",
        "16,728,30,Z,B/",
        "16,760,150,Z,C/",
        "16,701,8000,Z,D/",
        "49,10120,6/",
        "98,10120,1,8/",
        "99,10120,1,10/",
      ),
      {
        lines: [
          [30, "2026-06-01"],
          [30, "2026-06-01"],
          [-150, "2026-06-01"],
        ],
        skipped: 1,
        holds: true,
      },
    ],
    [
      "SEPA's own codes",
      bai2(
        head[0] as string,
        "03,7,EUR,010,1000,,,015,990,,/",
        "16,827,40,Z,A/",
        "16,828,50,Z,B/",
        "49,2080,4/",
        "98,2080,1,6/",
        "99,2080,1,8/",
      ),
      {
        lines: [
          [40, "2026-06-01"],
          [-50, "2026-06-01"],
        ],
        holds: true,
      },
    ],
    [
      "a balance as a detail is no money",
      bai2(
        ...head,
        "16,015,900,Z,A/",
        "16,475,100,Z,B/",
        "49,2900,4/",
        "98,2900,1,6/",
        "99,2900,1,8/",
      ),
      { ...spent, skipped: 1 },
    ],
    [
      "a code of no meaning",
      bai2(
        ...head,
        "16,475,100,Z,B/",
        "16,745,5,Z,C/",
        "49,2005,4/",
        "98,2005,1,6/",
        "99,2005,1,8/",
      ),
      { lines: [[-100, "2026-06-01"]], refused: 1, holds: false, says: /745/ },
    ],
    [
      "the banks' own credits and debits",
      bai2(
        ...head,
        "16,921,50,Z,A/",
        "16,961,150,Z,B/",
        "49,2100,4/",
        "98,2100,1,6/",
        "99,2100,1,8/",
      ),
      {
        lines: [
          [50, "2026-06-01"],
          [-150, "2026-06-01"],
        ],
        holds: true,
      },
    ],
    [
      "a deleting group next to a valid one",
      bai2(
        "02,1,2,2,260601,,EUR,2/",
        "03,8,EUR,,,,/",
        "16,175,5,Z,A/",
        "49,5,3/",
        "98,5,1,5/",
        ...head,
        "16,475,100,Z,B/",
        "49,2000,3/",
        "98,2000,1,5/",
        "99,2005,2,12/",
      ),
      { lines: [[-100, "2026-06-01"]], refused: 2, holds: true, says: /no update/ },
    ],
    [
      "an account without its trailer",
      bai2(...head, "16,475,100,Z,B/", "98,2000,1,5/", "99,2000,1,7/"),
      { lines: [[-100, "2026-06-01"]], refused: 1, holds: false, says: /trailer/ },
    ],
    [
      "a group of a day that is none",
      bai2(
        "02,1,2,1,261301,,EUR,2/",
        "03,8,EUR,,,,/",
        "16,175,5,Z,A/",
        "49,5,3/",
        "98,5,1,5/",
        "99,5,1,7/",
      ),
      { lines: [], refused: 2, says: /261301/ },
    ],
    [
      "an account in an unknown currency next to a valid one",
      bai2(
        "02,1,2,1,260601,,EUR,2/",
        "03,8,QQQ,,,,/",
        "16,175,5,Z,A/",
        "49,5,3/",
        "03,7,EUR,010,1000,,,015,900,,/",
        "16,475,100,Z,B/",
        "49,2000,3/",
        "98,2005,2,8/",
        "99,2005,1,10/",
      ),
      { lines: [[-100, "2026-06-01"]], refused: 2, says: /QQQ/ },
    ],
  ]);
});
