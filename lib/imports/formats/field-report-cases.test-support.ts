/**
 * Inputs of the classes that users of other products reported: five more of each, from other banks,
 * in other languages and layouts.
 */
import { expect, test } from "vitest";
import { detect } from "./detect.ts";
import type { ImportLine, Summary } from "./line.ts";
import { readLines } from "./read-lines.ts";
import { HEAD_BYTES } from "./reader.ts";
import { FileRefused } from "./refusal.ts";

export type Expected = {
  /** Amount, value date and currency, which defaults to EUR. */
  lines: [number, string, string?][];
  refused?: number;
  skipped?: number;
  holds?: boolean | null;
  statements?: number;
  /** Whether the file as a whole is refused. */
  fileRefused?: true;
  /** Texts that are kept somewhere in the lines. */
  has?: string[];
  /** Matches a refusal of a line, or of the file. */
  says?: RegExp;
  /** Matches the reader's own warnings; without it, there are none. */
  warns?: RegExp;
};
export type Case = [what: string, file: string | Buffer, expected: Expected];

export async function read(file: string | Buffer) {
  const bytes = Buffer.from(file);
  const lines: ImportLine[] = [];
  const messages: string[] = [];
  let summary: Summary | null = null;
  try {
    const { format, csv } = detect(bytes.subarray(0, HEAD_BYTES));
    const reading = readLines(
      (async function* () {
        yield bytes;
      })(),
      { format, currency: "EUR", ...(csv && { mapping: csv.mapping }) },
    );
    for await (const batch of reading) {
      lines.push(...batch.lines);
      messages.push(...batch.refusals.map(({ message }) => message));
    }
    summary = reading.summary;
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    messages.push(error.message);
  }
  return { lines, messages, summary };
}

export function check(cases: Case[]) {
  test.each(cases)("%s", async (_what, file, expected) => {
    const { lines, messages, summary } = await read(file);
    expect(lines.map((line) => [line.amount_minor, line.value_date, line.currency])).toEqual(
      expected.lines.map(([amount, day, currency = "EUR"]) => [amount, day, currency]),
    );
    const { refused = 0, skipped = 0, holds, statements } = expected;
    if (expected.fileRefused) expect(summary).toBeNull();
    else expect(summary).toMatchObject({ refused_count: refused, skipped_count: skipped });
    if (holds !== undefined) expect(summary?.balance_holds).toBe(holds);
    if (statements !== undefined) expect(summary?.statement_count).toBe(statements);
    for (const text of expected.has ?? []) expect(JSON.stringify(lines)).toContain(text);
    if (expected.says) expect(messages.join(" ")).toMatch(expected.says);
    const warnings = summary?.warnings.map(({ message }) => message).join(" ") ?? "";
    expect(warnings).toMatch(expected.warns ?? /^$/);
  });
}

/** An MT940 statement from 100,00 to `closing`. */
export const mt940 = (closing: string, ...lines: string[]) =>
  [
    ":20:REF",
    ":25:NL00BANK0123456789",
    ":28C:7/1",
    ":60F:C260601EUR100,00",
    ...lines,
    closing,
    "",
  ].join("\r\n");
export const to = (amount: string, currency = "EUR") => `:62F:C260602${currency}${amount}`;

export const CAMT = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08";
export const bal = (code: string, amount: string, currency = "EUR") =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-06-01</Dt></Dt></Bal>`;
/** `inner` is the content next to amount and side; 25.00 in by default. */
export const ntry = (inner: string, amount = '<Amt Ccy="EUR">25.00</Amt>', side = "CRDT") =>
  `<Ntry>${amount}<CdtDbtInd>${side}</CdtDbtInd>${inner}</Ntry>`;
export const BOOKED = "<Sts><Cd>BOOK</Cd></Sts>";
export const on = (day: string) => `<BookgDt><Dt>${day}</Dt></BookgDt>`;
export const camt = (
  body: string,
  uri = CAMT,
  account = "EUR",
  root = "BkToCstmrStmt",
  part = "Stmt",
) =>
  `<?xml version="1.0"?><Document${uri && ` xmlns="${uri}"`}><${root}><GrpHdr><MsgId>M</MsgId><CreDtTm>2026-06-03T08:00:00+02:00</CreDtTm></GrpHdr><${part}><Id>S</Id><Acct><Id><Othr><Id>1</Id></Othr></Id><Ccy>${account}</Ccy></Acct>${body}</${part}></${root}></Document>`;

export const bai2 = (...lines: string[]) => `01,111,222,260601,0700,1,,,2/\n${lines.join("\n")}\n`;

export const ofx = (transactions: string, account = "<BANKID>1<ACCTID>77<ACCTTYPE>CHECKING") =>
  `OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM>${account}</BANKACCTFROM><BANKTRANLIST>${transactions}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
export const stmttrn = (day: string, amount: string, id: string, more = "") =>
  `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${day}<TRNAMT>${amount}<FITID>${id}${more}</STMTTRN>`;
