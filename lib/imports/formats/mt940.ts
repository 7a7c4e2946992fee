import { decimalsOf } from "../../wire/currencies.ts";
import { standardAmount } from "../../wire/money.ts";
import { sixDigitDay } from "./dates.ts";
import { type StatementLine, statementLine } from "./mt940-line.ts";
import { LINE_MAX_LENGTH, type Reader, type Reading } from "./reader.ts";
import { refuseFile } from "./refusal.ts";
import { Statement } from "./statement.ts";
import { TextLines } from "./text-lines.ts";

/** Longest field, continuation lines included: the standard has 6 lines of 65 characters, banks have more. */
const FIELD_MAX_LENGTH = 32 * 1024;
/** Of each side of a statement. */
const TOTALS_MAX = 1_000;
const TAG = /^:(\d{2}[A-Z]?):/;
const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d{1,15},\d*)$/;
const TOTAL = /^(\d{1,5})([A-Z]{3})(\d{1,15},\d*)$/;

/** Of one side, as counted; `stated`: what each of its fields states, null where that is no total. */
type Totals = { count: number; sum: bigint; stated: ({ count: number; sum: bigint } | null)[] };

/**
 * SWIFT MT940 customer statements and MT942 interim reports, in SWIFT envelopes (`{1:…}{4:`) or bare, many in a file. Each message is a
 * statement of its own; pages (:60M:, :62M:) are checked one by one. Fields that are not about lines or balances are passed over.
 * @throws FileRefused where the last message is cut
 */
