/** Makes valid files of every format, with random lines and the totals that the format has. */
import type { Format, Mapping } from "#lib/imports/formats/mapping.ts";
import type { ReadOptions } from "#lib/imports/formats/read-lines.ts";
import type { Random } from "./random.ts";

/** A statement with its totals; openings are random, so that statements do not chain by chance. */
export type Figures = { opening: number; closing: number; amounts: number[] };

export type GeneratedFile = {
  bytes: Uint8Array;
  options: Partial<ReadOptions>;
  /** Empty for formats without totals. */
  statements: Figures[];
  /**
   * Finds every amount in a text, in minor units without sign, with a reader as simple as
   * possible.
   */
  literals: (text: string) => Set<number>;
};

const NAMES = [
  "Müller & Söhne",
  'Café "Zoë"',
  "O'Neill; Ltd, Inc.",
  "Stadtwerke",
  "ŁÓDŹ 7/3",
  "A <b> &c",
  "x",
];

export function makeFile(format: Format, random: Random): GeneratedFile {
  const statements = Array.from({ length: 1 + random(3) }, () => figures(random));
  const pick = () => NAMES[random(NAMES.length)] ?? "x";
  switch (format) {
    case "csv":
      return { ...csv(statements, pick, random), statements: [] };
    case "ndjson":
    case "json":
      return { ...json(format, statements, pick, random), statements: [] };
    case "ofx":
      return { ...ofx(statements, pick, random), statements: [] };
    case "mt940":
    case "mt942":
      return { ...swift(format, statements, pick, random), statements };
    case "bai2":
      return { ...bai2(statements, pick, random), statements };
    default:
      return { ...camt(format, statements, pick, random), statements };
  }
}

function figures(random: Random): Figures {
  const amounts = Array.from(
    { length: 1 + random(8) },
    () => (1 + random(random(2) ? 5_000_000 : 9_999)) * (random(2) ? 1 : -1),
  );
  const opening = random(10_000_000) - 2_000_000;
  return { opening, amounts, closing: amounts.reduce((sum, amount) => sum + amount, opening) };
}

