/**
 * What the readers of bank and ledger files cost: lines and megabytes a second, the memory that
 * reading adds, and how long the event loop is held at a time. Each file is written to a temporary
 * folder first and read by a separate process.
 *
 *   node bench/imports.ts [case…]
 *
 * `plain` is the same file read and decoded, and nothing else.
 */
import { fork } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { type ReadOptions, readLines } from "#lib/imports/formats/read-lines.ts";

const MILLION = 1_000_000;

type Case = {
  options: ReadOptions;
  lines: number;
  head: string;
  line: (nth: number) => string;
  tail: string;
};

const cents = (nth: number) => ((nth * 7919) % 1_000_000) - 500_000;
const decimal = (nth: number, point = ".") => {
  const minor = Math.abs(cents(nth));
  return `${Math.floor(minor / 100)}${point}${String(minor % 100).padStart(2, "0")}`;
};
const day = (nth: number) => String(1 + (nth % 28)).padStart(2, "0");
const sum = (count: number) =>
  Array.from({ length: count }, (_, nth) => cents(nth)).reduce((total, minor) => total + minor, 0);
const absolute = (minor: number, point: string) =>
  `${Math.floor(Math.abs(minor) / 100)}${point}${String(Math.abs(minor) % 100).padStart(2, "0")}`;

const CAMT_LINES = 370_000;
const CASES: Record<string, Case> = {
  csv: {
    options: {
      format: "csv",
      currency: "EUR",
      mapping: {
        fields: {
          booked_date: "Buchungstag",
          value_date: "Valuta",
          counterparty: "Name",
          description: "Verwendungszweck",
          amount: "Betrag",
          reference: "Referenz",
        },
        date_format: "DD.MM.YYYY",
        decimal_separator: ",",
        delimiter: ";",
      },
    },
    lines: MILLION,
    head: "Buchungstag;Valuta;Name;Verwendungszweck;Betrag;Referenz;IBAN;Buchungstext\n",
    line: (nth) => {
      const date = `${day(nth)}.01.2026`;
      return `${date};${date};"Kunde ${nth % 5_000} GmbH";"Rechnung 2026-${nth}; Teil 1";${cents(nth) < 0 ? "-" : ""}${decimal(nth, ",")};RG-${nth};DE8937040044053201${nth};SEPA-Gutschrift\n`;
    },
    tail: "",
  },
  ndjson: {
    options: { format: "ndjson" },
    lines: MILLION,
    head: "",
    line: (nth) =>
      `{"external_id":"tx_${nth}","amount":"${cents(nth) < 0 ? "-" : ""}${decimal(nth)}","currency":"EUR","value_date":"2026-01-${day(nth)}","reference":"RG-${nth}","counterparty":"Kunde ${nth % 5_000} GmbH","description":"Rechnung 2026-${nth}","channel":"web"}\n`,
    tail: "",
  },
  json: {
    options: { format: "json" },
    lines: MILLION,
    head: "[",
    line: (nth) =>
      `${nth > 0 ? "," : ""}{"external_id":"tx_${nth}","amount":${cents(nth)},"currency":"JPY","value_date":"2026-01-${day(nth)}","reference":"RG-${nth}"}\n`,
    tail: "]",
  },
  "camt.053": {
    options: { format: "camt.053" },
    lines: CAMT_LINES,
    head: `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id><Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>${camtBalance("OPBD", 0)}${camtBalance("CLBD", sum(CAMT_LINES))}\n`,
    line: (nth) =>
      `<Ntry>\n  <NtryRef>${nth}</NtryRef>\n  <Amt Ccy="EUR">${decimal(nth)}</Amt>\n  <CdtDbtInd>${cents(nth) < 0 ? "DBIT" : "CRDT"}</CdtDbtInd>\n  <Sts><Cd>BOOK</Cd></Sts>\n  <BookgDt><Dt>2026-01-${day(nth)}</Dt></BookgDt>\n  <ValDt><Dt>2026-01-${day(nth)}</Dt></ValDt>\n  <AcctSvcrRef>BANK${nth}</AcctSvcrRef>\n  <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>\n  <NtryDtls><TxDtls>\n    <Refs><EndToEndId>E2E-${nth}</EndToEndId></Refs>\n    <Amt Ccy="EUR">${decimal(nth)}</Amt>\n    <RltdPties><Dbtr><Pty><Nm>Kunde ${nth % 5_000} GmbH</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></DbtrAcct><Cdtr><Pty><Nm>Wir GmbH</Nm></Pty></Cdtr></RltdPties>\n    <RltdAgts><DbtrAgt><FinInstnId><BICFI>BYLADEM1001</BICFI></FinInstnId></DbtrAgt></RltdAgts>\n    <RmtInf><Ustrd>Rechnung 2026-${nth}</Ustrd></RmtInf>\n  </TxDtls></NtryDtls>\n  <AddtlNtryInf>SEPA-Gutschrift</AddtlNtryInf>\n</Ntry>\n`,
    tail: "</Stmt></BkToCstmrStmt></Document>\n",
  },
  mt940: {
    options: { format: "mt940" },
    lines: MILLION,
    head: ":20:BENCH\r\n:25:70050000/1234567\r\n:28C:1/1\r\n:60F:C260101EUR0,00\r\n",
    line: (nth) =>
      `:61:2601${day(nth)}01${day(nth)}${cents(nth) < 0 ? "D" : "C"}R${decimal(nth, ",")}N166NONREF\r\n:86:166?00SEPA-GUTSCHRIFT?109310?20EREF+E2E-${nth}?21SVWZ+Rechnung 2026-${nth}?30BYLADEM1001?31DE02120300000000202051\r\n?32Kunde ${nth % 5_000} GmbH\r\n`,
    tail: `:62F:${sum(MILLION) < 0 ? "D" : "C"}260131EUR${absolute(sum(MILLION), ",")}\r\n-\r\n`,
  },
  bai2: {
    options: { format: "bai2" },
    lines: MILLION,
    head: "01,1,2,260131,0200,1,,,2/\n02,1,2,1,260131,2359,USD,2/\n03,0975312468,USD,010,0,,/\n",
    line: (nth) =>
      `16,${cents(nth) < 0 ? 475 : 165},${Math.abs(cents(nth))},Z,DD${nth},CUST-${nth},PAYMENT OF INVOICE ${nth}/\n`,
    tail: "49,1,1/\n98,1,1,1/\n99,1,1,1/\n",
  },
  ofx: {
    options: { format: "ofx" },
    lines: MILLION,
    head: "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nENCODING:USASCII\nCHARSET:1252\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><ACCTID>1</BANKACCTFROM><BANKTRANLIST>\n",
    line: (nth) =>
      `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>202601${day(nth)}120000<TRNAMT>${cents(nth) < 0 ? "-" : ""}${decimal(nth)}<FITID>${nth}<NAME>Kunde ${nth % 5_000}<MEMO>Invoice ${nth}</STMTTRN>\n`,
    tail: "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n",
  },
};

