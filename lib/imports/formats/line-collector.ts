import { FileAccounts } from "./file-accounts.ts";
import {
  DETAILS_MAX_LENGTH,
  type Details,
  type ImportLine,
  type Skip,
  type StatementSummary,
  type Summary,
  TEXT_MAX,
  type Warning,
} from "./line.ts";
import { type Place, type Refusal, refusal, refuseFile } from "./refusal.ts";
import type { SkipReason } from "./skip-reasons.ts";
import type { Statement } from "./statement.ts";

const STATEMENTS_KEPT = 1_000;
/** The number of statements whose copies are found. */
const STATEMENTS_COMPARED = 100_000;
/**
 * A file full of errors has as many refusals as lines. Only this many are described; the rest are
 * counted.
 */
const REFUSALS_KEPT = 1_000;
const WARNINGS_KEPT = 20;
const SKIPS_KEPT = 100;
const SKIP_TEXT_MAX_LENGTH = 200;
const IDENTIFIERS = ["external_id", "reference", "group_key"] as const;
const PROSE = ["counterparty", "description"] as const;

/** Collects the lines, refusals and statements that a reader finds in one file. */
export class LineCollector {
  lines: ImportLine[] = [];
  refusals: Refusal[] = [];
  bytesRead = 0;
  /** Whether the text may have characters that Postgres cannot store; set during decoding. */
  suspect = false;
  /** The sheet of a workbook whose rows refusals refer to. */
  sheet: string | undefined;
  readonly #linesMax: number;
  readonly #currencies = new Set<string>();
  readonly #statements: StatementSummary[] = [];
  readonly #statementKeys = new Set<string>();
  readonly #accounts = new FileAccounts();
  #statementCount = 0;
  #lineCount = 0;
  #refusedCount = 0;
  #skippedCount = 0;
  readonly #skips: Skip[] = [];
  readonly #warnings: Warning[] = [];
  #balances: boolean | null = null;
  #controls: boolean | null = null;
  #first: string | null = null;
  #last: string | null = null;

  constructor(linesMax: number) {
    this.#linesMax = linesMax;
  }

