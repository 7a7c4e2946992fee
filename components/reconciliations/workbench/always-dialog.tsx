"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogBody } from "#components/ui/dialog.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { Note } from "#components/ui/note.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { reconciliationsKey, rulesOf } from "../queries.ts";
import { draftRule, withRule } from "../rules/draft-rule.ts";
import { RuleDialog } from "../rules/rule-dialog.tsx";
import { draftOf, type Rule, sentenceOf } from "../rules/sentence.ts";
import { TryDialog } from "../rules/try-dialog.tsx";
import type { Option } from "./options.ts";

const TITLE = "Always match like this?";

/**
 * Drafts a rule from the fields that agree in a suggestion and previews its effect. It is saved
 * only when confirmed.
 */
export function AlwaysDialog({
  reconciliation,
  option,
  currency,
  onClose,
}: {
  reconciliation: Reconciliation;
  option: Option;
  currency: string;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { data: version, error } = useQuery({
    ...rulesOf(tenant, reconciliation.id),
    refetchOnWindowFocus: false,
  });
  const [edited, setEdited] = useState<Rule | null>(null);
  const [editing, setEditing] = useState(false);
  if (!version) {
    return (
      <Dialog title={TITLE} onClose={onClose}>
        <DialogBody>
          {error ? (
            <ProblemNote error={error} />
          ) : (
            <PartSkeleton label="Loading the rules" bars={["h-16 w-full"]} />
          )}
        </DialogBody>
      </Dialog>
    );
  }
  const { rules } = version.data;
  const taken = rules.map(({ name }) => name);
  const rule = edited ?? draftRule(option, taken);
  if (editing) {
    return (
      <RuleDialog
        initial={rule}
        currency={{ code: currency, isOnly: true }}
        taken={taken}
        onClose={() => setEditing(false)}
        onSave={(changed) => {
          setEdited(changed);
          setEditing(false);
        }}
      />
    );
  }
  return (
    <TryDialog
      key={JSON.stringify(rule)}
      reconciliation={reconciliation}
      title={TITLE}
      draft={{
        ...draftOf(version.data),
        rules: withRule(rules, rule, option.method),
      }}
      etag={version.etag}
      onClose={onClose}
      onSaved={() => {
        cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
        onClose();
      }}
    >
      <div className="flex items-start justify-between gap-3 rounded-lg border border-line bg-raised p-3 text-sm">
        <p className="min-w-0">
          <span className="block font-medium">{rule.name}</span>
          <span className="text-muted">
            {sentenceOf(rule, (minor) => formatMoney(minor, currency))}
          </span>
        </p>
        <Button size="sm" onClick={() => setEditing(true)}>
          Edit rule
        </Button>
      </div>
      {rule.then === "suggest" && (
        <Note tone="info">
          Too little agrees here to match automatically, so this rule only suggests. Edit it to add
          a field that has to agree.
        </Note>
      )}
    </TryDialog>
  );
}
