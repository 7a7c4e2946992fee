import { decimalsOf } from "../../../wire/currencies.ts";
import { standardAmount } from "../../../wire/money.ts";
import { TextLines } from "../../../wire/text-lines.ts";
import { LINE_MAX_LENGTH, type Reader, type Reading } from "../reader.ts";
import { refuseFile } from "../refusal.ts";
import { Statement } from "../statement.ts";
import { Mt940Fields } from "./mt940-fields.ts";
import { type StatementLine, statementLine, swiftDay } from "./mt940-line.ts";
import { MAX_TOTALS, Mt940Totals } from "./mt940-totals.ts";

/**
 * The maximum length of a field with its continuation lines: the standard allows 6 lines of 65
 * characters, and banks write more.
 */
const FIELD_MAX_LENGTH = 32 * 1024;
const BALANCE = /^([CD])\s*(\d{6})\s*([A-Z]{3})\s*(\d{1,24}(?:,\d{0,10})?|,\d{1,10})$/;
/** The end mark of a message, attached to its last field. */
const END_MARK = /\s*-\}?$/;

/** One message while it is read. */
type Message = {
  statement: Statement;
  totals: Mt940Totals;
  startsAt: number;
  /** Whether :60F: and :62F: were present, readable or not. */
  hasOpening: boolean;
  hasClosing: boolean;
  /**
   * The currency of a balance if we don't know it. The lines are then refused, and never read in
   * another currency.
   */
  unknownCurrency: string | undefined;
  /** Fields that only interim reports have: :34F: or :13D: before the lines, or the number 942. */
  hasInterimMarks: boolean;
  skipped: number;
};

/**
 * SWIFT MT940 customer statements and MT942 interim reports, in SWIFT envelopes (`{1:…}{4:`) or
 * bare, many in a file. Each message is a separate statement; pages (:60M:, :62M:) are checked one
 * by one. Fields that are not about lines or balances are ignored. The entries of an interim report
 * next to MT940 statements are provisional, not booked, and are skipped.
 * @throws FileRefused if the last message is truncated
 */
