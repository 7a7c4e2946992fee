import { amountMarks, currenciesOf } from "../../../wire/amount-marks.ts";
import { decimalsOf } from "../../../wire/currencies.ts";
import type { Mapping } from "../mapping.ts";
import { refuseFile } from "../refusal.ts";
import { directionOf, likelyDirectionOf, mayNameDirection } from "./csv-directions.ts";
import {
  borneOut,
  isBorneOut,
  type Question,
  shownRows,
  type TriedReading,
  tryReading,
} from "./csv-readings.ts";
import { bookingStateOf, statusColumn } from "./csv-statuses.ts";
import type { Column, Table } from "./csv-table.ts";
import { fieldsNamed, plainWords } from "./csv-words.ts";

export const BALANCE_NAMES =
  /balance|\b(?:sal[dt]o|saldos|solde|kontostand|saldobelop|stand|zustatek|zostatok|egyenleg|bilans)\b/;
const AVAILABLE = /\b(?:available|verfugbar|disponible|disponibile|beschikbaar|tillganglig)\b/;
const FEE_NAMES =
  /\b(?:fees?|gebuehr\w*|gebuhr\w*|entgelte?|frais|comision(?:es)?|commissions?|commissione|commissioni|spese|kosten|charges?|taxas?|tarifa|avgift(?:er)?|gebyr(?:er)?|provision|prowizja|oplata|poplatek|jutalek)\b/;
const DUE_NAMES =
  /\bdue ?date\b|faellig|fallig|echeance|vencimiento|scadenza|vencimento|vervaldatum|forfall|forfald/;
const FOREIGN_NAMES =
  /original|foreign|fremd|exchange|etrang|extranj|estera|estrang|vreemd|utland|fee|gebuhr|customer|instructed|local/;
const DISTINCT_MAX = 12;

/** Decides what a table leaves open about its money, from everything that the table says. */
export class Evidence {
  readonly table: Table;
  readonly currency: string | undefined;
  mapping: Mapping;
  readonly questions: Question[] = [];

  constructor(table: Table, mapping: Mapping, currency: string | undefined) {
    this.table = table;
    this.mapping = mapping;
    this.currency = currency;
  }

  /** Stops at the first question, because later questions may depend on the answer. */
  weigh(isPairOpen = false): void {
    const steps = [
      () => this.#findStatus(),
      () => this.#findCurrency(),
      () => this.#findBalance(),
      () => isPairOpen && this.#orderPair(),
      () => this.#weighPair(),
      () => this.#weighDirection(),
      () => this.#weighUnmarked(),
      () => this.#weighSign(),
      () => this.#weighFee(),
    ];
    for (const step of steps) {
      if (this.questions.length > 0) return;
      step();
    }
    const { balance } = this.mapping;
    const isConsistent = balance === undefined || this.#isBalance(balance);
    if (!isConsistent) this.mapping = { ...this.mapping, balance: undefined };
  }

