"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import {
  type EntryPreview,
  type EntryRuleSet,
  previewEntriesContract,
} from "#lib/entries/rules/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { periodsOfPair } from "../queries.ts";
import { EntryTable } from "./entry-table.tsx";
import { KIND_LABELS } from "./labels.ts";
import { previewPeriods } from "./preview-periods.ts";

/** The entries that a period would post, or would have posted, by these rules, saved or not. */
export function EntryPreviewCard({
  reconciliation,
  rules,
  faulty,
  onRefused,
}: {
  reconciliation: Reconciliation;
  rules: EntryRuleSet["rules"];
  faulty: boolean;
  /** Called instead of a preview while fields are invalid. */
  onRefused: () => void;
}) {
  const tenant = useTenantId();
  const { data } = useQuery(periodsOfPair(tenant, reconciliation));
  const [chosen, setChosen] = useState<string | null>(null);
  const { periods, first } = previewPeriods(data?.items ?? [], reconciliation);
  const period = periods.find(({ id }) => id === chosen) ?? first;
  const preview = useMutate({
    send: (tried: EntryRuleSet["rules"], idempotencyKey) =>
      callApi(previewEntriesContract, {
        tenant,
        params: { id: period.id },
        body: { rules: tried },
        idempotencyKey,
      }),
    onDone: (found) => setFound(found),
  });
  const [found, setFound] = useState<EntryPreview | null>(null);
  return (
    <Card
      title="Preview"
      hint={`What ${period.name} ${period.closed_at ? "would have posted" : "would post if it closed now"}. Nothing is kept.`}
      aside={
        <Button
          size="sm"
          disabled={preview.isPending}
          onClick={() => (faulty ? onRefused() : preview.start(rules))}
        >
          {preview.isPending ? "Computing…" : "Preview entries"}
        </Button>
      }
    >
      {periods.length > 1 && (
        <SelectField
          label="Period"
          className="max-w-sm"
          disabled={preview.isPending}
          value={period.id}
          onChange={({ target }) => {
            setChosen(target.value);
            setFound(null);
          }}
        >
          {periods.map(({ id, name, closed_at }) => (
            <option key={id} value={id}>
              {closed_at === null ? `${name} (open)` : name}
            </option>
          ))}
        </SelectField>
      )}
      {preview.error && <ProblemNote error={preview.error} />}
      <div role="status">{found && <Found preview={found} />}</div>
    </Card>
  );
}

function Found({ preview: { sums, entries, without_rule } }: { preview: EntryPreview }) {
  const count = sums.reduce((sum, { entry_count }) => sum + entry_count, 0);
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p>
        {count === 0
          ? "Nothing would be posted."
          : `${pluralize(count, "entry", "entries")}, debit = credit: ${sums
              .map(({ debit_minor, currency }) => formatMoney(debit_minor, currency))
              .join(" · ")}.`}
        {count > entries.length && ` The first ${entries.length} are below.`}
      </p>
      {entries.length > 0 && <EntryTable caption="Preview of entries" entries={entries} />}
      {without_rule.length > 0 && (
        <div className="text-muted">
          <p>Without a rule, so not posted:</p>
          <ul className="list-disc pl-5">
            {without_rule.map(({ kind, currency, count: found, difference_minor }) => (
              <li key={`${kind} ${currency}`}>
                {KIND_LABELS[kind]}: {found.toLocaleString("en")},{" "}
                <span className="tabular-nums">{formatMoney(difference_minor, currency)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
