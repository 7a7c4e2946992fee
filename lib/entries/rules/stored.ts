import { type EntryRuleSet, entryRuleSet } from "./contract.ts";

type Stored = Omit<EntryRuleSet, "rules" | "ledger"> & {
  rules: Partial<EntryRuleSet["rules"]>;
  ledger: Partial<EntryRuleSet["ledger"]>;
};

const { rules, ledger } = entryRuleSet.shape;

/** Contains every kind and setting, even for a pair whose rules nobody has set. */
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