  #column(name: string | undefined): Column | undefined {
    return name === undefined ? undefined : this.table.columns.find((one) => one.name === name);
  }

  #isMapped({ name }: Column): boolean {
    return Object.values(this.mapping.fields).includes(name);
  }

  #free(kind: Column["kind"]): Column[] {
    return this.table.columns.filter((one) => one.kind === kind && !this.#isMapped(one));
  }

  #try(changes: Partial<Mapping>): TriedReading {
    return tryReading(this.table, { ...this.mapping, ...changes }, this.currency);
  }

  #findStatus(): void {
    const statusMapping = this.mapping.status;
    const columns = statusMapping
      ? this.table.columns.filter(({ name }) => name === statusMapping.column)
      : this.table.columns.filter((one) => {
          const mapped = Object.entries(this.mapping.fields).filter(
            ([, name]) => name === one.name,
          );
          return mapped.every(([field]) => field === "description" || field === "reference");
        });
    for (const column of columns) {
      const found = statusColumn(column.name, column.all);
      if (!found) continue;
      const booked = [...(statusMapping?.booked ?? [])];
      const not_booked = [...(statusMapping?.not_booked ?? [])];
      const answered = new Set([...booked, ...not_booked].map((text) => text.toLowerCase()));
      if (this.#isOfInvoices())
        found.unknown.push(
          ...found.not_booked.filter((text) => bookingStateOf(text) === "pending"),
        );
      const [unknown] = found.unknown.filter((text) => !answered.has(text.toLowerCase()));
      const status = (value: string, isBooked: boolean) => ({
        column: column.name,
        booked: isBooked ? [...booked, value] : booked,
        not_booked: isBooked ? not_booked : [...not_booked, value],
      });
      if (unknown !== undefined) {
        this.#askStatus(column, unknown, status);
        return;
      }
      // Without words of the mapping, known words suffice.
      if (found.booked.includes("") && !answered.has("")) booked.push("");
      if (isFlag(found)) {
        booked.push(...found.booked);
        not_booked.push(...found.not_booked);
      }
      this.mapping = {
        ...this.mapping,
        status: {
          column: column.name,
          ...(booked.length > 0 && { booked }),
          ...(not_booked.length > 0 && { not_booked }),
        },
      };
      return;
    }
  }

  /** An invoice that awaits its payment is booked; one that awaits approval may not be. */
  #isOfInvoices(): boolean {
    return this.table.columns.some(({ name }) => DUE_NAMES.test(plainWords(name)));
  }

  #askStatus(
    column: Column,
    value: string,
    status: (value: string, isBooked: boolean) => NonNullable<Mapping["status"]>,
  ): void {
    const row = this.table.rows[column.all.indexOf(value)];
    const shown = row ? row.cells.filter((cell) => cell.trim() !== "").join(" ") : "";
    this.questions.push({
      about: "status",
      message: `Column "${column.name}" has the status ${value === "" ? "(blank)" : `"${value}"`}. Are these rows booked?`,
      example: value,
      choices: [
        {
          value: JSON.stringify(status(value, true)),
          reads_as: `Booked, imported: ${shown}`.slice(0, 200),
        },
        {
          value: JSON.stringify(status(value, false)),
          reads_as: `Not booked, skipped: ${shown}`.slice(0, 200),
        },
      ],
    });
  }

  #findCurrency(): void {
    const { fields } = this.mapping;
    if (fields.currency !== undefined || this.mapping.currency !== undefined) return;
    const header = fields.amount ?? fields.debit ?? fields.credit ?? "";
    const inHeader = headerCurrency(header);
    if (inHeader !== null) {
      this.mapping = { ...this.mapping, currency: inHeader };
      return;
    }
    const filled = this.#free("currency").filter(
      ({ name, cells, all }) =>
        cells.length === all.length &&
        !/^[a-z]/.test(cells[0] ?? "") &&
        !FOREIGN_NAMES.test(plainWords(name)),
    );
    const [column, ...others] = filled;
    if (column) {
      if (others.every(({ all }) => all.every((cell, at) => cell === column.all[at]))) {
        this.mapping = { ...this.mapping, fields: { ...fields, currency: column.name } };
        return;
      }
      this.questions.push({
        about: "fields.currency",
        message: "Which column is the currency of the amount?",
        example: null,
        choices: filled.map(({ name, cells }) => ({ value: name, reads_as: cells[0] ?? null })),
      });
      return;
    }
    const named = this.#preambleCurrency();
    if (named !== null) this.mapping = { ...this.mapping, currency: named };
    else this.#askSymbol(header);
  }

  /** "Currency: CHF" above the table, in one cell or in two. */
  #preambleCurrency(): string | null {
    for (const { cells } of this.table.preamble) {
      const words = cells
        .join(" ")
        .trim()
        .split(/[\s:;,]+/);
      const label = words.findIndex((word) =>
        fieldsNamed(word).some(({ field }) => field === "currency"),
      );
      const code = words[label + 1] ?? "";
      if (label >= 0 && /^[A-Z]{3}$/.test(code) && decimalsOf(code) !== undefined) return code;
    }
    return null;
  }

  /** $ and kr are used by several currencies. */
  #askSymbol(header: string): void {
    const { amount, debit, credit } = this.mapping.fields;
    const cells = [amount, debit, credit].flatMap((name) => this.#column(name)?.cells ?? []);
    for (const cell of [header, ...cells]) {
      if (/^-?[\d.,]+$/.test(cell)) continue;
      const codes = cell === header ? symbolIn(header) : amountMarks(cell)?.currencies;
      if (!codes || codes.length === 1 || codes[0] === "GBP") continue;
      if (this.currency === undefined || codes.includes(this.currency)) return;
      this.questions.push({
        about: "currency",
        message: `"${cell}" can be in more than one currency. Which is it?`,
        example: cell,
        choices: codes.map((value) => ({ value, reads_as: `${cell} in ${value}` })),
      });
      return;
    }
  }

  /** Found by its name; without a name, by a column whose steps equal the amounts. */
  #findBalance(): void {
    if (this.mapping.balance !== undefined) return;
    const named = this.#free("amount").filter(({ name }) => BALANCE_NAMES.test(plainWords(name)));
    const first = named.find(({ name }) => !AVAILABLE.test(plainWords(name))) ?? named[0];
    const column =
      named.find(({ all }) => this.#stepsAreAmounts(all)) ??
      first ??
      this.#free("amount").find(
        (one) =>
          one.cells.length > 3 &&
          !FEE_NAMES.test(plainWords(one.name)) &&
          this.#stepsAreAmounts(one.all),
      );
    if (column) this.mapping = { ...this.mapping, balance: column.name };
  }

  /** Ignores what the amounts' signs mean. */
  #stepsAreAmounts(balances: readonly string[]): boolean {
    const { amount, debit, credit } = this.mapping.fields;
    const columns = [amount, debit, credit].flatMap((name) => this.#column(name) ?? []);
    const sizes = this.table.rows.map((_, row) =>
      columns.map(({ all }) => sizeOf(all[row] ?? "", this.mapping)).find((size) => size > 0),
    );
    const values = balances.map((text) => {
      const size = sizeOf(text, this.mapping);
      return amountMarks(text)?.negative ? -size : size;
    });
    const fits = { after: 0, before: 0, steps: 0 };
    for (let row = 1; row < Math.min(values.length, 500); row++) {
      const step = Math.abs((values[row] ?? 0) - (values[row - 1] ?? 0));
      if (Number.isNaN(step)) continue;
      fits.steps++;
      if (Math.abs(step - (sizes[row] ?? -1)) < 1e-6 * Math.max(1, step)) fits.after++;
      if (Math.abs(step - (sizes[row - 1] ?? -1)) < 1e-6 * Math.max(1, step)) fits.before++;
    }
    return fits.steps > 0 && Math.max(fits.after, fits.before) >= 0.8 * fits.steps;
  }

  /** A column whose name says only "balance" is one only if a reading agrees with it. */
  #isBalance(name: string): boolean {
    const plain = plainWords(name);
    return !/^(?:stand|bilans)$/.test(plain) || isBorneOut(this.#try({}));
  }

  /** Which of two columns of amounts is money out, if no name says it. */
  #orderPair(): void {
    const { debit, credit } = this.mapping.fields;
    if (debit === undefined || credit === undefined) return;
    const fields = { ...this.mapping.fields, debit: credit, credit: debit };
    const signs = { debit_sign: "plus", credit_sign: "plus" } as const;
    const readings = [this.#try(signs), this.#try({ ...signs, fields })];
    const [best, ...rest] = readings.filter(
      (reading) => isBorneOut(reading) && reading.course.polarity === 1,
    );
    if (best && rest.length === 0) {
      this.mapping = { ...this.mapping, fields: best.mapping.fields };
      return;
    }
    // The answer names one of them; the other one follows.
    const { debit: _, credit: __, ...open } = this.mapping.fields;
    this.mapping = { ...this.mapping, fields: open };
    this.questions.push({
      about: "fields.debit",
      message: `Columns "${debit}" and "${credit}" are money out and money in. Which is money out (debit)?`,
      example: null,
      choices: readings.map((one, at) => ({
        value: one.mapping.fields.debit as string,
        reads_as: shownRows(one, readings.slice(1 - at, 2 - at), this.currency),
      })),
    });
  }

  /**
   * What a minus in a column of debits or credits means: the column states the direction, or the
   * minus reverses it.
   */
  #weighPair(): void {
    for (const field of ["debit", "credit"] as const) {
      const setting = `${field}_sign` as const;
      const column = this.#column(this.mapping.fields[field]);
      if (!column || this.mapping[setting] !== undefined) continue;
      const signs = signsIn(column.cells);
      const total = signs.plus + signs.minus;
      if (total === 0) continue;
      // A minus in the only column of amounts may be the direction itself.
      const { debit, credit } = this.mapping.fields;
      const isAlone = debit === undefined || credit === undefined;
      if (signs.minus === 0 || (signs.plus === 0 && !isAlone)) {
        this.mapping = { ...this.mapping, [setting]: signs.minus === 0 ? "plus" : "minus" };
        continue;
      }
      const plus = this.#try({ [setting]: "plus" });
      const minus = this.#try({ [setting]: "minus" });
      const [best, ...rest] = borneOut([plus, minus]);
      if (best && rest.length === 0) this.mapping = best.mapping;
      else if (!isAlone && isLone(signs))
        this.mapping = (signs.plus > signs.minus ? plus : minus).mapping;
      else {
        const [other, way] = field === "debit" ? ["in", "out"] : ["out", "in"];
        const example = column.cells.find((cell) => amountMarks(cell)?.negative) ?? null;
        this.questions.push({
          about: setting,
          message: `Column "${column.name}" has amounts with a minus sign. What does a negative ${field} such as "${example}" mean: money ${other}, or money ${way}?`,
          example,
          choices: [
            { value: "plus", reads_as: shownRows(plus, [minus], this.currency) },
            { value: "minus", reads_as: shownRows(minus, [plus], this.currency) },
          ],
        });
        return;
      }
    }
  }

  #weighDirection(): void {
    const { fields, amount_sign } = this.mapping;
    const amounts = this.#column(fields.amount);
    if (!amounts || (amount_sign === "own" && fields.sign === undefined)) return;
    const column = this.#column(fields.sign) ?? this.#directionColumn();
    if (!column) return;
    const signs = signsIn(amounts.cells);
    const isOwn = signs.minus > 0 && agrees(amounts, column);
    if (isOwn && amount_sign === undefined) {
      this.mapping = { ...this.mapping, fields: without(fields, "sign") };
      return;
    }
    const withColumn = { ...fields, sign: column.name };
    if (this.#askDirectionWord(column)) return;
    if (signs.minus === 0 || amount_sign !== undefined) {
      if (amount_sign !== "own" && amount_sign !== "inverted")
        this.mapping = { ...this.mapping, fields: withColumn };
      return;
    }
    const readings = [
      this.#try({ fields: withColumn, amount_sign: "repeats" }),
      this.#try({ fields: withColumn, amount_sign: "reverses" }),
      this.#try({ fields: without(fields, "sign"), amount_sign: "own" }),
    ];
    const [best, ...rest] = borneOut(readings);
    if (best && rest.length === 0) {
      this.mapping = best.mapping;
      return;
    }
    const distinct = readings.filter(
      (one, at) => readings.findIndex((other) => sameLines(one, other)) === at,
    );
    const [only] = distinct;
    if (only && distinct.length === 1) {
      this.mapping = only.mapping;
      return;
    }
    this.questions.push({
      about: "amount_sign",
      message: `The sign of the amounts and the direction in column "${column.name}" disagree. Which of them says debit or credit?`,
      example: amounts.cells.find((cell) => amountMarks(cell)?.negative) ?? null,
      choices: distinct.map((one) => ({
        value: one.mapping.amount_sign as string,
        reads_as: shownRows(
          one,
          distinct.filter((other) => other !== one),
          this.currency,
        ),
      })),
    });
  }

  /**
   * Found by its values, whatever its name: each says debit or credit, or most do and the others
   * are asked about.
   */
  #directionColumn(): Column | undefined {
    const amounts = this.#column(this.mapping.fields.amount);
    const isUnsigned = signsIn(amounts?.cells ?? []).minus === 0;
    const columns = this.table.columns.filter(
      (one) => mayNameDirection(one.name) && one.name !== this.mapping.status?.column,
    );
    const isFull = ({ cells, all }: Column) => cells.length >= 0.95 * all.length;
    const known = columns.filter(
      (one) =>
        isFull(one) &&
        one.cells.length > 0 &&
        one.cells.every((cell) => directionOf(cell) !== undefined),
    );
    const named = known.find(({ name }) => fieldsNamed(name).some(({ field }) => field === "sign"));
    if (named ?? known[0]) return named ?? known[0];
    if (!isUnsigned) return undefined;
    return columns.find((one) => {
      const values = new Set(one.cells);
      if (!isFull(one) || values.size > DISTINCT_MAX || values.size < 2) return false;
      const isNamed = fieldsNamed(one.name).some(({ field }) => field === "sign");
      // A text that differs in each row is not a kind of payment.
      if (!isNamed && (this.#isMapped(one) || one.kind === "amount" || one.kind === "date"))
        return false;
      const directions = new Set([...values].map(likelyDirectionOf));
      return (
        (directions.has(-1) && directions.has(1)) ||
        (isNamed && values.size <= 4 && one.kind !== "amount" && one.kind !== "date")
      );
    });
  }

  /** Asks about the first word that says neither debit nor credit. */
  #askDirectionWord(column: Column): boolean {
    const signValues = this.mapping.sign_values;
    const known = new Set(
      [...(signValues?.debit ?? []), ...(signValues?.credit ?? [])].map((word) =>
        word.toUpperCase(),
      ),
    );
    const values = [...new Set(column.cells)];
    const unknown = values.find(
      (word) => directionOf(word) === undefined && !known.has(word.toUpperCase()),
    );
    if (unknown === undefined || values.length > DISTINCT_MAX) return false;
    const debit = [...(signValues?.debit ?? values.filter((word) => directionOf(word) === -1))];
    const credit = [...(signValues?.credit ?? values.filter((word) => directionOf(word) === 1))];
    const fields = { ...this.mapping.fields, sign: column.name };
    const asDebit = { debit: [...debit, unknown], credit: credit.length > 0 ? credit : ["CREDIT"] };
    const asCredit = { debit: debit.length > 0 ? debit : ["DEBIT"], credit: [...credit, unknown] };
    const readings = [asDebit, asCredit].map((sign_values) => this.#try({ fields, sign_values }));
    const [best, ...rest] = borneOut(readings);
    if (best && rest.length === 0) {
      this.mapping = best.mapping;
      return this.#askDirectionWord(column);
    }
    const [out, back] = readings as [TriedReading, TriedReading];
    this.mapping = { ...this.mapping, fields };
    this.questions.push({
      about: "sign_values",
      message: `Does "${unknown}" in column "${column.name}" mean money out (debit) or money in (credit)?`,
      example: unknown,
      choices: [
        { value: JSON.stringify(asDebit), reads_as: shownRows(out, [back], this.currency) },
        { value: JSON.stringify(asCredit), reads_as: shownRows(back, [out], this.currency) },
      ],
    });
    return true;
  }

  /** If some amounts are marked CR and none DR or minus, the unmarked ones are the other side. */
  #weighUnmarked(): void {
    const column = this.#column(this.mapping.fields.amount);
    if (!column || this.mapping.fields.sign !== undefined || this.mapping.unmarked) return;
    const marks = column.cells.flatMap((cell) =>
      /^-?[\d.,]+$/.test(cell) ? [] : (amountMarks(cell) ?? []),
    );
    const credits = marks.filter(({ side }) => side === "credit").length;
    if (credits === 0 || credits === column.cells.length) return;
    if (signsIn(column.cells).minus > 0) return;
    const readings = [this.#try({ unmarked: "debit" }), this.#try({ unmarked: "credit" })];
    const [best, ...rest] = borneOut(readings);
    const chosen = best && rest.length === 0 ? best : readings[0];
    if (chosen) this.mapping = chosen.mapping;
  }

  /**
   * If balances fall by positive amounts, a minus is money in, or the balance is the amount owed.
   */
  #weighSign(): void {
    const { fields, amount_sign, balance, unmarked } = this.mapping;
    if (fields.amount === undefined || fields.sign !== undefined || balance === undefined) return;
    if (amount_sign !== undefined || unmarked !== undefined) return;
    const own = this.#try({ amount_sign: "own" });
    if (!isBorneOut(own)) this.#refuseUnsigned(own, balance);
    if (!isBorneOut(own) || own.course.polarity === 1) return;
    const inverted = this.#try({ amount_sign: "inverted" });
    this.questions.push({
      about: "amount_sign",
      message: `Column "${balance}" falls by positive amounts. Does a positive amount mean money in, or money out?`,
      example: this.#column(fields.amount)?.cells[0] ?? null,
      choices: [
        { value: "inverted", reads_as: shownRows(inverted, [own], this.currency) },
        { value: "own", reads_as: shownRows(own, [inverted], this.currency) },
      ],
    });
  }

  /**
   * If balances go up and down by amounts that are all positive, no mapping can tell their
   * direction.
   */
  #refuseUnsigned({ course, lines }: TriedReading, balance: string): void {
    const amounts = this.#column(this.mapping.fields.amount);
    const balances = this.#column(balance);
    if (!amounts || !balances || course.holds + course.breaks < 2) return;
    if (signsIn(amounts.cells).minus > 0 || !this.#stepsAreAmounts(balances.all)) return;
    throw refuseFile(
      { line: lines[0]?.position.line ?? 1 },
      "amount",
      `The amounts in column "${amounts.name}" don't say debit or credit, and column "${balance}" moves both ways.`,
      amounts.cells[0] ?? "",
      "amounts with a sign, or a column that says debit or credit",
    );
  }

  #weighFee(): void {
    const { fields, fee_handling } = this.mapping;
    if (fields.fee !== undefined || fields.fee_minor !== undefined) return;
    if (fee_handling === "included") return;
    const column = this.#free("amount").find(
      ({ name, cells }) =>
        name !== this.mapping.balance &&
        FEE_NAMES.test(plainWords(name)) &&
        cells.some((cell) => sizeOf(cell, this.mapping) > 0),
    );
    if (!column || fields.amount === undefined) return;
    const minus = signsIn(column.cells).minus > signsIn(column.cells).plus;
    const withFee = { ...fields, fee: column.name };
    const plain = this.#try({ fee_handling: "included" });
    const deducted = this.#try({
      fields: withFee,
      fee_handling: "deducted",
      ...(minus && { fee_sign: "minus" as const }),
    });
    if (fee_handling === "deducted") {
      this.mapping = deducted.mapping;
      return;
    }
    const [best, ...rest] = borneOut([plain, deducted]);
    if (best && rest.length === 0) {
      this.mapping = best.mapping;
      return;
    }
    this.questions.push({
      about: "fee_handling",
      message: `Does the fee in column "${column.name}" come off the amount, or is it in the amount already?`,
      example: column.cells.find((cell) => sizeOf(cell, this.mapping) > 0) ?? null,
      choices: [
        { value: "deducted", reads_as: shownRows(deducted, [plain], this.currency) },
        { value: "included", reads_as: shownRows(plain, [deducted], this.currency) },
      ],
    });
  }
}

