import { type Lines, NO_DAY } from "../lines.ts";
import type { Rule, RuleField } from "../rules.ts";
import { Hasher } from "./hash.ts";

const hash = new Hasher();

/**
 * Hashes what lines must share to be compared by a rule: the currency and the fields in `on`.
 * @returns the hash, valid until the next call, or null if the line lacks one of the fields.
 */
export function ruleKey(lines: Lines, line: number, on: readonly RuleField[]): Hasher | null {
  hash.start(0x0e).word(lines.currency[line] as number);
  for (const field of on) {
    if (field === "value_date") hash.word(lines.value_date[line] as number);
    else if (field === "booked_date") {
      if (lines.booked_date[line] === NO_DAY) return null;
      hash.word(lines.booked_date[line] as number);
    } else {
      const column = lines.hashes[field];
      if (!column.has(line)) return null;
      hash.word(column.high[line] as number).word(column.low[line] as number);
    }
  }
  return hash;
}

/** The fields by which this rule groups lines: those of its `on`, otherwise the group key. */
export function groupingOf(rule: Rule): readonly RuleField[] {
  return rule.on && rule.on.length > 0 ? rule.on : ["group_key"];
}