const plain = (minor: number, point: string) => {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${digits.slice(0, -2)}${point}${digits.slice(-2)}`;
};
const signed = (minor: number, point: string) => (minor < 0 ? "-" : "") + plain(minor, point);
const grouped = (minor: number) => signed(minor, ",").replace(/\d(?=(?:\d{3})+,)/g, "$&.");
const day = (random: Random) => String(1 + random(28)).padStart(2, "0");
const carried = (nth: number, minor: number) => `T${nth}A${minor}`;
const encode = (text: string) => new TextEncoder().encode(text);

/** Finds numbers with at most two decimals after this separator, not counting further zeros. */
function decimals(point: "." | ","): GeneratedFile["literals"] {
  return (text) => {
    const found = new Set<number>();
    for (const [number] of text.matchAll(point === "." ? /[\d.]+/g : /[\d,]+/g)) {
      const [whole = "", fraction = "", ...more] = number.split(point);
      if (more.length > 0 || /\D/.test(whole + fraction) || /[^0]/.test(fraction.slice(2)))
        continue;
      found.add(Number(whole + fraction.slice(0, 2).padEnd(2, "0")));
    }
    return found;
  };
}

/** Finds amounts of cells: grouped in threes or not, with a sign or a word around them. */
function cells(text: string): Set<number> {
  const found = new Set<number>();
  for (const cell of text.split(/[;\n\r"]/)) {
    const bare = cell.replace(/[-+()\u2212€]|EUR|[CD]R\.?/gi, "").trim();
    const [whole = "", fraction = ""] = bare.split(",");
    const isGrouped = /^(?:\d*|\d{1,3}(?:([.' \u00A0])\d{3})(?:\1\d{3})*)$/.test(whole);
    if (isGrouped && /^\d{0,2}$/.test(fraction) && bare.split(",").length <= 2)
      found.add(Number(whole.replace(/\D/g, "") + fraction.padEnd(2, "0")));
  }
  return found;
}

function csv(statements: Figures[], pick: () => string, random: Random) {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = statements.flatMap(({ amounts }, at) =>
    amounts.map(
      (minor, nth) =>
        `${day(random)}.01.2026;${quote(pick())};${random(2) ? grouped(minor) : signed(minor, ",")};${carried(at * 100 + nth, minor)};${quote("Ende")}`,
    ),
  );
  const mapping: Mapping = {
    fields: { booked_date: "Datum", counterparty: "Name", amount: "Betrag", external_id: "Nummer" },
    date_format: "DD.MM.YYYY",
    decimal_separator: ",",
    delimiter: ";",
    encoding: "utf-8",
  };
  const bytes = encode(`Konto;1\n\nDatum;Name;Betrag;Nummer;Text\n${rows.join("\n")}\n`);
  return { bytes, options: { mapping, currency: "EUR" }, literals: cells };
}

function json(
  format: "ndjson" | "json",
  statements: Figures[],
  pick: () => string,
  random: Random,
) {
  const objects = statements.flatMap(({ amounts }, at) =>
    amounts.map((minor, nth) => {
      const amount = random(2) ? `"${signed(minor, ".")}"` : signed(minor, ".");
      return `{"external_id":"${carried(at * 100 + nth, minor)}","amount":${amount},"currency":"EUR","value_date":"2026-01-${day(random)}","counterparty":${JSON.stringify(pick())},"more":{"a":[1,"]}"]}}`;
    }),
  );
  const text =
    format === "ndjson"
      ? `${objects.join("\n")}\n`
      : random(2)
        ? `[${objects.join(",\n")}]`
        : `{"of":"x","lines":[${objects.join(",")}],"n":1}`;
  return { bytes: encode(text), options: { encoding: "utf-8" as const }, literals: decimals(".") };
}

function swift(
  format: "mt940" | "mt942",
  statements: Figures[],
  pick: () => string,
  random: Random,
) {
  const balance = (minor: number) => `${minor < 0 ? "D" : "C"}260101EUR${plain(minor, ",")}`;
  const total = (amounts: number[]) =>
    `${amounts.length}EUR${plain(
      amounts.reduce((sum, minor) => sum + minor, 0),
      ",",
    )}`;
  const text = statements.map(({ opening, closing, amounts }, at) => {
    const lines = amounts.map((minor, nth) => {
      const mark = random(5) === 0 ? (minor < 0 ? "RC" : "RD") : minor < 0 ? "D" : "C";
      const info = [
        `166?00TEXT?20EREF+${nth}?21SVWZ+Rechnung?32${pick()}`,
        `/EREF/${nth}/REMI/USTD//Text/NAME/${pick()}/`,
        `Text ${pick()}\nzweite Zeile`,
      ][random(3)];
      return `:61:2601${day(random)}0102${mark}${random(2) ? "R" : ""}${plain(minor, ",")}NTRFT${nth}//B${nth}\n:86:${info}`;
    });
    const body =
      format === "mt940"
        ? [`:60F:${balance(opening)}`, ...lines, `:62F:${balance(closing)}`]
        : [
            ":34F:EUR0,",
            ":13D:2601011200+0100",
            ...lines,
            `:90D:${total(amounts.filter((minor) => minor < 0))}`,
            `:90C:${total(amounts.filter((minor) => minor > 0))}`,
          ];
    const message = [`:20:S${at}`, ":25:70050000/1", `:28C:${at + 1}/1`, ...body].join("\n");
    return random(2)
      ? `${message}\n-\n`
      : `{1:F01BANKDEFFXXXX0000000000}{2:O${format.slice(2)}}{4:\n${message}\n-}\n`;
  });
  return {
    bytes: encode(text.join("")),
    options: { encoding: "utf-8" as const },
    literals: decimals(","),
  };
}

