import type pdfmake from "pdfmake";
import type { PeriodSignature } from "../../reconciliations/contract.ts";
import { agingByKind, OUTSTANDING_KINDS, outstandingName } from "../../wire/outstanding-kinds.ts";
import { periodOf } from "../../wire/period-name.ts";
import {
  type ReconciledBalances,
  reconciledBalances,
  type SideBalance,
} from "../../wire/reconciled-balances.ts";
import type { Statement } from "../periods/contract.ts";

/** The input of a PDF. `digest` is that of the newest signature, or null without signatures. */
export type PdfInput = {
  statement: Statement;
  signatures: readonly PeriodSignature[];
  digest: string | null;
};

type Document = Parameters<(typeof pdfmake)["createPdf"]>[0];
type Content = Document["content"];
type TableCell = Extract<Content, { table: unknown }>["table"]["body"][number][number];

const RULE = "#c8ccd4";
const MUTED = "#5b6270";
const MARGIN = 40;
const ADJUSTMENT_NAMES: Record<string, string> = {
  fee: "Fee",
  fx: "Exchange rate",
  rounding: "Rounding",
  write_off: "Write-off",
  other: "Other",
};

/** The document of a statement: the content of its page, for paper. */
export function documentOf({ statement, signatures, digest }: PdfInput): Document {
  const { name, left_source, right_source, closed_at, closed_by, as_of } = statement;
  const status = closed_at
    ? `Closed ${timeText(closed_at)}${closed_by ? ` by ${personText(closed_by)}` : ""}`
    : `Not closed, as of ${timeText(as_of)}`;
  const parts = [
    ...signaturesOf(signatures),
    ...balancesOf(statement),
    ...openItemsOf(statement),
    ...agingOf(statement),
    ...outstandingOf(statement),
    ...adjustmentsOf(statement),
    ...residualsOf(statement),
    ...exclusionsOf(statement),
    ...evidenceOf(statement),
  ];
  return {
    info: { title: `${name}, reconciliation statement` },
    pageMargins: [MARGIN, MARGIN, MARGIN, MARGIN + 16],
    defaultStyle: { font: "Roboto", fontSize: 9, lineHeight: 1.15 },
    styles: {
      title: { fontSize: 16, bold: true },
      part: { fontSize: 11, bold: true, margin: [0, 14, 0, 4] },
      muted: { color: MUTED },
    },
    footer: (page, pages) => ({
      margin: [MARGIN, 10, MARGIN, 0],
      fontSize: 7,
      color: MUTED,
      columns: [
        { width: "*", text: digest ? `SHA-256 ${digest}` : closed_at ? "No digest" : "Not closed" },
        { width: "auto", text: `Page ${page} of ${pages}` },
      ],
    }),
    content: [
      { text: "Reconciliation statement", style: "muted" },
      { text: name, style: "title" },
      { text: periodOf(statement) },
      { text: `${left_source} and ${right_source}`, style: "muted" },
      { text: status, bold: closed_at === null, margin: [0, 2, 0, 0] },
      ...lettersHintOf([name, left_source, right_source, ...parts]),
      ...parts,
    ],
  };
}

/** A letter of a script that the font lacks. */
const OTHER_LETTER =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

function lettersHintOf(content: Content[]): Content[] {
  const hint =
    "The font has only Latin, Greek and Cyrillic letters. Others are empty boxes here: " +
    "the workbook and the export have them.";
  return OTHER_LETTER.test(JSON.stringify(content)) ? [{ text: hint, margin: [0, 4, 0, 0] }] : [];
}

function signaturesOf(signatures: readonly PeriodSignature[]): Content[] {
  return signatures.map(({ kind, signed_by, signed_at, note }) => ({
    text: `${kind === "prepared" ? "Prepared" : "Reviewed"} ${timeText(signed_at)} by ${personText(signed_by)}${note ? `: ${note}` : ""}`,
  }));
}

function balancesOf(statement: Statement): Content[] {
  const { left_source, right_source } = statement;
  const tables = reconciledBalances(statement).map(
    ({ currency, left, right, explained, unexplained }) => {
      const row = (
        head: string,
        amountOf: (side: SideBalance) => bigint,
        bold = false,
      ): TableCell[] => [
        { text: head, bold },
        ...[left, right].map((side) => numberCell(money(amountOf(side), currency), bold)),
      ];
      const last = (head: string, minor: bigint, bold = false): TableCell[] => [
        { text: head, bold },
        "",
        numberCell(money(minor, currency), bold),
      ];
      return table(
        [currency, left_source, right_source],
        ["*", 130, 130],
        [
          row("Balance at the end of the period", ({ closing }) => closing),
          ["", ...[left, right].map((side) => ({ ...numberCell(originOf(side)), color: MUTED }))],
          ...(left.timing !== 0n || right.timing !== 0n
            ? [row("Less value-dated later", ({ timing }) => -timing)]
            : []),
          ...outstandingRows(statement, { currency, left, right }, row),
          row("Less excluded", ({ excluded }) => -excluded),
          row("Adjusted balance", ({ adjusted }) => adjusted, true),
          ...explained.map(({ name, minor }) => last(name, minor)),
          last("Unexplained difference", unexplained, true),
        ],
      );
    },
  );
  const hint =
    `Adjustments, residuals and differences are ${left_source} − ${right_source}: positive ` +
    `where ${left_source} is larger.`;
  return part("Reconciliation of balances", tables, hint);
}

