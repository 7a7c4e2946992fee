import { decimalsOf } from "../../wire/currencies.ts";
import { type Fault, minorAmount, wireAmount, writtenAmount } from "../../wire/money.ts";
import { dateReader } from "./dates.ts";
import type { Details, ImportLine } from "./line.ts";
import { type MappedField, SIGN_VALUES } from "./mapping.ts";
import type { Reading } from "./reader.ts";
import type { Place } from "./refusal.ts";

/** Texts of one line by field, trimmed; what is empty is undefined. */
export type Values = { [Field in MappedField]?: string };

const TEXT_FIELDS = [
  "reference",
  "counterparty",
  "description",
  "group_key",
  "external_id",
] as const;

/**
 * Makes lines of named texts, as CSV and JSON have them. A value date that is missing is the booked date. `written` amounts are as
 * people write them; the others have a point before the decimals and nothing else.
 */
export function mappedLines(
  { out, mapping, currency: sourceCurrency, timeZone }: Reading,
  amounts: "written" | "wire",
) {
  const readDate = dateReader(mapping?.date_format ?? "YYYY-MM-DD", timeZone);
  const dateWanted = `a day of the calendar as ${mapping?.date_format ?? "YYYY-MM-DD"}`;
  const separator = mapping?.decimal_separator;
  const signs = signsOf(mapping?.sign_values ?? SIGN_VALUES);
  let negativeDebits: boolean | undefined;

  const amountOf = (text: string, currency: string) =>
    amounts === "wire" && separator === undefined
      ? wireAmount(text, currency)
      : writtenAmount(text, currency, separator);

  function refuse(place: Place, field: MappedField, found: string, fault: Fault): undefined {
    out.refuse(place, field, fault.problem, found, fault.wanted);
  }

  function read(
    place: Place,
    field: MappedField,
    text: string,
    currency: string,
  ): number | undefined {
    const amount =
      field === "amount_minor" || field === "fee_minor"
        ? minorAmount(text)
        : amountOf(text, currency);
    return typeof amount === "number" ? amount : refuse(place, field, text, amount);
  }

  function signed(
    place: Place,
    field: MappedField,
    values: Values,
    currency: string,
  ): number | undefined {
    const text = values[field] ?? "";
    const amount = read(place, field, text, currency);
    if (amount === undefined || mapping?.fields.sign === undefined) return amount;
    const sign = signs.get((values.sign ?? "").toUpperCase());
    if (sign === undefined)
      return refuse(place, "sign", values.sign ?? "", {
        problem: "This says neither debit nor credit.",
        wanted: SIGN_WANTED(signs),
      });
    if (amount < 0)
      return refuse(place, field, text, {
        problem: "The amount has a sign, and the sign column says one too.",
        wanted: "one of the two",
      });
    return sign * amount || 0;
  }

  /** One of a pair of columns: what went out, or what came in. Whether debits are written with a minus, the first of them says. */
  function paired(place: Place, values: Values, currency: string): number | undefined {
    const debit = values.debit === undefined ? 0 : read(place, "debit", values.debit, currency);
    const credit = values.credit === undefined ? 0 : read(place, "credit", values.credit, currency);
    if (debit === undefined || credit === undefined) return undefined;
    if (debit !== 0 && credit !== 0) {
      return refuse(place, "debit", `${values.debit} and ${values.credit}`, {
        problem: "Debit and credit are both filled.",
        wanted: "one of the two",
      });
    }
    if (credit < 0)
      return refuse(place, "credit", values.credit ?? "", {
        problem: "A credit is negative.",
        wanted: "an amount without a sign",
      });
    if (debit === 0) return credit;
    negativeDebits ??= debit < 0;
    if (debit < 0 === negativeDebits) return -Math.abs(debit);
    const wanted = negativeDebits
      ? "a minus, as the debits before it have"
      : "no minus, as the debits before it";
    return refuse(place, "debit", values.debit ?? "", {
      problem: "Debits are written in two ways.",
      wanted,
    });
  }

  function minorOf(place: Place, values: Values, currency: string): number | undefined {
    const given = (["amount", "amount_minor"] as const).filter(
      (field) => values[field] !== undefined,
    );
    const isPair = values.debit !== undefined || values.credit !== undefined;
    if (given.length + (isPair ? 1 : 0) > 1) {
      return refuse(place, "amount", given.map((field) => values[field]).join(" and "), {
        problem: "The line has two amounts.",
        wanted: "one",
      });
    }
    const [field] = given;
    if (field) return signed(place, field, values, currency);
    if (isPair) return paired(place, values, currency);
    return refuse(place, "amount", "", { problem: "The line has no amount.", wanted: "an amount" });
  }

  /** Null: the line has none. */
  function feeOf(
    place: Place,
    values: Values,
    currency: string,
    amount: number,
  ): number | null | undefined {
    const field = values.fee_minor === undefined ? "fee" : "fee_minor";
    const text = values[field];
    if (text === undefined) return null;
    if (field === "fee_minor" && values.fee !== undefined) {
      return refuse(place, "fee", `${values.fee} and ${text}`, {
        problem: "The line has two fees.",
        wanted: "one",
      });
    }
    const written = read(place, field, text, currency);
    if (written === undefined) return undefined;
    const fee = field === "fee" && mapping?.fee_sign === "minus" ? -written || 0 : written;
    if (Number.isSafeInteger(amount - fee)) return fee;
    return refuse(place, field, text, {
      problem: "Less the fee, the amount is too large.",
      wanted: "a smaller fee",
    });
  }

  function dayOf(
    place: Place,
    field: "value_date" | "booked_date",
    text: string,
  ): string | undefined {
    return (
      readDate(text) ??
      refuse(place, field, text, { problem: "This is not a date.", wanted: dateWanted })
    );
  }

  return function add(values: Values, details: Details, position: Place) {
    // Processors write codes in lower case, too.
    const currency = values.currency?.toUpperCase() ?? sourceCurrency;
    if (currency === undefined || decimalsOf(currency) === undefined) {
      return refuse(position, "currency", currency ?? "", {
        problem: "This is not a currency.",
        wanted: "an ISO 4217 code such as EUR",
      });
    }
    const amount_minor = minorOf(position, values, currency);
    if (amount_minor === undefined) return;
    const fee_minor = feeOf(position, values, currency, amount_minor);
    if (fee_minor === undefined) return;
    const booked_date =
      values.booked_date === undefined
        ? undefined
        : dayOf(position, "booked_date", values.booked_date);
    if (values.booked_date !== undefined && booked_date === undefined) return;
    const value_date =
      values.value_date === undefined
        ? booked_date
        : dayOf(position, "value_date", values.value_date);
    if (value_date === undefined) {
      if (values.value_date === undefined)
        refuse(position, "value_date", "", {
          problem: "The line has no date.",
          wanted: dateWanted,
        });
      return;
    }
    const line: ImportLine = { amount_minor, currency, value_date, details, position };
    if (fee_minor !== null) line.fee_minor = fee_minor;
    if (booked_date !== undefined) line.booked_date = booked_date;
    for (const field of TEXT_FIELDS) if (values[field] !== undefined) line[field] = values[field];
    out.add(line);
  };
}

const SIGN_WANTED = (signs: Map<string, 1 | -1>) =>
  `one of ${[...signs.keys()].slice(0, 12).join(", ")}`;

function signsOf({
  debit,
  credit,
}: {
  debit: readonly string[];
  credit: readonly string[];
}): Map<string, 1 | -1> {
  return new Map([
    ...debit.map((word) => [word.toUpperCase(), -1] as const),
    ...credit.map((word) => [word.toUpperCase(), 1] as const),
  ]);
}