export function readMt940(
  { out, currency: sourceCurrency }: Reading,
  format: "mt940" | "mt942",
): Reader {
  let statement: Statement | undefined;
  let startsAt = 1;
  let tag = "";
  let field: string[] = [];
  let fieldLength = 0;
  let fieldLine = 1;
  let pending: StatementLine | undefined;
  let messages = 0;
  /** Whether the message began with `{4:`, and so must end with `-}`. */
  let inEnvelope = false;
  let totals: { credits: Totals; debits: Totals } = noTotals();

  const lines = new TextLines(LINE_MAX_LENGTH, onLine, () => {
    throw tooLong(lines.number);
  });

  function onLine(line: string) {
    let text = line;
    if (text.startsWith("{") || text.startsWith("-}")) {
      if (text.startsWith("{") && inEnvelope && statement) throw cut();
      finishMessage();
      const body = text.lastIndexOf("{4:");
      inEnvelope = body >= 0;
      if (!inEnvelope) return;
      text = text.slice(body + 3);
    }
    if (text === "-" || text === "\u0003" || text === "\u0001") return finishMessage();
    const found = TAG.exec(text);
    if (found) {
      finishField();
      tag = found[1] ?? "";
      field = [text.slice(found[0].length)];
      fieldLength = 0;
      fieldLine = lines.number;
      return;
    }
    if (tag === "") return;
    fieldLength += text.length + 1;
    if (fieldLength > FIELD_MAX_LENGTH) throw tooLong(fieldLine);
    field.push(text);
  }

  function cut(): Error {
    const missing = inEnvelope ? "-}" : ":62F:";
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
      tag === "" ? null : `:${tag}:`,
      "The field is too long.",
      "",
      `at most ${FIELD_MAX_LENGTH} characters`,
    );
  }

  function finishField() {
    if (tag !== "") onField(tag, field);
    tag = "";
  }

  function onField(name: string, parts: string[]) {
    const text = (parts[0] ?? "").trim();
    if (name === "86" && pending) return pending.describe(parts);
    finishLine();
    if (name === "20") return begin();
    if (!statement) {
      // Some banks leave out :20:, or put it after :25:.
      if (name === "61")
        return out.refuse(
          { line: fieldLine },
          ":61:",
          "The line is outside of any statement.",
          text,
          "a statement around it",
        );
      if (name !== "25" && name !== "28" && name !== "28C" && !name.startsWith("60")) return;
      begin();
    }
    const current = statement as Statement;
    switch (name) {
      case "25":
      case "25P":
        current.account = text || null;
        break;
      case "28":
      case "28C":
        current.id = text || null;
        break;
      case "34F":
        if (decimalsOf(text.slice(0, 3)) !== undefined) current.currency ??= text.slice(0, 3);
        break;
      case "60F":
      case "60M":
        balance(current, name, text, "opening");
        break;
      case "61":
        pending = statementLine(
          { out, statement: current, currency: current.currency ?? sourceCurrency },
          parts,
          fieldLine,
          tally,
        );
        break;
      case "62F":
      case "62M":
        balance(current, name, text, "closing");
        break;
      case "90C":
      case "90D":
        control(current, name, text);
        break;
      default:
        if (/^[69]/.test(name) && name !== "64" && name !== "65") {
          out.refuse(
            { line: fieldLine },
            `:${name}:`,
            "This field is not known.",
            text,
            "one of :60F:, :61:, :62F:, :64:, :65:, :90C: and :90D:",
          );
        }
    }
  }

  function begin(): void {
    if (statement) close();
    statement = new Statement();
    startsAt = fieldLine;
    totals = noTotals();
    messages++;
  }

  function balance(current: Statement, name: string, text: string, which: "opening" | "closing") {
    const [, mark, date = "", currency = "", amount = ""] = BALANCE.exec(text) ?? [];
    const minor =
      decimalsOf(currency) === undefined ? undefined : standardAmount(amount, currency, ",");
    if (typeof minor !== "number") {
      current.contradictory = true;
      return out.refuse(
        { line: fieldLine },
        `:${name}:`,
        "This is not a balance.",
        text,
        "C or D, YYMMDD, currency, amount such as C260131EUR1234,56",
      );
    }
    current.agreeOn(currency);
    if (current[which] !== null) current.contradictory = true;
    current[which] = mark === "D" && minor !== 0 ? -minor : minor;
    if (which === "opening") current.periodStart = sixDigitDay(date);
    else current.periodEnd = sixDigitDay(date);
  }

  function tally(minor: number): void {
    const side = minor < 0 ? totals.debits : totals.credits;
    side.count++;
    side.sum += BigInt(Math.abs(minor));
  }

  function control(current: Statement, name: string, text: string): void {
    const [, count = "", currency = "", amount = ""] = TOTAL.exec(text) ?? [];
    const minor =
      decimalsOf(currency) === undefined ? undefined : standardAmount(amount, currency, ",");
    const side = name === "90D" ? totals.debits : totals.credits;
    const isTotal = typeof minor === "number" && currency === current.currency;
    if (side.stated.length >= TOTALS_MAX)
      throw refuseFile(
        { line: fieldLine },
        `:${name}:`,
        "A statement has too many totals.",
        "",
        `at most ${TOTALS_MAX}`,
      );
    side.stated.push(isTotal ? { count: Number(count), sum: BigInt(minor) } : null);
  }

  function finishLine(): void {
    pending?.finish();
    pending = undefined;
  }

  function finishMessage(): void {
    finishField();
    finishLine();
    if (statement) close();
  }

  function close(): void {
    const current = statement as Statement;
    statement = undefined;
    if (format === "mt940" && (current.opening === null || current.closing === null)) {
      const missing = current.opening === null ? ":60F:" : ":62F:";
      if (!current.contradictory)
        out.refuse(
          { line: startsAt },
          missing,
          "The statement lacks a balance.",
          "",
          `${missing} with the balance`,
        );
      current.contradictory = true;
    }
    // Lines may stand behind the totals, too.
    for (const { count, sum, stated } of [totals.credits, totals.debits]) {
      for (const total of stated) current.control(total?.count === count && total.sum === sum);
    }
    // Where one side has a total, the other needs none only if it has no lines.
    const [given, missing] =
      totals.credits.stated.length > 0
        ? [totals.credits, totals.debits]
        : [totals.debits, totals.credits];
    if (given.stated.length > 0 && missing.stated.length === 0 && missing.count > 0)
      current.control(false);
    out.close(current);
  }

  return {
    read: (text) => lines.read(text),
    end() {
      lines.end();
      finishField();
      finishLine();
      if (statement && (inEnvelope || (format === "mt940" && statement.closing === null)))
        throw cut();
      if (statement) close();
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

function noTotals(): { credits: Totals; debits: Totals } {
  return { credits: { count: 0, sum: 0n, stated: [] }, debits: { count: 0, sum: 0n, stated: [] } };
}
