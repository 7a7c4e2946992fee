import {
  type EntryKind,
  type EntryRuleSet,
  PLACEHOLDERS,
  type PushFormat,
} from "#lib/entries/rules/contract.ts";
import { ENTRY_KINDS } from "#lib/wire/facts.gen.ts";

/** A rule as its fields show it; a kind without a rule has empty ones. */
export type RuleDraft = {
  account: string;
  counter_account: string;
  tax_code: string;
  cost_center: string;
  text: string;
};
export type EntryFileDraft = Record<Exclude<keyof EntryRuleSet["ledger"], "push">, string>;
/** Without a connection, nothing is pushed. */
export type PushDraft = { connection_id: string; folder: string; format: PushFormat };
export type EntryRulesDraft = {
  rules: Record<EntryKind, RuleDraft>;
  ledger: EntryFileDraft;
  push: PushDraft;
};

const EMPTY: RuleDraft = {
  account: "",
  counter_account: "",
  tax_code: "",
  cost_center: "",
  text: "",
};

export function draftOf({ rules, ledger }: EntryRuleSet): EntryRulesDraft {
  return {
    rules: Object.fromEntries(
      ENTRY_KINDS.map((kind) => {
        const rule = rules[kind];
        return [
          kind,
          rule
            ? { ...rule, tax_code: rule.tax_code ?? "", cost_center: rule.cost_center ?? "" }
            : EMPTY,
        ];
      }),
    ) as EntryRulesDraft["rules"],
    ledger: {
      datev_consultant: `${ledger.datev_consultant ?? ""}`,
      datev_client: `${ledger.datev_client ?? ""}`,
      datev_account_length: `${ledger.datev_account_length}`,
      fiscal_year_month: `${ledger.fiscal_year_month}`,
      sap_company_code: ledger.sap_company_code ?? "",
    },
    push: {
      connection_id: ledger.push?.connection_id ?? "",
      folder: ledger.push?.folder ?? "",
      format: ledger.push?.format ?? "csv",
    },
  };
}

export const isEmpty = ({ account, counter_account }: RuleDraft) =>
  account.trim() === "" && counter_account.trim() === "";

/** The request body. A kind without accounts posts nothing. */
export function rulesOf({ rules }: EntryRulesDraft) {
  return Object.fromEntries(
    ENTRY_KINDS.map((kind) => {
      const rule = rules[kind];
      if (isEmpty(rule)) return [kind, null];
      return [
        kind,
        {
          account: rule.account.trim(),
          counter_account: rule.counter_account.trim(),
          tax_code: rule.tax_code.trim() || null,
          cost_center: rule.cost_center.trim() || null,
          text: rule.text.trim() || "{kind} {reference}",
        },
      ];
    }),
  ) as EntryRuleSet["rules"];
}

export function settingsOf({ ledger, push }: EntryRulesDraft): EntryRuleSet["ledger"] {
  const number = (text: string) => (text.trim() === "" ? null : Number(text));
  return {
    datev_consultant: number(ledger.datev_consultant),
    datev_client: number(ledger.datev_client),
    datev_account_length: Number(ledger.datev_account_length),
    fiscal_year_month: Number(ledger.fiscal_year_month),
    sap_company_code: ledger.sap_company_code.trim().toUpperCase() || null,
    push: push.connection_id === "" ? null : { ...push, folder: push.folder.trim() || null },
  };
}

/** The errors of a rule, by field. */
export function faultsOf(rule: RuleDraft): Partial<Record<keyof RuleDraft, string>> {
  if (isEmpty(rule)) return {};
  const unknown = [...rule.text.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name = ""]) => name)
    .find((name) => !(PLACEHOLDERS as readonly string[]).includes(name));
  return {
    ...(rule.account.trim() === "" && { account: "Enter an account." }),
    ...(rule.counter_account.trim() === "" && { counter_account: "Enter an account." }),
    ...(unknown !== undefined && { text: `{${unknown}} isn't a placeholder.` }),
  };
}