  /** Adds the line, or refuses it if a text is invalid. */
  add(line: ImportLine, statement?: Statement) {
    for (const field of IDENTIFIERS) {
      const text = line[field];
      if (text !== undefined && text.length > TEXT_MAX[field]) {
        return this.refuse(
          line.position,
          field,
          "The text is too long.",
          text,
          `at most ${TEXT_MAX[field]} characters`,
          statement,
        );
      }
    }
    if (this.suspect && this.#hasUnfitText(line)) {
      statement?.refuse();
      return;
    }
    for (const field of PROSE) {
      const text = line[field];
      if (text !== undefined && text.length > TEXT_MAX[field]) cut(line, field, text);
    }
    if (this.#lineCount === this.#linesMax) {
      throw refuseFile(
        line.position,
        null,
        "The file has too many lines.",
        String(this.#linesMax + 1),
        `at most ${this.#linesMax} lines a file`,
      );
    }
    this.#lineCount++;
    if (this.#first === null || line.value_date < this.#first) this.#first = line.value_date;
    if (this.#last === null || line.value_date > this.#last) this.#last = line.value_date;
    this.#currencies.add(line.currency);
    statement?.count(line);
    this.lines.push(line);
  }

  /** `statement`: the one that now lacks this line, so that its balances can't be proven. */
  refuse(
    place: Place,
    field: string | null,
    problem: string,
    found: string,
    wanted: string,
    statement?: Statement,
  ): void {
    statement?.refuse();
    this.#refusedCount++;
    if (this.#refusedCount > REFUSALS_KEPT) return;
    const where = this.sheet === undefined ? "" : `Sheet "${this.sheet}": `;
    this.refusals.push(refusal(place, field, `${where}${problem}`, found, wanted));
  }

  /** Counts an entry that is not booked money. `text`: the file's text of it. */
  skip(place: Place, reason: SkipReason, text: string): void {
    this.#skippedCount++;
    if (this.#skips.length === SKIPS_KEPT) return;
    const shown = text.replaceAll("\0", "").slice(0, SKIP_TEXT_MAX_LENGTH).toWellFormed();
    this.#skips.push({ line: place.line, reason, text: shown });
  }

  /** Adds a warning sentence about a file that could be read. */
  warn(code: Warning["code"], message: string): void {
    if (this.#warnings.length < WARNINGS_KEPT) this.#warnings.push({ code, message });
  }

  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** @throws FileRefused for a copy of a statement that was read before */
  close(statement: Statement): void {
    const summary = statement.summary();
    if (summary.line_count > 0) this.#accounts.add(summary.account ?? "");
    this.#refuseCopy(summary);
    this.#statementCount++;
    if (this.#statements.length < STATEMENTS_KEPT) this.#statements.push(summary);
    this.#balances = both(this.#balances, summary.balance_holds);
    this.#controls = both(this.#controls, summary.control_totals_hold);
  }

  /**
   * A statement that moves an account from one balance to another can't do so twice: its lines
   * would be stored twice, as genuine equal lines of one file are.
   */
  #refuseCopy(summary: StatementSummary): void {
    const { account, opening_balance_minor: opening, closing_balance_minor: closing } = summary;
    if (account === null || opening === null || closing === null || opening === closing) return;
    if (this.#statementKeys.size === STATEMENTS_COMPARED) return;
    const key = JSON.stringify(summary);
    if (this.#statementKeys.has(key))
      throw refuseFile(
        { line: 1 },
        null,
        "The file has a statement twice.",
        summary.id ?? account,
        "each statement once",
      );
    this.#statementKeys.add(key);
  }

  /** Reports totals over statements, such as BAI2's group and file trailers. */
  control(holds: boolean): void {
    this.#controls = both(this.#controls, holds);
  }

  get size(): number {
    return this.lines.length + this.refusals.length;
  }

  take(): { lines: ImportLine[]; refusals: Refusal[]; bytes_read: number } {
    const batch = { lines: this.lines, refusals: this.refusals, bytes_read: this.bytesRead };
    this.lines = [];
    this.refusals = [];
    return batch;
  }

  summary(): Summary {
    const accounts = this.#accounts.warning("The file has statements of");
    return {
      line_count: this.#lineCount,
      refused_count: this.#refusedCount,
      skipped_count: this.#skippedCount,
      skips: [...this.#skips],
      warnings: accounts ? [...this.#warnings, accounts] : [...this.#warnings],
      bytes_read: this.bytesRead,
      statement_count: this.#statementCount,
      statements: [...this.#statements],
      balance_holds: this.#balances,
      control_totals_hold: this.#controls,
      currencies: [...this.#currencies].sort(),
      first_value_date: this.#first,
      last_value_date: this.#last,
    };
  }

  #hasUnfitText(line: ImportLine): boolean {
    for (const field of [...IDENTIFIERS, ...PROSE]) {
      const text = line[field];
      if (text !== undefined && this.#isUnfit(line.position, field, text)) return true;
    }
    return Object.entries(line.details).some(([name, value]) =>
      textsOf(value, [name]).some((text) => this.#isUnfit(line.position, name, text)),
    );
  }

  #isUnfit(place: Place, field: string, text: string): boolean {
    if (text.includes("\uFFFD")) {
      this.refuse(
        place,
        field,
        "Some bytes are not in the file's encoding.",
        text,
        "the encoding the file was saved in, see mapping.encoding",
      );
      return true;
    }
    if (!text.includes("\0") && text.isWellFormed()) return false;
    this.refuse(
      place,
      field,
      "The text has characters that are none.",
      text,
      "well-formed Unicode without NUL",
    );
    return true;
  }
}

/** Builds details within their limit, leaving out empty texts. */
export class DetailsBuilder {
  readonly details: Details = {};
  #room = DETAILS_MAX_LENGTH;

  add(name: string, value: unknown): this {
    if (value === undefined || value === null || value === "") return this;
    const size =
      name.length +
      (typeof value === "object" ? JSON.stringify(value).length : String(value).length);
    if (size > this.#room) noteCut(this.details, "details");
    else {
      this.#room -= size;
      setOwn(this.details, name, value);
    }
    return this;
  }
}

/** All texts within a JSON value. */
function textsOf(value: unknown, into: string[]): string[] {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "object" && value !== null) {
    for (const [name, child] of Object.entries(value)) textsOf(child, into).push(name);
  }
  return into;
}

/** A column may be named `__proto__`. */
function setOwn(details: Details, name: string, value: Details[string]): void {
  if (name === "__proto__")
    Object.defineProperty(details, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else details[name] = value;
}

function cut(line: ImportLine, field: (typeof PROSE)[number], text: string): void {
  line[field] = text.slice(0, TEXT_MAX[field]).toWellFormed();
  noteCut(line.details, field);
}

function noteCut(details: Details, name: string): void {
  const before = Array.isArray(details.cut) ? details.cut : [];
  if (!before.includes(name)) details.cut = [...before, name];
}

function both(before: boolean | null, now: boolean | null): boolean | null {
  if (before === null || now === null) return before ?? now;
  return before && now;
}
