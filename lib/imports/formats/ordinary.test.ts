/** Real exports of banks, processors and ledgers, with invented values: read without a question. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFile } from "../opened-file.ts";
import { settleMapping } from "../settle-mapping.ts";
import { readLines } from "./read-lines.ts";

const FOLDER = join(import.meta.dirname, "./samples/ordinary");

/** `lines`: amount less fee, day, currency. */
type Expected = {
  currency: string;
  lines: [number, string, string][];
  skipped: number;
  balance_holds?: boolean;
  /** The balances at the ends of a running balance. */
  opening?: number;
  closing?: number;
};

const expected = JSON.parse(readFileSync(join(FOLDER, "expected.json"), "utf8")) as Record<
  string,
  Expected
>;

test.each(Object.entries(expected))(
  "%s is read correctly, without a question",
  async (name, right) => {
    const stream = new Blob([readFileSync(join(FOLDER, `${name}.csv`))]).stream();
    const file = await openFile(
      stream,
      { fileName: "a.csv", contentType: "text/csv" },
      new Headers(),
    );
    const { mapping, questions } = await settleMapping(file, null, right.currency);
    expect(questions).toEqual([]);
    const options = { format: file.format, currency: right.currency, ...(mapping && { mapping }) };
    const reading = readLines(file.bytes, options);
    const lines: Expected["lines"] = [];
    for await (const batch of reading) {
      expect(batch.refusals).toEqual([]);
      for (const { amount_minor, fee_minor, value_date, currency } of batch.lines)
        lines.push([amount_minor - (fee_minor ?? 0), value_date, currency]);
    }
    expect(lines).toEqual(right.lines);
    expect(reading.summary).toMatchObject({
      skipped_count: right.skipped,
      warnings: [],
      balance_holds: right.balance_holds ?? null,
    });
    if (right.opening !== undefined)
      expect(reading.summary?.statements).toMatchObject([
        { opening_balance_minor: right.opening, closing_balance_minor: right.closing },
      ]);
  },
);
