"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { CalendarField } from "#components/kit/calendar-field.tsx";
import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import type { Version } from "#components/kit/query.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { percent } from "#components/ui/percent.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { Segmented } from "#components/ui/segmented.tsx";
import { Time } from "#components/ui/time.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { AUTOMATIC, type RuleSet } from "#lib/matching/rules/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { pairMoney, usePairCurrency } from "../pair-currency.ts";
import { reconciliationsKey } from "../queries.ts";
import { ClosingCard } from "./closing-card.tsx";
import { KnownNames } from "./known-names.tsx";
import { RuleCard } from "./rule-card.tsx";
import { draftOf, moved, outcomeOf, type Rule, type RulesDraft } from "./sentence.ts";

const RuleDialog = dynamic(() => import("./rule-dialog.tsx").then((part) => part.RuleDialog), {
  ssr: false,
});
const TryDialog = dynamic(() => import("./try-dialog.tsx").then((part) => part.TryDialog), {
  ssr: false,
});

const AUTOMATIC_LABELS: Record<RuleSet["automatic"], string> = {
  suggest_only: "Never",
  earned: "Once proven",
  always: "Always",
};
const NEW_RULE: Rule = {
  name: "",
  kind: "tolerance",
  on: [],
  amount_tolerance_minor: 100,
  days_before: 3,
  days_after: 3,
  then: "suggest",
};