function camt(format: Format, statements: Figures[], pick: () => string, random: Random) {
  const [statement = "", root = ""] = {
    "camt.052": ["Rpt", "BkToCstmrAcctRpt"],
    "camt.054": ["Ntfctn", "BkToCstmrDbtCdtNtfctn"],
  }[format as string] ?? ["Stmt", "BkToCstmrStmt"];
  const escaped = () => pick().replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const amount = (minor: number) => `<Amt Ccy="EUR">${plain(minor, ".")}</Amt>`;
  const side = (minor: number) => `<CdtDbtInd>${minor < 0 ? "DBIT" : "CRDT"}</CdtDbtInd>`;
  const balance = (code: string, minor: number) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amount(minor)}${side(minor)}<Dt><Dt>2026-01-01</Dt></Dt></Bal>\n`;
  const totals = (name: string, amounts: number[]) =>
    `<${name}><NbOfNtries>${amounts.length}</NbOfNtries><Sum>${plain(
      amounts.reduce((sum, minor) => sum + Math.abs(minor), 0),
      ".",
    )}</Sum></${name}>`;
  const text = statements.map(({ opening, closing, amounts }, at) => {
    const entries = amounts.map(
      (minor, nth) =>
        `<Ntry>${amount(minor)}${side(minor)}<Sts>BOOK</Sts><BookgDt><Dt>2026-01-${day(random)}</Dt></BookgDt><NtryDtls><TxDtls><Refs><EndToEndId>${nth}</EndToEndId></Refs><RltdPties><Dbtr><Nm>${escaped()}</Nm></Dbtr></RltdPties></TxDtls></NtryDtls></Ntry>\n`,
    );
    const summary = `<TxsSummry>${totals(
      "TtlCdtNtries",
      amounts.filter((minor) => minor > 0),
    )}${totals(
      "TtlDbtNtries",
      amounts.filter((minor) => minor < 0),
    )}</TxsSummry>\n`;
    const checks =
      format === "camt.053"
        ? balance("OPBD", opening) + balance("CLBD", closing) + (random(2) ? summary : "")
        : summary;
    return `<${statement}><Id>${at}</Id><Acct><Id><IBAN>DE1</IBAN></Id><Ccy>EUR</Ccy></Acct>${checks}${entries.join("")}</${statement}>\n`;
  });
  const bytes = encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${format}.001.02"><${root}><GrpHdr><MsgId>1</MsgId></GrpHdr>\n${text.join("")}</${root}></Document>\n`,
  );
  return { bytes, options: { encoding: "utf-8" as const }, literals: decimals(".") };
}

function bai2(statements: Figures[], pick: () => string, random: Random) {
  let total = 0;
  let count = 2;
  const text = statements.map(({ opening, closing, amounts }, at) => {
    const details = amounts.map(
      (minor, nth) =>
        `16,${minor < 0 ? 475 : 165},${Math.abs(minor)},Z,,R${nth},${pick()}\n${random(3) === 0 ? "88,more text\n" : ""}`,
    );
    const sum = opening + closing + amounts.reduce((all, minor) => all + Math.abs(minor), 0);
    const records = 2 + details.join("").split("\n").length - 1;
    total += sum;
    count += records;
    return `03,${at},EUR,010,${opening},,,015,${closing},,/\n${details.join("")}49,${sum},${records}/\n`;
  });
  const bytes = encode(
    `01,1,2,260101,0200,1,,,2/\n02,1,2,1,260101,2359,EUR,2/\n${text.join("")}98,${total},${statements.length},${count}/\n99,${total},1,${count + 2}/\n`,
  );
  const literals = (mutated: string) =>
    new Set([...mutated.matchAll(/\d+/g)].map(([digits]) => Number(digits)));
  return { bytes, options: { encoding: "utf-8" as const }, literals };
}

function ofx(statements: Figures[], pick: () => string, random: Random) {
  const isXml = random(2) === 0;
  const leaf = (name: string, text: string) =>
    `<${name}>${text}${isXml || random(4) === 0 ? `</${name}>` : "\n"}`;
  const text = statements.map(({ closing, amounts }, at) => {
    const lines = amounts.map(
      (minor, nth) =>
        `<STMTTRN>${leaf("TRNTYPE", "DEBIT")}${leaf("DTPOSTED", `202601${day(random)}`)}${leaf("TRNAMT", signed(minor, "."))}${leaf("FITID", carried(nth, minor))}${leaf("NAME", pick().replaceAll("&", "&amp;").replaceAll("<", "&lt;"))}</STMTTRN>\n`,
    );
    return `<STMTRS>${leaf("CURDEF", "EUR")}<BANKACCTFROM>${leaf("ACCTID", String(at))}</BANKACCTFROM><BANKTRANLIST>${lines.join("")}</BANKTRANLIST><LEDGERBAL>${leaf("BALAMT", signed(closing, "."))}${leaf("DTASOF", "20260131")}</LEDGERBAL></STMTRS>`;
  });
  const header = isXml
    ? '<?xml version="1.0"?>\n<?OFX OFXHEADER="200" VERSION="211"?>\n'
    : "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n";
  const bytes = encode(
    `${header}<OFX><BANKMSGSRSV1><STMTTRNRS>${text.join("")}</STMTTRNRS></BANKMSGSRSV1></OFX>\n`,
  );
  // OFX has a point or a comma before the decimals.
  const literals = (mutated: string) =>
    new Set([...decimals(".")(mutated), ...decimals(",")(mutated)]);
  return { bytes, options: { encoding: "utf-8" as const }, literals };
}
