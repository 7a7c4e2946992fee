import { type EntryRuleSet, entryRuleSet } from "./contract.ts";

type Stored = Omit<EntryRuleSet, "rules" | "ledger"> & {
  rules: Partial<EntryRuleSet["rules"]>;
  ledger: Partial<EntryRuleSet["ledger"]>;
};

const { rules, ledger } = entryRuleSet.shape;

/** With every kind and setting, also for a pair for which nobody has set any. */
export function withDefaultRules(stored: Stored): EntryRuleSet {
  return {
    ...stored,
    rules: rules.parse(stored.rules),
    ledger: withDefaultSettings(stored.ledger),
  };
}

export function withDefaultSettings(
  stored: Partial<EntryRuleSet["ledger"]>,
): EntryRuleSet["ledger"] {
  return ledger.parse(stored);
}
