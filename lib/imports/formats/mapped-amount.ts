import { amountMarks } from "../../wire/amount-marks.ts";
import { type Fault, minorAmount, wireAmount, writtenAmount } from "../../wire/money.ts";
import { type MappedField, SIGN_VALUES } from "./mapping.ts";
import type { Reading } from "./reader.ts";
import type { Place } from "./refusal.ts";
import { directionOf } from "./words/directions.ts";

/** The texts of one line by field, trimmed; an empty text is undefined. */
export type Values = { [Field in MappedField]?: string };

/**
 * Reads a line's amount and fee from its texts, in minor units, and adds a refusal to `out` if one
 * can't be read. `written` amounts are formatted for people; `wire` amounts have a point before the
 * decimals.
 */
export function mappedAmounts({ out, mapping }: Reading, amounts: "written" | "wire") {
  const separator = mapping?.decimal_separator;
  const signs = signsOf(mapping?.sign_values);
  const { debit_sign, credit_sign, amount_sign, unmarked } = mapping ?? {};
  let negativeDebits: boolean | undefined;

  const amountOf = (text: string, currency: string) =>
    amounts === "wire" && separator === undefined
      ? wireAmount(text, currency)
      : writtenAmount(text, currency, separator);

  function refuse(place: Place, field: MappedField, found: string, fault: Fault): undefined {
    out.refuse(place, field, fault.problem, found, fault.wanted);
  }

  function readAmount(
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

  function signedAmount(
    place: Place,
    field: MappedField,
    values: Values,
    currency: string,
  ): number | undefined {
    const text = values[field] ?? "";
    const amount = readAmount(place, field, text, currency);
    if (amount === undefined) return undefined;
    if (mapping?.fields.sign === undefined) {
      if (amount_sign === "inverted") return -amount || 0;
      if (unmarked === "debit" && amount > 0 && !amountMarks(text)?.signed) return -amount;
      return amount;
    }
    const word = values.sign ?? "";
    const sign = signs.get(word.toUpperCase()) ?? directionOf(word);
    if (sign === undefined)
      return refuse(place, "sign", word, {
        problem: "This says neither debit nor credit.",
        wanted: wantedSigns(signs),
      });
    if (amount_sign === "repeats") return sign * Math.abs(amount) || 0;
    if (amount < 0 && amount_sign !== "reverses")
      return refuse(place, field, text, {
        problem: "The amount has a sign, and the sign column says one too.",
        wanted: "one of the two",
      });
    return sign * amount || 0;
  }

  /** The amount in a pair of columns, for money out and money in, of which one is filled. */
  function pairedAmount(place: Place, values: Values, currency: string): number | undefined {
    const debit =
      values.debit === undefined ? 0 : readAmount(place, "debit", values.debit, currency);
    const credit =
      values.credit === undefined ? 0 : readAmount(place, "credit", values.credit, currency);
    if (debit === undefined || credit === undefined) return undefined;
    if (debit !== 0 && credit !== 0) {
      return refuse(place, "debit", `${values.debit} and ${values.credit}`, {
        problem: "Debit and credit are both filled.",
        wanted: "one of the two",
      });
    }
    if (credit < 0 && credit_sign === undefined)
      return refuse(place, "credit", values.credit ?? "", {
        problem: "A credit is negative.",
        wanted: "an amount without a sign, or a mapping that says credit_sign",
      });
    if (debit === 0) return (credit_sign === "minus" ? -credit : credit) || 0;
    if (debit_sign !== undefined) return debit_sign === "minus" ? debit : -debit;
    if (amounts === "written" && debit < 0)
      return refuse(place, "debit", values.debit ?? "", {
        problem: "A debit is negative.",
        wanted: "an amount without a sign, or a mapping that says debit_sign",
      });
    negativeDebits ??= debit < 0;
    if (debit < 0 === negativeDebits) return -Math.abs(debit);
    const expected = negativeDebits
      ? "a minus, as the debits before it have"
      : "no minus, as the debits before it";
    return refuse(place, "debit", values.debit ?? "", {
      problem: "Debits are written in two ways.",
      wanted: expected,
    });
  }

  function minorOf(place: Place, values: Values, currency: string): number | undefined {
    const present = (["amount", "amount_minor"] as const).filter(
      (field) => values[field] !== undefined,
    );
    const isPair = values.debit !== undefined || values.credit !== undefined;
    if (present.length + (isPair ? 1 : 0) > 1) {
      return refuse(place, "amount", present.map((field) => values[field]).join(" and "), {
        problem: "The line has two amounts.",
        wanted: "one",
      });
    }
    const [field] = present;
    if (field) return signedAmount(place, field, values, currency);
    if (isPair) return pairedAmount(place, values, currency);
    return refuse(place, "amount", "", { problem: "The line has no amount.", wanted: "an amount" });
  }

  /** Null if the line has no fee, undefined if the fee was refused. */
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
    const written = readAmount(place, field, text, currency);
    if (written === undefined) return undefined;
    const fee = mapping?.fee_sign === "minus" ? -written || 0 : written;
    if (Number.isSafeInteger(amount - fee)) return fee;
    return refuse(place, field, text, {
      problem: "Less the fee, the amount is too large.",
      wanted: "a smaller fee",
    });
  }

  return { minorOf, feeOf };
}

const wantedSigns = (signs: Map<string, 1 | -1>) =>
  `one of ${[...signs.keys()].slice(0, 12).join(", ")}`;

function signsOf(
  given: { debit: readonly string[]; credit: readonly string[] } | undefined,
): Map<string, 1 | -1> {
  const { debit, credit } = given ?? SIGN_VALUES;
  return new Map([
    ...debit.map((word) => [word.toUpperCase(), -1] as const),
    ...credit.map((word) => [word.toUpperCase(), 1] as const),
  ]);
}
