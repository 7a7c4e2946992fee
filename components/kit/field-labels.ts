import { formatMoney } from "#components/ui/money.ts";

/** A field of an object at any depth, with its name in words and a value without nested fields. */
type NamedValue = { key: string; name: string; value: unknown };

const CAPITALS = new Set(["api", "csv", "iban", "id", "ids", "ip", "json", "sla", "url", "utc"]);

/** "source_line" → "Source line", "minutes.high" → "Minutes › high". */
export function fieldName(path: string): string {
  const words = path
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\s]+/g, " ")
    .replaceAll(".", " › ")
    .trim()
    .split(" ")
    .map((word) =>
      CAPITALS.has(word.toLowerCase()) ? word.toUpperCase().replace(/^IDS$/, "IDs") : word,
    );
  const name = words.join(" ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** All fields of an object or a list; nested ones are named after their parents, too. */
export function flattenFields(
  value: object,
  { under = [], currency }: { under?: readonly string[]; currency?: string | undefined } = {},
): NamedValue[] {
  const own = currencyIn(value) ?? currency;
  return Object.entries(value).flatMap(([key, fieldValue]) => {
    const path = [...under, Array.isArray(value) ? String(Number(key) + 1) : key];
    if (isNested(fieldValue)) return flattenFields(fieldValue, { under: path, currency: own });
    const amount = amountIn(key, fieldValue, own);
    const names = amount === null ? path : [...path.slice(0, -1), key.replace(MINOR, "")];
    return [
      {
        key: path.join(),
        name: names.map(fieldName).join(" › "),
        value: amount ?? fieldValue,
      },
    ];
  });
}

const MINOR = /_minor$/;

/** An amount in minor units as money; null for any other field, or without a currency. */
function amountIn(key: string, value: unknown, currency: string | undefined): string | null {
  return currency !== undefined && MINOR.test(key) && Number.isSafeInteger(value)
    ? formatMoney(value as number, currency)
    : null;
}

function currencyIn(value: object): string | undefined {
  const { currency } = value as { currency?: unknown };
  return typeof currency === "string" && /^[A-Z]{3}$/.test(currency) ? currency : undefined;
}

/** A value on one line. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === "") return "None";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value !== "object") return String(value);
  const items: unknown[] = Object.values(value);
  if (items.length === 0) return "None";
  const words = isNested(value)
    ? flattenFields(value).map((field) => `${field.name}: ${valueText(field.value)}`)
    : items.map(valueText);
  return words.join(isNested(value) ? "; " : ", ");
}

/** Whether it is a non-empty object, or a list that contains an object. */
function isNested(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return false;
  return !Array.isArray(value) || value.some((item) => typeof item === "object" && item !== null);
}
