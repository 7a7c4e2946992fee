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
import { type BoardPair, openNextPeriodsContract } from "#lib/matching/closing-board/contract.ts";
import { longMonth } from "#lib/wire/period-name.ts";
import { reconciliationsKey } from "../queries.ts";
import { NextPreview } from "./next-preview.tsx";
import { nextPeriodsPreview } from "./queries.ts";

const MONTHS_BACK = 3;
const MONTHS_OFFERED = 10;
const ALL = "";

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
      description="Each pair gets the periods that follow its newest one, with the same rules and people. Open lines are carried over."
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
        <NextPreview periods={data} pairs={pairs} />
      ) : (
        <PartSkeleton label="Loading the preview" bars={["h-5 w-2/3", "h-5 w-full"]} />
      )}
    </FormDialog>
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
