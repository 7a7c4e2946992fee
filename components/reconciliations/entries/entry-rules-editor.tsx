"use client";

import { Card } from "#components/kit/card.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import type { Version } from "#components/kit/query.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { type EntryRuleSet, PLACEHOLDERS } from "#lib/entries/rules/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { ENTRY_KINDS } from "#lib/wire/facts.gen.ts";
import { faultsOf, rulesOf } from "./draft.ts";
import { EntryFileCard } from "./entry-file-card.tsx";
import { EntryPreviewCard } from "./entry-preview-card.tsx";
import { EntryRuleFields } from "./entry-rule-fields.tsx";
import { PushCard } from "./push-card.tsx";
import { useEntryRulesDraft } from "./use-entry-rules-draft.ts";

export function EntryRulesEditor({
  reconciliation,
  version,
  readOnly,
}: {
  reconciliation: Reconciliation;
  version: Version<EntryRuleSet>;
  readOnly: boolean;
}) {
  const { draft, changeRule, changeLedger, changePush, ...form } = useEntryRulesDraft(
    reconciliation.id,
    version,
  );
  const { isFaulty, showsFaults, showFaults, error, ...saving } = form;
  return (
    <div className="flex flex-col gap-4 *:max-w-4xl">
      <Introduction reconciliation={reconciliation} rules={version.data} />
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
              faults={showsFaults ? faultsOf(draft.rules[kind]) : {}}
              reconciliation={reconciliation}
              readOnly={readOnly}
              onChange={(part) => changeRule(kind, part)}
            />
          ))}
        </div>
      </Card>
      <EntryFileCard ledger={draft.ledger} readOnly={readOnly} onChange={changeLedger} />
      <PushCard push={draft.push} readOnly={readOnly} onChange={changePush} />
      <EntryPreviewCard
        reconciliation={reconciliation}
        rules={rulesOf(draft)}
        faulty={isFaulty}
        onRefused={showFaults}
      />
      {error && <ProblemNote error={error} />}
      {!readOnly && <SaveBar {...saving} hasError={showsFaults && isFaulty} />}
    </div>
  );
}

function Introduction({
  reconciliation,
  rules,
}: {
  reconciliation: Reconciliation;
  rules: EntryRuleSet;
}) {
  return (
    <p className="text-sm text-muted">
      When a period closes, what it adjusts, excludes or carries becomes entries for your ledger.
      Where {reconciliation.left_source} is smaller than {reconciliation.right_source}, the account
      is debited and the counter account credited; where it is larger, the other way round. A kind
      without accounts posts nothing.{" "}
      {rules.updated_at && (
        <>
          Version {rules.version}, saved{" "}
          <ActorName iso={rules.updated_at} actor={rules.updated_by} />.
        </>
      )}
    </p>
  );
}

function SaveBar({
  isChanged,
  isPending,
  hasError,
  save,
  discard,
}: {
  isChanged: boolean;
  isPending: boolean;
  hasError: boolean;
  save: () => void;
  discard: () => void;
}) {
  return (
    <div className="pinned sticky bottom-0 -mx-4 flex max-w-none! flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
      <Button variant="primary" disabled={!isChanged || isPending} onClick={save}>
        {isPending ? "Saving…" : "Save"}
      </Button>
      {isChanged ? (
        <Button onClick={discard}>Discard changes</Button>
      ) : (
        <p className="text-sm text-muted">No changes</p>
      )}
      {hasError && (
        <p role="alert" className="text-sm text-danger-text">
          Fix the fields that are marked.
        </p>
      )}
    </div>
  );
}
