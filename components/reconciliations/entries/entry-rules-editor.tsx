"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import type { Version } from "#components/kit/query.ts";
import { useMutate } from "#components/kit/use-mutate.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/toast.ts";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import {
  type EntryRuleSet,
  PLACEHOLDERS,
  putEntryRulesContract,
} from "#lib/entries/rules/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
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
import { EntryFileCard } from "./entry-file-card.tsx";
import { EntryPreviewCard } from "./entry-preview-card.tsx";
import { EntryRuleFields } from "./entry-rule-fields.tsx";
import { PushCard } from "./push-card.tsx";

export function EntryRulesEditor({
  reconciliation,
  version: { data, etag },
  readOnly,
}: {
  reconciliation: Reconciliation;
  version: Version<EntryRuleSet>;
  readOnly: boolean;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const before = draftOf(data);
  const [draft, setDraft] = useState(before);
  const [shown, setShown] = useState(false);
  const changed = JSON.stringify(draft) !== JSON.stringify(before);
  useUnsavedWarning(changed);
  const faulty = ENTRY_KINDS.some((kind) => Object.keys(faultsOf(draft.rules[kind])).length > 0);
  const save = useMutate({
    send: (sent: EntryRulesDraft) =>
      callApi(putEntryRulesContract, {
        tenant,
        params: { id: reconciliation.id },
        body: { rules: rulesOf(sent), ledger: settingsOf(sent) },
        ifMatch: etag,
      }),
    onDone: ({ version }) => {
      toast(`Saved version ${version}. The next close posts by it.`);
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
    },
  });
  const change = (kind: (typeof ENTRY_KINDS)[number], part: Partial<RuleDraft>) =>
    setDraft((now) => ({
      ...now,
      rules: { ...now.rules, [kind]: { ...now.rules[kind], ...part } },
    }));

  return (
    <div className="flex flex-col gap-4 *:max-w-4xl">
      <p className="text-sm text-muted">
        When a period closes, what it adjusts, excludes or carries becomes entries for your ledger.
        Where {reconciliation.left_source} is smaller than {reconciliation.right_source}, the
        account is debited and the counter account credited; where it is larger, the other way
        round. A kind without accounts posts nothing.{" "}
        {data.updated_at && (
          <>
            Version {data.version}, saved{" "}
            <ActorName iso={data.updated_at} actor={data.updated_by} />.
          </>
        )}
      </p>
      <Card
        title="Accounts"
        hint={`Texts can have ${PLACEHOLDERS.map((name) => `{${name}}`).join(", ")}.`}
      >
        <div className="flex flex-col divide-y divide-line">
          {ENTRY_KINDS.map((kind) => (
            <EntryRuleFields
              key={kind}
              kind={kind}
              rule={draft.rules[kind]}
              faults={shown ? faultsOf(draft.rules[kind]) : {}}
              reconciliation={reconciliation}
              readOnly={readOnly}
              onChange={(part) => change(kind, part)}
            />
          ))}
        </div>
      </Card>
      <EntryFileCard
        ledger={draft.ledger}
        readOnly={readOnly}
        onChange={(part) => setDraft((now) => ({ ...now, ledger: { ...now.ledger, ...part } }))}
      />
      <PushCard
        push={draft.push}
        readOnly={readOnly}
        onChange={(part) => setDraft((now) => ({ ...now, push: { ...now.push, ...part } }))}
      />
      <EntryPreviewCard
        reconciliation={reconciliation}
        rules={rulesOf(draft)}
        faulty={faulty}
        onRefused={() => setShown(true)}
      />
      {save.error && <ProblemNote error={save.error} />}
      {!readOnly && (
        <div className="pinned sticky bottom-0 -mx-4 flex max-w-none! flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
          <Button
            variant="primary"
            disabled={!changed || save.isPending}
            onClick={() => {
              setShown(true);
              if (!faulty) save.start(draft);
            }}
          >
            {save.isPending ? "Saving…" : "Save"}
          </Button>
          {changed ? (
            <Button onClick={() => setDraft(before)}>Discard changes</Button>
          ) : (
            <p className="text-sm text-muted">No changes</p>
          )}
          {shown && faulty && (
            <p role="alert" className="text-sm text-danger">
              Fix the fields that are marked.
            </p>
          )}
        </div>
      )}
    </div>
  );
}
