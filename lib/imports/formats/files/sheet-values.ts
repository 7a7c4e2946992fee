import { isDateFormat, serialToDate } from "hucre";

/** What the cells of a workbook refer to. */
export type SheetContext = {
  strings: readonly string[];
  /** By style: whether its numbers are dates. */
  dateStyles: readonly boolean[];
  is1904: boolean;
};

/** Excel computes with 15 digits: further digits are noise of binary fractions. */
const DIGITS = 15;
const NOISE = 1e-10;

/** The styles in `cellXfs` whose numbers are dates. */
export function dateStylesOf(formatIds: readonly string[], custom: ReadonlyMap<string, string>) {
  return formatIds.map((id) => isDateFormat(custom.get(id) ?? id));
}

/**
 * A cell's value as CSV has it: by its type, never by how it is displayed. For a formula, the
 * stored value.
 */
export function cellText(
  type: string,
  style: number,
  value: string,
  context: SheetContext,
): { text: string; isNumber: boolean } {
  switch (type) {
    case "s":
      return { text: context.strings[Number(value)] ?? "", isNumber: false };
    case "b":
      return { text: value === "1" ? "TRUE" : "FALSE", isNumber: false };
    case "d":
      return { text: value.replace(/T00:00:00(?:\.0+)?Z?$/, ""), isNumber: false };
    case "str":
    case "inlineStr":
    case "e":
      return { text: value, isNumber: false };
    default:
      if (value.trim() === "") return { text: "", isNumber: false };
      return context.dateStyles[style] === true
        ? { text: dayText(Number(value), context.is1904), isNumber: false }
        : { text: numberText(value.trim()), isNumber: true };
  }
}

/** Digits without an exponent. Other text is unchanged, and is refused as an amount. */
export function numberText(raw: string): string {
  if (/^-?\d+$/.test(raw)) return raw;
  const digits = raw.replace(/^-?0*\.?0*|\./g, "").length;
  if (/^-?\d+\.\d+$/.test(raw) && digits <= DIGITS) return raw;
  const number = Number(raw);
  if (!Number.isFinite(number)) return raw;
  if (Math.abs(number) < NOISE) return "0";
  const rounded = Number(number.toPrecision(DIGITS));
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
