/** Describes lines and matches in words, for examples. */
import type { Dataset, DatasetLine } from "./datasets/dataset.ts";

function describeLine(line: DatasetLine): string {
  const date = new Date(line.value_date * 86_400_000).toISOString().slice(5, 10);
  const texts = [line.reference, line.counterparty, line.description].filter(Boolean).join(", ");
  return `\`${line.amount_minor} ${line.currency} ${date} ${texts.replaceAll("`", "'")}\``;
}

/** Describes a match by the first four lines of each side. */
export function describeMatch(
  dataset: Dataset,
  left: readonly string[],
  right: readonly string[],
): string {
  const lines = new Map([...dataset.left, ...dataset.right].map((line) => [line.identity, line]));
  const described = (identities: readonly string[]) =>
    identities
      .slice(0, 4)
      .map((identity) => describeLine(lines.get(identity) as DatasetLine))
      .join("; ");
  return `${described(left) || "nothing"} **with** ${described(right) || "nothing"}`;
}