/** The currency in the amount column's header, as in "Bedrag (EUR)". */
export function headerCurrency(name: string): string | null {
  const code = plainWords(name).toUpperCase().split(" ").at(-1) ?? "";
  if (decimalsOf(code) !== undefined) return code;
  const codes = symbolIn(name);
  return codes && (codes.length === 1 || codes[0] === "GBP") ? (codes[0] ?? null) : null;
}

function symbolIn(name: string): readonly string[] | null {
  const symbol = /\p{Lu}{0,2}\p{Sc}/u.exec(name)?.[0];
  return symbol === undefined ? null : currenciesOf(symbol);
}

function isFlag({ booked, not_booked }: { booked: string[]; not_booked: string[] }): boolean {
  return (
    [...booked, ...not_booked].every((value) => value.length <= 5 && value !== "") &&
    [...booked, ...not_booked].some((value) =>
      /^(?:y|yes|true|1|x|ja|j|oui|si|sim|n|no|false|0|nein|non|nee|nej|nei)$/i.test(value),
    )
  );
}

/**
 * One refund among payments, or a few among many: the others show the meaning of the column's sign.
 */
function isLone({ plus, minus }: { plus: number; minus: number }): boolean {
  const [few, many] = plus < minus ? [plus, minus] : [minus, plus];
  return few === 1 ? many >= 2 : many >= 3 * few;
}

