import { isDateFormat, serialToDate } from "hucre";
import { markingFormat, type NumberFormat, withMarks } from "./number-format.ts";

/** How a style shows numbers: as days, or as amounts with marks that the value lacks. */
type NumberStyle = "day" | NumberFormat | null;
export type CellKind = "number" | "day" | "text";

/** The shared data that the cells of a workbook refer to. */
export type SheetContext = {
  strings: readonly string[];
  styles: readonly NumberStyle[];
  is1904: boolean;
  /** Whether no formula of the workbook was computed, so that 0 may mean no result. */
  isUncomputed: boolean;
};

/** A cell as written in the sheet's XML. `formula`: undefined for a plain value. */
export type RawCell = { type: string; style: number; value: string; formula?: string };

/** Excel computes with 15 digits: further digits are noise of binary fractions. */
const SIGNIFICANT_DIGITS = 15;
const MAX_NOISE = 1e-10;

/**
 * Parts of formats that name a currency or a language. Their letters, as in [$₪-40D], aren't those
 * of a date.
 */
const LOCALES = /\[\$[^\]]*\]/g;

/** The styles in `cellXfs`. */
export function stylesOf(
  formatIds: readonly string[],
  custom: ReadonlyMap<string, string>,
): NumberStyle[] {
  const cache = new Map<string, NumberStyle>();
  return formatIds.map((id) => {
    const code = custom.get(id) ?? id;
    const style =
      cache.get(code) ?? (isDateFormat(code.replace(LOCALES, "")) ? "day" : markingFormat(code));
    cache.set(code, style);
    return style;
  });
}

/**
 * A cell's value as CSV would write it, with the currency and the side that its format shows. For a
 * formula this is the stored result; if none is stored, it is the formula itself, which is refused
 * as an amount.
 */
export function cellText(cell: RawCell, context: SheetContext): { text: string; kind: CellKind } {
  const { type, style, value, formula } = cell;
  switch (type) {
    case "s":
      return { text: context.strings[Number(value)] ?? "", kind: "text" };
    case "b":
      return { text: value === "1" ? "TRUE" : "FALSE", kind: "text" };
    case "d":
      return { text: value.replace(/T00:00:00(?:\.0+)?Z?$/, ""), kind: "day" };
    case "str":
    case "inlineStr":
    case "e":
      return { text: value, kind: "text" };
    default: {
      const number = value.trim();
      if (formula !== undefined && !hasResult(number, context.isUncomputed))
        return { text: `=${formula || "formula"}`, kind: "text" };
      if (number === "") return { text: "", kind: "text" };
      const format = context.styles[style] ?? null;
      if (format === "day") return { text: dayText(Number(number), context.is1904), kind: "day" };
      const text = numberText(number);
      return { text: format === null ? text : withMarks(text, format), kind: "number" };
    }
  }
}

/** Whether a formula's stored value is its result. */
export function hasResult(value: string, isUncomputed: boolean): boolean {
  return value !== "" && !(isUncomputed && Number(value) === 0);
}

/** Digits without an exponent. Other text is unchanged, and is refused as an amount. */
export function numberText(raw: string): string {
  if (/^-?\d+$/.test(raw)) return raw;
  const digits = raw.replace(/^-?0*\.?0*|\./g, "").length;
  if (/^-?\d+\.\d+$/.test(raw) && digits <= SIGNIFICANT_DIGITS) return raw;
  const number = Number(raw);
  if (!Number.isFinite(number)) return raw;
  if (Math.abs(number) < MAX_NOISE) return "0";
  const rounded = Number(number.toPrecision(SIGNIFICANT_DIGITS));
  const text = String(rounded);
  if (!text.includes("e")) return text;
  return Number.isInteger(rounded) ? BigInt(rounded).toString() : raw;
}

/** A day, with its time if it has one. */
function dayText(serial: number, is1904: boolean): string {
  if (!(serial >= 1 && serial < 2_958_466)) return String(serial);
  const [day = "", time = ""] = serialToDate(serial, is1904).toISOString().split("T");
  return time.startsWith("00:00:00") ? day : `${day} ${time.slice(0, 8)}`;
}
