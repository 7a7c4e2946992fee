"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import type { Version } from "#components/kit/query.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { toast } from "#components/ui/toast.ts";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import {
  type EntryKind,
  type EntryRuleSet,
  putEntryRulesContract,
} from "#lib/entries/rules/contract.ts";
import { ENTRY_KINDS } from "#lib/wire/facts.gen.ts";
import { reconciliationsKey } from "../queries.ts";
import {
  draftOf,
  type EntryRulesDraft,
  faultsOf,
  type RuleDraft,
  rulesOf,
  settingsOf,
} from "./draft.ts";

/** The edited entry rules of a reconciliation. Errors are shown from the first attempt to save. */
export function useEntryRulesDraft(
  reconciliationId: string,
  { data, etag }: Version<EntryRuleSet>,
) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const before = draftOf(data);
  const [draft, setDraft] = useState(before);
  const [showsFaults, setShowsFaults] = useState(false);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(before);
  useUnsavedWarning(isChanged);
  const isFaulty = ENTRY_KINDS.some((kind) => Object.keys(faultsOf(draft.rules[kind])).length > 0);
  const { start, isPending, error } = useMutate({
    send: (sent: EntryRulesDraft) =>
      callApi(putEntryRulesContract, {
        tenant,
        params: { id: reconciliationId },
        body: { rules: rulesOf(sent), ledger: settingsOf(sent) },
        ifMatch: etag,
      }),
    onDone: ({ version }) => {
      toast(`Saved version ${version}. The next close posts by it.`);
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
    },
  });
  return {
    draft,
    isChanged,
    isFaulty,
    isPending,
    error,
    showsFaults,
    showFaults: () => setShowsFaults(true),
    changeLedger: (part: Partial<EntryRulesDraft["ledger"]>) =>
      setDraft((now) => ({ ...now, ledger: { ...now.ledger, ...part } })),
    changePush: (part: Partial<EntryRulesDraft["push"]>) =>
      setDraft((now) => ({ ...now, push: { ...now.push, ...part } })),
    changeRule: (kind: EntryKind, part: Partial<RuleDraft>) =>
      setDraft((now) => ({
        ...now,
        rules: { ...now.rules, [kind]: { ...now.rules[kind], ...part } },
      })),
    save: () => {
      setShowsFaults(true);
      if (!isFaulty) start(draft);
    },
    discard: () => setDraft(before),
  };
}