/**
 * The outstanding amounts by kind, each with its name in that source. Older statements state only
 * the total.
 */
function outstandingRows(
  statement: Statement,
  { currency, left, right }: Pick<ReconciledBalances, "currency" | "left" | "right">,
  row: (head: string, amountOf: (side: SideBalance) => bigint) => TableCell[],
): TableCell[][] {
  const [ofLeft, ofRight] = [left.outstandingByKind, right.outstandingByKind];
  if (!ofLeft || !ofRight) return [row("Less outstanding", ({ outstanding }) => -outstanding)];
  return OUTSTANDING_KINDS.flatMap((kind): TableCell[][] => [
    [
      `Less outstanding ${kind}s`,
      numberCell(money(-ofLeft[kind], currency)),
      numberCell(money(-ofRight[kind], currency)),
    ],
    [
      "",
      ...(["left", "right"] as const).map((side) => ({
        ...numberCell(outstandingName(kind, side, statement)),
        color: MUTED,
      })),
    ],
  ]);
}

function openItemsOf(statement: Statement): Content[] {
  const { left_source, right_source } = statement;
  const tables = reconciledBalances(statement).map(({ currency, left, right }) => {
    const row = (head: string, amountOf: (side: SideBalance) => bigint): TableCell[] => [
      head,
      ...[left, right].map((side) => numberCell(money(amountOf(side), currency))),
    ];
    return table(
      [currency, left_source, right_source],
      ["*", 130, 130],
      [
        row("Open at the start", ({ broughtForward }) => broughtForward),
        row("New lines", ({ added }) => added),
        row("Matched", ({ matched }) => -matched),
        row("Excluded", ({ newlyExcluded }) => -newlyExcluded),
        row("Open at the end", ({ open }) => open),
      ],
    );
  });
  return part("Open items", tables);
}

const AGES = new Map([
  [0, "0–7 days"],
  [8, "8–30 days"],
  [31, "31–60 days"],
  [61, "61–90 days"],
  [91, "91 days and more"],
]);

function agingOf(statement: Statement): Content[] {
  const kinds = agingByKind(statement);
  const rows = (kinds ?? statement.aging).map((age): TableCell[] => [
    AGES.get(age.days_from) ?? `From ${age.days_from} days`,
    sourceOf(statement, age.side),
    ...("kind" in age ? [outstandingName(age.kind, age.side, statement)] : []),
    numberCell(age.line_count.toLocaleString("en")),
    numberCell(money(age.open_minor, age.currency)),
  ]);
  return listSection(
    "Outstanding by age",
    ["Age", "Source", ...(kinds ? ["Kind"] : []), "Lines", "Open"],
    ["*", "*", ...(kinds ? ["*"] : []), 50, 110],
    rows,
  );
}

function outstandingOf(statement: Statement): Content[] {
  const { outstanding, outstanding_count } = statement;
  const rows = outstanding.map((line): TableCell[] => [
    wordsOf(line),
    sourceOf(statement, line.side),
    outstandingName(line.open_minor < 0 ? "payment" : "receipt", line.side, statement),
    line.value_date,
    numberCell(String(line.age_days)),
    numberCell(money(line.open_minor, line.currency)),
  ]);
  if (rows.length === 0) return part("Outstanding lines", [{ text: "Nothing is outstanding." }]);
  return listSection(
    "Outstanding lines",
    ["Line", "Source", "Kind", "Value date", "Days", "Open"],
    ["*", 80, 80, 54, 30, 90],
    rows,
    outstanding_count > outstanding.length
      ? `The ${outstanding.length} with the most money, of ` +
          `${outstanding_count.toLocaleString("en")}. The export has all of them.`
      : undefined,
  );
}

function adjustmentsOf({ adjustments = [], adjustment_count }: Statement): Content[] {
  const rows = adjustments.map(
    ({ kind, note, decided_by, amount_minor, currency }): TableCell[] => [
      [ADJUSTMENT_NAMES[kind] ?? kind, note].filter(Boolean).join(": "),
      deciderOf(decided_by),
      numberCell(money(amount_minor, currency)),
    ],
  );
  return listSection(
    "Adjustments",
    ["Adjustment", "Decided by", "Amount"],
    ["*", 110, 110],
    rows,
    truncationHintOf(adjustments, adjustment_count),
  );
}