function signsIn(cells: readonly string[]): { plus: number; minus: number } {
  const found = { plus: 0, minus: 0 };
  for (const cell of cells) {
    if (!/[1-9]/.test(cell)) continue;
    const isNegative =
      cell.startsWith("-") || (/\D$|^\D/.test(cell) && amountMarks(cell)?.negative);
    if (isNegative) found.minus++;
    else found.plus++;
  }
  return found;
}

/**
 * Whether every minus is in a row with money out, and every amount without one in a row with money
 * in.
 */
function agrees(amounts: Column, directions: Column): boolean {
  return amounts.all.every((text, row) => {
    const direction = directionOf(directions.all[row] ?? "");
    if (direction === undefined || !/[1-9]/.test(text)) return true;
    return (amountMarks(text)?.negative ?? false) === (direction === -1);
  });
}

function sameLines(one: TriedReading, other: TriedReading): boolean {
  return (
    one.lines.length === other.lines.length &&
    one.lines.every((line, at) => line.amount_minor === other.lines[at]?.amount_minor)
  );
}

export function without<Field extends string>(
  fields: Mapping["fields"],
  field: Field,
): Mapping["fields"] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== field));
}

/** The magnitude of an amount, precise enough to compare; NaN if it is not an amount. */
function sizeOf(text: string, { decimal_separator }: Mapping): number {
  const body = amountMarks(text)?.body;
  if (body === undefined) return Number.NaN;
  const mark = decimal_separator ?? (/[.,](?=\d{1,2}$)/.exec(body)?.[0] || ".");
  const at = body.lastIndexOf(mark);
  const whole = (at < 0 ? body : body.slice(0, at)).replace(/\D/g, "");
  const fraction = at < 0 ? "" : body.slice(at + 1).replace(/\D/g, "");
  return Number(`${whole || "0"}.${fraction || "0"}`);
}
