import { describe } from "vitest";
import {
  BOOKED,
  bai2,
  camt,
  check,
  mt940,
  ntry,
  ofx,
  on,
  stmttrn,
  to,
} from "./field-report-cases.test-support.ts";

describe("encodings that show beyond the first 64 KiB", () => {
  const pad = (line: (nth: number) => string) =>
    Array.from({ length: 2_500 }, (_, nth) => line(nth)).join("");
  const long = (text: string) =>
    mt940(to("99,00"), ":61:260602D1,00NTRFNONREF", `:86:${text}`).replace(
      ":60F:",
      `:21:X\r\n:86:${"A".repeat(60)}\r\n:60F:`,
    );
  const statements = pad(() => mt940(`${to("100,00")}\r\n-`));
  const name = "CAFÉ MÜLLER Æ";
  check([
    [
      "MT940 of Windows-1252",
      Buffer.from(statements + long(name), "latin1"),
      { lines: [[-100, "2026-06-02"]], holds: true, has: [name] },
    ],
    [
      "MT940 of UTF-8",
      Buffer.from(statements + long(name), "utf8"),
      { lines: [[-100, "2026-06-02"]], holds: true, has: [name] },
    ],
    [
      "camt without a declaration, of UTF-8",
      Buffer.from(
        camt(
          `${"<AddtlStmtInf>x</AddtlStmtInf>".repeat(3_000)}${ntry(`${BOOKED + on("2026-06-01")}<AddtlNtryInf>Łódź 東京</AddtlNtryInf>`)}`,
        ).replace('<?xml version="1.0"?>', ""),
      ),
      { lines: [[2500, "2026-06-01"]], has: ["Łódź 東京"] },
    ],
    [
      "OFX that says ASCII, of Windows-1252",
      Buffer.from(
        ofx(
          `${"<X>aaaaaaaaaaaaaaaaaaaaaa\n".repeat(3_000)}${stmttrn("20260601", "-5.00", "1", `<NAME>${name}`)}`,
        ),
        "latin1",
      ),
      { lines: [[-500, "2026-06-01"]], has: [name] },
    ],
    [
      "BAI2 of UTF-8, its first letter at the very end",
      Buffer.from(
        bai2(
          "02,1,2,1,260601,,EUR,2/",
          "03,7,EUR,,,,/",
          "16,475,100,Z,B1,C1,A",
          `${"88,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n".repeat(1_700)}88,${name}/`,
          "49,100,1705/",
          "98,100,1,1707/",
          "99,100,1,1709/",
        ),
      ),
      { lines: [[-100, "2026-06-01"]] },
    ],
  ]);
});