function residualsOf({ residuals = [], residual_count }: Statement): Content[] {
  const rows = residuals.map(
    ({ reason, decided_by, amount_minor, currency, ...line }): TableCell[] => [
      wordsOf(line),
      reason,
      deciderOf(decided_by),
      numberCell(money(amount_minor, currency)),
    ],
  );
  return listSection(
    "Residuals",
    ["Match", "Rule", "Decided by", "Amount"],
    ["*", 110, 80, 90],
    rows,
    truncationHintOf(residuals, residual_count),
  );
}

function exclusionsOf(statement: Statement): Content[] {
  const { exclusions = [], exclusion_count } = statement;
  const rows = exclusions.map(
    ({ side, reason, decided_by, amount_minor, currency, ...line }): TableCell[] => [
      wordsOf(line),
      sourceOf(statement, side),
      reason,
      deciderOf(decided_by),
      numberCell(money(amount_minor, currency)),
    ],
  );
  return listSection(
    "Excluded lines",
    ["Line", "Source", "Reason", "Excluded by", "Amount"],
    ["*", 80, 110, 60, 90],
    rows,
    truncationHintOf(exclusions, exclusion_count),
  );
}

function listSection(
  title: string,
  columns: readonly string[],
  widths: readonly (string | number)[],
  rows: readonly TableCell[][],
  hint?: string,
): Content[] {
  return rows.length === 0 ? [] : part(title, [table(columns, widths, rows)], hint);
}

function part(title: string, content: readonly Content[], hint?: string): Content[] {
  return [
    { text: title, style: "part" },
    ...(hint ? [{ text: hint, style: "muted", margin: [0, 0, 0, 4] } as Content] : []),
    ...content,
  ];
}

/** Numbers are right-aligned in all columns but those of text. */
function table(
  columns: readonly string[],
  widths: readonly (string | number)[],
  rows: readonly TableCell[][],
): Content {
  const head = columns.map((text, place) => ({
    text,
    color: MUTED,
    alignment: isNumber(rows[0]?.[place]) ? ("right" as const) : ("left" as const),
  }));
  return {
    margin: [0, 0, 0, 8],
    table: { headerRows: 1, widths: [...widths], body: [head, ...rows], dontBreakRows: true },
    layout: {
      hLineWidth: (line) => (line === 0 ? 0 : 0.5),
      vLineWidth: () => 0,
      hLineColor: () => RULE,
      paddingLeft: (column) => (column === 0 ? 0 : 6),
      paddingRight: () => 0,
    },
  };
}

function isNumber(cell: TableCell | undefined): boolean {
  return typeof cell === "object" && "alignment" in cell && cell.alignment === "right";
}

function numberCell(text: string, bold = false) {
  return { text, bold, alignment: "right" as const };
}

function originOf({ statedOn, isStated }: SideBalance): string {
  if (!isStated) return "Sum of the lines";
  return statedOn ? `Stated ${statedOn}` : "Stated";
}

function evidenceOf({ evidence }: Statement): Content[] {
  if (!evidence || evidence.count === 0) return [];
  const files = evidence.count === 1 ? "1 file" : `${evidence.count.toLocaleString("en")} files`;
  return part(
    "Evidence",
    [{ text: `${files}, SHA-256 ${evidence.sha256}` }],
    "The bundle lists them.",
  );
}

function truncationHintOf(items: readonly unknown[], count = items.length): string | undefined {
  return count > items.length
    ? `The first ${items.length.toLocaleString("en")} of ${count.toLocaleString("en")}. ` +
        "The export has all of them."
    : undefined;
}

type Words = { reference: string | null; counterparty: string | null; description: string | null };

function wordsOf({ reference, counterparty, description }: Words): string {
  return [reference, counterparty, description].filter(Boolean).join(" · ") || "No reference";
}

function sourceOf({ left_source, right_source }: Statement, side: "left" | "right"): string {
  return side === "left" ? left_source : right_source;
}

function deciderOf(actor: string | null): string {
  return actor === null ? "Rules" : personText(actor);
}

function personText(actor: string): string {
  return actor.replace(/^user:/, "");
}

/** "2026-11-30 14:02 UTC" */
function timeText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

const formats = new Map<string, Intl.NumberFormat>();

/** "EUR 4,850.00": the code, because the font doesn't contain every currency's sign. */
function money(minor: bigint | number | string, currency: string): string {
  const format =
    formats.get(currency) ??
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" });
  formats.set(currency, format);
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(`${minor}e-${decimals}` as `${number}`);
}
