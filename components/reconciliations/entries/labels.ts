import { ADJUSTMENT_LABELS } from "#components/kit/match-labels.ts";
import type { EntryKind } from "#lib/entries/rules/contract.ts";

export const KIND_LABELS: Record<EntryKind, string> = {
  ...ADJUSTMENT_LABELS,
  residual: "Residual",
  excluded_left: "Excluded, left",
  excluded_right: "Excluded, right",
  carried_left: "Carried, left",
  carried_right: "Carried, right",
};

/** The meaning of each kind, in a pair with these source names. */
export function kindHint(kind: EntryKind, left: string, right: string): string {
  switch (kind) {
    case "residual":
      return "Differences that matches keep within their tolerance";
    case "excluded_left":
      return `Excluded lines of ${left}`;
    case "excluded_right":
      return `Excluded lines of ${right}`;
    case "carried_left":
      return `Lines of ${left} that are open at the end. The next close reverses what it settles`;
    case "carried_right":
      return `Lines of ${right} that are open at the end. The next close reverses what it settles`;
    case "fee":
      return "What a bank or a processor withheld";
    case "fx":
      return "Gains and losses from exchange rates";
    case "rounding":
      return "Amounts that were rounded";
    case "write_off":
      return "Amounts that were given up";
    case "other":
      return "Other differences that a person accepted";
  }
}
