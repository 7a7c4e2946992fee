import { FileAccounts } from "./file-accounts.ts";
import {
  DETAILS_MAX_LENGTH,
  type Details,
  type ImportLine,
  MAX_TEXT_LENGTH,
  type Skip,
  type StatementSummary,
  type Summary,
  type Warning,
} from "./line.ts";
import { type Place, type Refusal, refusal, refuseFile } from "./refusal.ts";
import type { SkipReason } from "./skip-reasons.ts";
import type { Statement } from "./statement.ts";

const MAX_STATEMENTS = 1_000;
/** Copies are detected only among this many statements. */
const MAX_COMPARED_STATEMENTS = 100_000;
/**
 * A file full of errors has as many refusals as lines. This many are described; the rest are only
 * counted.
 */
const MAX_REFUSALS = 1_000;
const MAX_WARNINGS = 20;
const MAX_SKIPS = 100;
const SKIP_TEXT_MAX_LENGTH = 200;
const IDENTIFIERS = ["external_id", "reference", "group_key"] as const;
const PROSE = ["counterparty", "description"] as const;

/** Collects the lines, refusals and statements that a reader finds in one file. */
export class LineCollector {
  lines: ImportLine[] = [];
  refusals: Refusal[] = [];
  bytesRead = 0;
  /** Whether the text may have characters that Postgres cannot store; set during decoding. */
  isSuspect = false;
  /** The sheet of a workbook whose rows refusals refer to. */
  sheet: string | undefined;
  readonly #maxLines: number;
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
  #balanceHolds: boolean | null = null;
  #controlTotalsHold: boolean | null = null;
  #first: string | null = null;
  #last: string | null = null;

  constructor(maxLines: number) {
    this.#maxLines = maxLines;
  }

  /** Adds the line, or refuses it if a text is invalid. */
  add(line: ImportLine, statement?: Statement) {
    for (const field of IDENTIFIERS) {
      const text = line[field];
      if (text !== undefined && text.length > MAX_TEXT_LENGTH[field]) {
        return this.refuse(
          line.position,
          field,
          "The text is too long.",
          text,
          `at most ${MAX_TEXT_LENGTH[field]} characters`,
          statement,
        );
      }
    }
    if (this.isSuspect && this.#refuseInvalidTexts(line)) {
      statement?.refuse();
      return;
    }
    for (const field of PROSE) {
      const text = line[field];
      if (text !== undefined && text.length > MAX_TEXT_LENGTH[field]) truncate(line, field, text);
    }
    if (this.#lineCount === this.#maxLines) {
      throw refuseFile(
        line.position,
        null,
        "The file has too many lines.",
        String(this.#maxLines + 1),
        `at most ${this.#maxLines} lines a file`,
      );
    }
    this.#lineCount++;
    if (this.#first === null || line.value_date < this.#first) this.#first = line.value_date;
    if (this.#last === null || line.value_date > this.#last) this.#last = line.value_date;
    this.#currencies.add(line.currency);
    statement?.count(line);
    this.lines.push(line);
  }

  /** `statement`: the statement that lacks this line, so that its balances can't be verified. */
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
    if (this.#refusedCount > MAX_REFUSALS) return;
    const where = this.sheet === undefined ? "" : `Sheet "${this.sheet}": `;
    this.refusals.push(refusal(place, field, `${where}${problem}`, found, wanted));
  }

  /** Counts an entry that is not booked money. `text`: how the file writes it. */
  skip(place: Place, reason: SkipReason, text: string): void {
    this.#skippedCount++;
    if (this.#skips.length === MAX_SKIPS) return;
    const shown = text.replaceAll("\0", "").slice(0, SKIP_TEXT_MAX_LENGTH).toWellFormed();
    this.#skips.push({ line: place.line, reason, text: shown });
  }

  /** Adds a warning sentence about a file that could be read. */
  warn(code: Warning["code"], message: string): void {
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push({ code, message });
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
    if (this.#statements.length < MAX_STATEMENTS) this.#statements.push(summary);
    this.#balanceHolds = combined(this.#balanceHolds, summary.balance_holds);
    this.#controlTotalsHold = combined(this.#controlTotalsHold, summary.control_totals_hold);
  }

  /**
   * Refuses a statement that the file has twice. A change of balance can't happen twice, and the
   * lines would be stored twice, because equal lines of one file count as separate lines.
   */
  #refuseCopy(summary: StatementSummary): void {
    const { account, opening_balance_minor: opening, closing_balance_minor: closing } = summary;
    if (account === null || opening === null || closing === null || opening === closing) return;
    if (this.#statementKeys.size === MAX_COMPARED_STATEMENTS) return;
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

  /**
   * Records whether totals over several statements hold, such as BAI2's group and file trailers.
   */
  control(holds: boolean): void {
    this.#controlTotalsHold = combined(this.#controlTotalsHold, holds);
  }

  get size(): number {
    return this.lines.length + this.refusals.length;
  }

  takeBatch(): { lines: ImportLine[]; refusals: Refusal[]; bytes_read: number } {
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
      balance_holds: this.#balanceHolds,
      control_totals_hold: this.#controlTotalsHold,
      currencies: [...this.#currencies].sort(),
      first_value_date: this.#first,
      last_value_date: this.#last,
    };
  }

  #refuseInvalidTexts(line: ImportLine): boolean {
    for (const field of [...IDENTIFIERS, ...PROSE]) {
      const text = line[field];
      if (text !== undefined && this.#refuseInvalidText(line.position, field, text)) return true;
    }
    return Object.entries(line.details).some(([name, value]) =>
      textsOf(value, [name]).some((text) => this.#refuseInvalidText(line.position, name, text)),
    );
  }

  #refuseInvalidText(place: Place, field: string, text: string): boolean {
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
  #remaining = DETAILS_MAX_LENGTH;

  add(name: string, value: unknown): this {
    if (value === undefined || value === null || value === "") return this;
    const size =
      name.length +
      (typeof value === "object" ? JSON.stringify(value).length : String(value).length);
    if (size > this.#remaining) noteTruncated(this.details, "details");
    else {
      this.#remaining -= size;
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

/** Sets a detail, whose name may be `__proto__`. */
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

function truncate(line: ImportLine, field: (typeof PROSE)[number], text: string): void {
  line[field] = text.slice(0, MAX_TEXT_LENGTH[field]).toWellFormed();
  noteTruncated(line.details, field);
}

function noteTruncated(details: Details, name: string): void {
  const before = Array.isArray(details.cut) ? details.cut : [];
  if (!before.includes(name)) details.cut = [...before, name];
}

function combined(before: boolean | null, now: boolean | null): boolean | null {
  if (before === null || now === null) return before ?? now;
  return before && now;
}