export function readMt940(
  { out, currency: sourceCurrency }: Reading,
  format: "mt940" | "mt942",
): Reader {
  let message: Message | undefined;
  let messages = 0;
  let bookedMessages = 0;
  let envelopeType: string | undefined;
  let pending: StatementLine | undefined;

  const fields = new Mt940Fields({
    field: onField,
    beginEnvelope(type) {
      envelopeType = type;
    },
    endMessage() {
      if (fields.inEnvelope && isTruncated()) throw truncatedFile();
      finishLine();
      if (message) close(message);
      envelopeType = undefined;
    },
    isWithinStatement: () => message !== undefined && !message.hasClosing,
  });
  const lines = new TextLines(
    LINE_MAX_LENGTH,
    (line) => {
      fields.read(line, lines.number);
      if (fields.length > FIELD_MAX_LENGTH) throw tooLong(fields.line);
    },
    () => {
      throw tooLong(lines.number);
    },
  );

  function isTruncated(): boolean {
    if (!message) return false;
    return format === "mt942" || !(message.hasClosing || isInterim(message));
  }

  function truncatedFile(): Error {
    const missing = fields.inEnvelope ? "-}" : ":62F:";
    return refuseFile(
      { line: lines.number },
      missing,
      "A statement ends in the middle.",
      "",
      `the rest of it, up to ${missing}`,
    );
  }

  function tooLong(line: number): Error {
    return refuseFile(
      { line },
      fields.tag === "" ? null : `:${fields.tag}:`,
      "The field is too long.",
      "",
      `at most ${FIELD_MAX_LENGTH} characters`,
    );
  }

  function onField(name: string, parts: string[], line: number) {
    const text = (parts[0] ?? "").trim();
    if (name === "86" && pending) return pending.describe(parts);
    finishLine();
    if (name === "20") {
      // "Disposition" is the German banks' word for provisional entries.
      begin(line).hasInterimMarks ||= text.startsWith("STARTDISP");
      return;
    }
    if (!message && name === "61")
      return out.refuse(
        { line },
        ":61:",
        "The line is outside of any statement.",
        text,
        "a statement around it",
      );
    // Some banks leave out :20:, or write it after :25:.
    const isBeginning = /^(?:25|28C?|60.)$/.test(name);
    const current = message ?? (isBeginning ? begin(line) : undefined);
    if (current) onStatementField(current, name, text, parts, line);
  }

  function onStatementField(
    current: Message,
    name: string,
    text: string,
    parts: string[],
    line: number,
  ) {
    const { statement } = current;
    switch (name) {
      case "25":
      case "25P":
        statement.account = text || null;
        break;
      case "28":
      case "28C":
        statement.id = text || null;
        break;
      case "13":
      case "13D":
        current.hasInterimMarks = true;
        break;
      case "34F":
        current.hasInterimMarks = true;
        noteCurrency(current, text.slice(0, 3));
        break;
      case "60F":
      case "60M":
        current.hasOpening = true;
        balance(current, name, text, line);
        break;
      case "61":
        statementEntry(current, parts, line);
        break;
      case "62F":
      case "62M":
        current.hasClosing = true;
        if (current.skipped > 0) refuseMissingBalance(current, ":60F:");
        balance(current, name, text, line);
        break;
      case "90C":
      case "90D":
        if (!current.totals.addStated(name, text.replace(END_MARK, ""), statement.currency))
          throw refuseFile(
            { line },
            `:${name}:`,
            "A statement has too many totals.",
            "",
            `at most ${MAX_TOTALS}`,
          );
        break;
      default:
        if (/^[69]/.test(name) && name !== "64" && name !== "65") {
          // A balance under another tag shows that the end of the statement is present.
          if (/^6\d[FM]$/.test(name)) current.hasClosing = true;
          statement.contradictory ||= current.hasClosing;
          out.refuse(
            { line },
            `:${name}:`,
            "This field is not known.",
            text,
            "one of :60F:, :61:, :62F:, :64:, :65:, :90C: and :90D:",
            statement,
          );
        }
    }
  }

  function begin(line: number): Message {
    if (message) close(message);
    messages++;
    message = {
      statement: new Statement(),
      totals: new Mt940Totals(),
      startsAt: line,
      hasOpening: false,
      hasClosing: false,
      unknownCurrency: undefined,
      hasInterimMarks: envelopeType === "942",
      skipped: 0,
    };
    return message;
  }

  /**
   * Whether a message of an MT940 file is an interim report: a statement of booked lines begins
   * with a balance.
   */
  function isInterim({ hasOpening, hasInterimMarks }: Message): boolean {
    return format === "mt940" && !hasOpening && (hasInterimMarks || bookedMessages > 0);
  }

  function statementEntry(current: Message, parts: string[], line: number) {
    if (isInterim(current)) {
      current.skipped++;
      return out.skip({ line }, "pending", parts[0] ?? "");
    }
    const { statement, totals, unknownCurrency } = current;
    const currency = statement.currency ?? unknownCurrency ?? sourceCurrency;
    pending = statementLine({ out, statement, currency }, parts, line, (minor) =>
      totals.tally(minor),
    );
  }

  function noteCurrency(current: Message, currency: string): void {
    if (decimalsOf(currency) === undefined) current.unknownCurrency ??= currency;
    else current.statement.currency ??= currency;
  }

  function balance(current: Message, name: string, written: string, line: number) {
    const { statement } = current;
    const which = name.startsWith("60") ? "opening" : "closing";
    const text = written.replace(END_MARK, "");
    const [, mark, date = "", currency = "", amount = ""] = BALANCE.exec(text) ?? [];
    const isKnown = decimalsOf(currency) !== undefined;
    const minor = isKnown ? standardAmount(amount, currency, ",") : undefined;
    if (typeof minor !== "number") {
      statement.contradictory = true;
      noteCurrency(current, currency || (/\d{6}\s*([A-Z]{3})/.exec(text)?.[1] ?? ""));
      const problem =
        currency === "" || isKnown
          ? "This is not a balance."
          : `The balance's currency ${currency} is not known.`;
      return out.refuse(
        { line },
        `:${name}:`,
        problem,
        written,
        "C or D, YYMMDD, currency, amount such as C260131EUR1234,56",
        statement,
      );
    }
    statement.agreeOn(currency);
    if (statement[which] !== null) statement.contradictory = true;
    statement[which] = mark === "D" && minor !== 0 ? -minor : minor;
    if (which === "opening") statement.periodStart = swiftDay(date);
    else statement.periodEnd = swiftDay(date);
  }

  function finishLine(): void {
    pending?.finish();
    pending = undefined;
  }

  function refuseMissingBalance({ statement, startsAt }: Message, missing: string): void {
    statement.contradictory = true;
    out.refuse(
      { line: startsAt },
      missing,
      "The statement lacks a balance.",
      "",
      `${missing} with the balance`,
      statement,
    );
  }

  function close(current: Message): void {
    message = undefined;
    const { statement, totals } = current;
    const isConfirmed = current.hasInterimMarks || current.skipped > 0 || totals.areStated;
    if (isInterim(current) && isConfirmed && !current.hasClosing) return;
    if (current.hasOpening) bookedMessages++;
    if (format === "mt940" && !statement.contradictory) {
      if (!current.hasOpening) refuseMissingBalance(current, ":60F:");
      else if (!current.hasClosing) refuseMissingBalance(current, ":62F:");
    }
    totals.check(statement);
    out.close(statement);
  }

  return {
    read: (text) => lines.read(text),
    end() {
      lines.end();
      fields.end();
      finishLine();
      if ((fields.inEnvelope || format === "mt940") && isTruncated()) throw truncatedFile();
      if (message) close(message);
      if (messages === 0)
        throw refuseFile(
          { line: 1 },
          null,
          "The file has no statement.",
          "",
          `${format.toUpperCase()} messages with :20:, :25: and :28C:`,
        );
    },
  };
}