const [role, name = "", file = ""] = process.argv.slice(2);
if (role === "read") await measure(name, file);
else await compare(process.argv.slice(2));

function camtBalance(code: string, minor: number): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${absolute(minor, ".")}</Amt><CdtDbtInd>${minor < 0 ? "DBIT" : "CRDT"}</CdtDbtInd><Dt><Dt>2026-01-31</Dt></Dt></Bal>`;
}

async function compare(selected: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tieout-imports-"));
  const figures: Record<string, unknown> = {};
  try {
    for (const [which, { lines, head, line, tail }] of Object.entries(CASES)) {
      if (selected.length > 0 && !selected.includes(which)) continue;
      const path = join(folder, which);
      const output = createWriteStream(path);
      output.write(head);
      for (let nth = 0; nth < lines; nth += 1_000) {
        const block = Array.from({ length: Math.min(1_000, lines - nth) }, (_, at) =>
          line(nth + at),
        ).join("");
        if (!output.write(block))
          await new Promise<void>((drained) => output.once("drain", drained));
      }
      output.end(tail);
      await finished(output);
      figures[which] = await new Promise((done) =>
        fork(import.meta.filename, ["read", which, path]).once("message", done),
      );
      rmSync(path);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.table(figures);
}

/** In a separate process, so that its peak memory is this file's. */
async function measure(which: string, path: string): Promise<void> {
  const { options, lines } = CASES[which] as Case;
  const plain = await plainSeconds(path);
  const before = process.memoryUsage.rss();
  const turns = measureTurns();
  let peak = before;
  const startedAt = performance.now();
  const cpuAt = process.cpuUsage();
  const reading = readLines(createReadStream(path, { highWaterMark: 256 * 1024 }), options);
  let read = 0;
  for await (const batch of reading) {
    read += batch.lines.length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuAt);
  const held = turns.stop();
  const { refused_count, balance_holds } = reading.summary;
  if (read !== lines || refused_count > 0)
    throw new Error(`${which}: ${read} of ${lines} lines, ${refused_count} refused`);
  const megabytes = statSync(path).size / 1024 / 1024;
  process.send?.({
    MB: Math.round(megabytes),
    seconds: round(seconds),
    cpu_seconds: round((user + system) / 1_000_000),
    plain_seconds: round(plain),
    lines_per_second: Math.round(read / seconds),
    MB_per_second: round(megabytes / seconds),
    rss_added_MB: Math.round((peak - before) / 1024 / 1024),
    loop_held_p99_ms: held.p99,
    loop_held_max_ms: held.max,
    balance_holds,
  });
  process.disconnect?.();
}

/**
 * Measures the CPU time of each turn of the event loop, in which other load on the machine doesn't
 * count.
 */
function measureTurns(): { stop: () => { p99: number; max: number } } {
  const held: number[] = [];
  let before = process.threadCpuUsage();
  let immediate = setImmediate(function turn() {
    const now = process.threadCpuUsage();
    held.push((now.user + now.system - before.user - before.system) / 1000);
    before = now;
    immediate = setImmediate(turn);
  });
  return {
    stop() {
      clearImmediate(immediate);
      held.sort((left, right) => left - right);
      return {
        p99: round(held[Math.floor(held.length * 0.99)] ?? 0),
        max: round(held.at(-1) ?? 0),
      };
    },
  };
}

async function plainSeconds(path: string): Promise<number> {
  const startedAt = performance.now();
  const decoder = new TextDecoder();
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }))
    decoder.decode(chunk as Buffer, { stream: true });
  return (performance.now() - startedAt) / 1000;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
