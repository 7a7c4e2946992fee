"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { FormDialog } from "#components/kit/form-dialog.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useForm } from "#components/kit/use-form.ts";
import { monthAfter } from "#components/ui/days.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type BoardPair,
  type NextPeriods,
  openNextPeriodsContract,
} from "#lib/matching/closing-board/contract.ts";
import { longMonth, periodOf } from "#lib/wire/period-name.ts";
import { reconciliationsKey } from "../queries.ts";
import { nextPeriodsPreview } from "./queries.ts";

const MONTHS_BACK = 3;
const MONTHS_OFFERED = 10;
const ALL = "";
const LISTED = 50;

/** Opens the periods up to a month, after listing them. */
export function NextDialog({
  month,
  pairs,
  onClose,
}: {
  month: string;
  pairs: readonly BoardPair[];
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const form = useForm({
    initial: { through: month, pair: ALL },
    send: ({ through, pair }, idempotencyKey) => {
      const chosen = pairOf(pairs, pair);
      const body = { through, ...(chosen && { pairs: chosen }) };
      return callApi(openNextPeriodsContract, { tenant, body, idempotencyKey });
    },
    onDone: ({ items }) => {
      cache.invalidateQueries({ queryKey: reconciliationsKey(tenant) });
      toast(`Opened ${pluralize(items.length, "period")}`);
      onClose();
    },
  });
  const { through, pair } = form.draft;
  const { data, error } = useQuery(nextPeriodsPreview(tenant, through, pairOf(pairs, pair)));
  return (
    <FormDialog
      form={form}
      title="Open next period"
      description="Each pair gets the periods that follow its newest one, with its rules. Their exceptions go to the same people."
      start={data ? `Open ${pluralize(data.items.length, "period")}` : "Open periods"}
      pending="Opening…"
      onSubmit={() => data && data.items.length > 0 && form.submit()}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Up to"
          value={through}
          onChange={({ target }) => form.change({ through: target.value })}
        >
          {monthsAround(month).map((item) => (
            <option key={item} value={item}>
              {longMonth(item)} {item.slice(0, 4)}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Sources"
          value={pair}
          onChange={({ target }) => form.change({ pair: target.value })}
        >
          <option value={ALL}>All pairs</option>
          {pairs.map((item) => (
            <option key={keyOf(item)} value={keyOf(item)}>
              {item.left_source} ↔ {item.right_source}
            </option>
          ))}
        </SelectField>
      </div>
      {error && !data ? (
        <ProblemNote error={error} />
      ) : data ? (
        <Preview periods={data} />
      ) : (
        <PartSkeleton label="Loading the preview" bars={["h-5 w-2/3", "h-5 w-full"]} />
      )}
    </FormDialog>
  );
}

function Preview({ periods: { items, skipped } }: { periods: NextPeriods }) {
  const archived = skipped.filter(({ reason }) => reason === "archived").length;
  const upToDate = skipped.length - archived;
  return (
    <section aria-label="What opens" className="flex flex-col gap-2 text-sm">
      {items.length === 0 && <p>Nothing to open: no pair lacks a period up to this month.</p>}
      <ul className="flex flex-col">
        {items.slice(0, LISTED).map((item) => (
          <li
            key={`${item.follows} ${item.period_start}`}
            className="flex flex-wrap justify-between gap-x-4 border-b border-line py-1.5"
          >
            <span className="font-medium wrap-anywhere">{item.name}</span>
            <span className="text-muted">{periodOf(item)}</span>
          </li>
        ))}
      </ul>
      {items.length > LISTED && (
        <p className="text-muted">And {pluralize(items.length - LISTED, "more period")}.</p>
      )}
      {upToDate > 0 && (
        <p className="text-muted">
          {pluralize(upToDate, "pair has", "pairs have")} a period up to this month.
        </p>
      )}
      {archived > 0 && (
        <p className="text-muted">
          {pluralize(archived, "pair is archived and stays", "pairs are archived and stay")} as it
          is.
        </p>
      )}
    </section>
  );
}

function keyOf({ left_source_id, right_source_id }: BoardPair): string {
  return `${left_source_id} ${right_source_id}`;
}

/** Only the chosen pair; undefined for all. */
function pairOf(pairs: readonly BoardPair[], key: string) {
  const found = pairs.find((pair) => keyOf(pair) === key);
  if (!found) return undefined;
  const { left_source_id, right_source_id } = found;
  return [{ left_source_id, right_source_id }];
}

function monthsAround(month: string): string[] {
  return Array.from({ length: MONTHS_OFFERED }, (_, index) =>
    monthAfter(month, index - MONTHS_BACK),
  );
}