export function RulesEditor({
  reconciliation,
  version: { data, etag },
  run,
  readOnly,
}: {
  reconciliation: Reconciliation;
  version: Version<RuleSet>;
  /** The last run, whose counts the rules show. */
  run: Run | null;
  readOnly: boolean;
}) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const before: RulesDraft = { ...draftOf(data), forget_names: [] };
  const [draft, setDraft] = useState(before);
  const [editing, setEditing] = useState<number | "new" | null>(null);
  const [trying, setTrying] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [announcement, setAnnouncement] = useState("");
  const changed = JSON.stringify(draft) !== JSON.stringify(before);
  useUnsavedWarning(changed);
  const waterfall = run?.waterfall ?? [];
  const currency = usePairCurrency(reconciliation, run);
  const change = (part: Partial<RulesDraft>) => setDraft((now) => ({ ...now, ...part }));

  function move(from: number, to: number) {
    const rules = moved(draft.rules, from, to);
    if (to < 0 || to >= rules.length) return;
    change({ rules });
    setAnnouncement(`${draft.rules[from]?.name} is now number ${to + 1} of ${rules.length}`);
  }

  return (
    <div className="flex flex-col gap-4 *:max-w-4xl">
      <p className="text-sm text-muted">
        Rules run from top to bottom. Later rules don't see lines that an earlier rule matched.{" "}
        {!readOnly && (
          <span className="max-sm:hidden">
            Drag a rule to its place, or move it with its arrows or Alt and ↑ ↓.{" "}
          </span>
        )}
        {data.updated_at ? (
          <>
            Version {data.version}, saved{" "}
            <ActorName iso={data.updated_at} actor={data.updated_by} />.
          </>
        ) : (
          "These are the defaults."
        )}
      </p>
      {run && (
        <p className="text-sm text-muted">
          Counts are from the run of <Time iso={run.finished_at ?? run.created_at} /> with{" "}
          {run.rules_version ? `version ${run.rules_version}` : "the default rules"}.
        </p>
      )}
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <ol className="flex flex-col gap-2">
        {draft.rules.map((rule, index) => (
          <RuleCard
            key={rule.name}
            rule={rule}
            index={index}
            count={draft.rules.length}
            step={waterfall.find((step) => step.rule === rule.name)}
            money={(minor) => pairMoney(minor, currency)}
            outcome={outcomeOf(rule, {
              automatic: draft.automatic,
              proven: data.learnt.track_record.proven,
            })}
            readOnly={readOnly}
            dragged={dragged === index}
            onEdit={() => setEditing(index)}
            onRemove={() => change({ rules: draft.rules.filter((_, place) => place !== index) })}
            onMove={(to) => move(index, to)}
            target={
              over === index && dragged !== null && dragged !== index
                ? dragged > index
                  ? "above"
                  : "below"
                : null
            }
            onDrag={(place) => {
              setDragged(place);
              setOver(null);
            }}
            onOver={() => setOver(index)}
            onDrop={() => {
              if (dragged !== null && dragged !== index) move(dragged, index);
              setDragged(null);
              setOver(null);
            }}
          />
        ))}
      </ol>
      {!readOnly && (
        <Button size="sm" className="self-start" onClick={() => setEditing("new")}>
          <Plus aria-hidden className="size-4 text-muted" />
          Add a rule
        </Button>
      )}
      <Card
        title="Automatic matching"
        hint="Whether score rules and searches for sums match automatically. Other rules always follow their setting."
      >
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <fieldset disabled={readOnly} className="contents">
            <Segmented
              label="Automatic matching"
              value={draft.automatic}
              options={AUTOMATIC.map((value) => ({ value, label: AUTOMATIC_LABELS[value] }))}
              onChange={(automatic) => change({ automatic })}
            />
          </fieldset>
          <Learnt learnt={data.learnt} />
        </div>
      </Card>
      <ClosingCard draft={draft} currency={currency} readOnly={readOnly} onChange={change} />
      {data.learnt.names.length > 0 && (
        <KnownNames
          names={data.learnt.names}
          forgotten={draft.forget_names ?? []}
          readOnly={readOnly}
          onChange={(forget_names) => change({ forget_names })}
        />
      )}
      <Card
        title="Fees"
        hint="For lines with a fee. Turn it off if the other side has amounts before fees, such as orders."
      >
        <CheckField
          label="Match the amount after fees, and record the fee as an adjustment"
          checked={draft.fees === "deduct"}
          disabled={readOnly}
          onChange={({ target }) => change({ fees: target.checked ? "deduct" : "ignore" })}
        />
      </Card>
      <Card
        title="Business days"
        hint="For rules that count business days, and for the grace period of the sources."
      >
        <fieldset disabled={readOnly} className="contents">
          <CalendarField
            label="Calendar of business days"
            labelHidden
            none="Monday to Friday"
            value={draft.calendar_id ?? ""}
            error={undefined}
            onChange={(calendar) => change({ calendar_id: calendar || null })}
          />
        </fieldset>
      </Card>
      {!readOnly && (
        <div className="pinned sticky bottom-0 -mx-4 flex max-w-none! flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
          <Button
            variant="primary"
            disabled={
              !changed || draft.rules.length === 0 || Number.isNaN(draft.evidence_from_minor)
            }
            onClick={() => setTrying(true)}
          >
            Preview and save
          </Button>
          {changed && <Button onClick={() => setDraft(before)}>Discard changes</Button>}
          {!changed && <p className="text-sm text-muted">No changes</p>}
        </div>
      )}
      {editing !== null && (
        <RuleDialog
          initial={editing === "new" ? NEW_RULE : (draft.rules[editing] as Rule)}
          currency={currency}
          taken={draft.rules.filter((_, place) => place !== editing).map(({ name }) => name)}
          onClose={() => setEditing(null)}
          onSave={(rule) => {
            change({
              rules:
                editing === "new"
                  ? [...draft.rules, rule]
                  : draft.rules.map((item, place) => (place === editing ? rule : item)),
            });
            setEditing(null);
          }}
        />
      )}
      {trying && (
        <TryDialog
          reconciliation={reconciliation}
          draft={draft}
          etag={etag}
          onClose={() => setTrying(false)}
          onSaved={() => {
            setTrying(false);
            cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
          }}
        />
      )}
    </div>
  );
}

function Learnt({ learnt: { track_record, confirmed, rejected } }: { learnt: RuleSet["learnt"] }) {
  const { decided, precision, at_least, proven } = track_record;
  if (confirmed + rejected === 0)
    return <p className="text-sm text-muted">No decisions to learn from yet.</p>;
  return (
    <p className="text-sm text-muted">
      {proven ? "Proven" : "Not proven yet"}: {pluralize(decided, "decision")}
      {precision !== null && `, ${percent(precision)} right`}
      {at_least !== null && ` (at least ${percent(at_least)})`}
    </p>
  );
}
