"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import type { Version } from "#components/kit/query.ts";
import { By } from "#components/people/by.tsx";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { Segmented } from "#components/ui/segmented.tsx";
import { useUnsavedWarning } from "#components/ui/use-unsaved-warning.ts";
import { AUTOMATIC, type RuleSet } from "#lib/matching/rules/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { reconciliationsKey } from "../queries.ts";
import { RuleCard } from "./rule-card.tsx";
import { moved, type Rule, type RulesDraft } from "./sentence.ts";

const RuleDialog = dynamic(() => import("./rule-dialog.tsx").then((part) => part.RuleDialog), { ssr: false });
const TryDialog = dynamic(() => import("./try-dialog.tsx").then((part) => part.TryDialog), { ssr: false });

const AUTOMATIC_WORDS: Record<RuleSet["automatic"], string> = {
  suggest_only: "Never",
  earned: "Once proven",
  always: "Always",
};
const NEW_RULE: Rule = { name: "", kind: "tolerance", on: [], amount_tolerance_minor: 100, days_before: 3, days_after: 3, then: "suggest" };

export function RulesEditor({
  id,
  version: { data, etag },
  closed,
  waterfall,
  readOnly,
}: {
  id: string;
  version: Version<RuleSet>;
  /** A closed period has nothing to try rules on. */
  closed: boolean;
  waterfall: Run["waterfall"];
  readOnly: boolean;
}) {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const before: RulesDraft = { rules: data.rules, automatic: data.automatic, four_eyes: data.four_eyes };
  const [draft, setDraft] = useState(before);
  const [editing, setEditing] = useState<number | "new" | null>(null);
  const [trying, setTrying] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  const changed = JSON.stringify(draft) !== JSON.stringify(before);
  useUnsavedWarning(changed);
  const currency = waterfall.flatMap(({ amounts }) => amounts)[0]?.currency;
  const change = (part: Partial<RulesDraft>) => setDraft((now) => ({ ...now, ...part }));

  function move(from: number, to: number) {
    const rules = moved(draft.rules, from, to);
    if (to < 0 || to >= rules.length) return;
    change({ rules });
    setSaid(`${draft.rules[from]?.name} is now number ${to + 1} of ${rules.length}`);
  }

  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <p className="text-sm text-muted">
        Rules run from top to bottom. A line that one of them matched is out of reach for the next.{" "}
        {data.updated_at ? (
          <>
            Version {data.version}, saved <By iso={data.updated_at} actor={data.updated_by} />.
          </>
        ) : (
          "These are the defaults."
        )}
      </p>
      <p role="status" className="sr-only">
        {said}
      </p>
      <ol className="flex flex-col gap-2">
        {draft.rules.map((rule, index) => (
          <RuleCard
            key={rule.name}
            rule={rule}
            index={index}
            count={draft.rules.length}
            step={waterfall.find((step) => step.rule === rule.name)}
            money={(minor) => (currency ? formatMoney(minor, currency) : `${minor.toLocaleString("en")} minor units`)}
            readOnly={readOnly}
            dragged={dragged === index}
            onEdit={() => setEditing(index)}
            onRemove={() => change({ rules: draft.rules.filter((_, place) => place !== index) })}
            onMove={(to) => move(index, to)}
            onDrag={setDragged}
            onDrop={() => {
              if (dragged !== null && dragged !== index) move(dragged, index);
              setDragged(null);
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
      <Card title="Automatic matching" hint="Whether score rules and searches for sums match by themselves. Other rules do as they say.">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <fieldset disabled={readOnly} className="contents">
            <Segmented
              label="Automatic matching"
              value={draft.automatic}
              options={AUTOMATIC.map((value) => ({ value, label: AUTOMATIC_WORDS[value] }))}
              onChange={(automatic) => change({ automatic })}
            />
          </fieldset>
          <Learnt learnt={data.learnt} />
        </div>
        <CheckField
          label="Four eyes: whoever made the last match by hand can't close the period"
          checked={draft.four_eyes}
          disabled={readOnly}
          onChange={({ target }) => change({ four_eyes: target.checked })}
        />
      </Card>
      {!readOnly && (
        <div className="sticky bottom-0 -mx-4 flex flex-wrap items-center gap-2 border-t border-line bg-surface px-4 py-3 sm:-mx-6 sm:px-6">
          <Button variant="primary" disabled={!changed || draft.rules.length === 0} onClick={() => setTrying(true)}>
            {closed ? "Save changes" : "Preview and save"}
          </Button>
          {changed && <Button onClick={() => setDraft(before)}>Discard changes</Button>}
          {!changed && <p className="text-sm text-muted">No changes</p>}
        </div>
      )}
      {editing !== null && (
        <RuleDialog
          initial={editing === "new" ? NEW_RULE : (draft.rules[editing] as Rule)}
          taken={draft.rules.filter((_, place) => place !== editing).map(({ name }) => name)}
          onClose={() => setEditing(null)}
          onSave={(rule) => {
            change({
              rules: editing === "new" ? [...draft.rules, rule] : draft.rules.map((one, place) => (place === editing ? rule : one)),
            });
            setEditing(null);
          }}
        />
      )}
      {trying && (
        <TryDialog
          id={id}
          draft={draft}
          etag={etag}
          closed={closed}
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
  if (confirmed + rejected === 0) return <p className="text-sm text-muted">No decisions to learn from yet.</p>;
  const percent = (share: number) => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;
  return (
    <p className="text-sm text-muted">
      {proven ? "Proven" : "Not proven yet"}: {decided.toLocaleString("en")} decisions
      {precision !== null && `, ${percent(precision)} right`}
      {at_least !== null && ` (at least ${percent(at_least)})`}
    </p>
  );
}
