"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, CircleCheck } from "lucide-react";
import { useState } from "react";
import { callApi } from "#components/api-client.ts";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { focusOnMount } from "#components/ui/focus-on-mount.ts";
import { formatMoney } from "#components/ui/money.ts";
import { Note } from "#components/ui/note.tsx";
import { percent } from "#components/ui/percent.ts";
import { toast } from "#components/ui/toast.ts";
import type { SuggestionBand } from "#lib/matching/bands/contract.ts";
import { decideMatchesContract, FILTERED_MAX } from "#lib/matching/contract.ts";
import { reconciliationsKey } from "../queries.ts";
import { openLinesKey, suggestionBands, suggestionSample, suggestionsKey } from "./queries.ts";
import { SampleTable } from "./sample-table.tsx";
import type { Undo } from "./use-undo.ts";

/**
 * Accepts all suggestions of a rule and a range of scores, after the user has seen a sample of
 * them.
 */
export function BulkDialog({
  id,
  undoing,
  onClose,
}: {
  id: string;
  undoing: Undo;
  onClose: () => void;
}) {
  const [band, setBand] = useState<SuggestionBand | null>(null);
  return (
    <Dialog
      title={band ? `Accept “${band.method}”, ${rangeOf(band)}?` : "Accept suggestions in bulk"}
      description={
        band
          ? "A sample, least certain first. U undoes the whole batch."
          : "Choose a rule and a range of scores. You'll see a sample before anything is accepted."
      }
      onClose={onClose}
    >
      {band ? (
        <Sample
          id={id}
          band={band}
          undoing={undoing}
          onBack={() => setBand(null)}
          onClose={onClose}
        />
      ) : (
        <Bands id={id} onChoose={setBand} />
      )}
    </Dialog>
  );
}

function Bands({ id, onChoose }: { id: string; onChoose: (band: SuggestionBand) => void }) {
  const { data, error } = useQuery(suggestionBands(useTenantId(), id));
  return (
    <DialogBody>
      {!data ? (
        error ? (
          <ProblemNote error={error} />
        ) : (
          <PartSkeleton
            label="Loading the suggestions"
            bars={["h-16 w-full", "h-16 w-full ", "h-16  w-full"]}
          />
        )
      ) : data.items.length === 0 ? (
        <p className="flex items-center justify-center gap-2 py-6 text-sm text-muted">
          <CircleCheck aria-hidden className="size-4" />
          No suggestions to review. Run matching to look again.
        </p>
      ) : (
        <ul className="flex flex-col gap-2">
          {data.items.map((band, at) => (
            <li key={`${band.method} ${band.score_from}`}>
              <button
                ref={at === 0 ? focusOnMount : null}
                type="button"
                onClick={() => onChoose(band)}
                className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-4 gap-y-0.5 rounded-lg border border-line bg-raised px-3 py-2.5 text-left text-sm shadow-raised hover:bg-hover focus-visible:outline-2 focus-visible:outline-focus"
              >
                <span className="font-medium">
                  {band.method} <span className="font-normal text-muted">· {rangeOf(band)}</span>
                </span>
                <span className="text-right font-medium tabular-nums">
                  {band.count.toLocaleString("en")}
                </span>
                <span className="text-muted">{precisionOf(band)}</span>
                <span className="text-right text-muted tabular-nums">{moneyOf(band.amounts)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </DialogBody>
  );
}

function Sample({
  id,
  band,
  undoing: { follow, undoOf },
  onBack,
  onClose,
}: {
  id: string;
  band: SuggestionBand;
  undoing: Undo;
  onBack: () => void;
  onClose: () => void;
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const { data, error, isFetching } = useQuery(suggestionSample(tenant, id, band));
  const { method, score_from, score_below } = band;
  const accept = useMutate({
    send: (expected_count: number, idempotencyKey) =>
      follow(
        callApi(decideMatchesContract, {
          tenant,
          body: {
            action: "confirm",
            filter: {
              reconciliation_id: id,
              method,
              score_from,
              ...(score_below !== null && { score_below }),
            },
            expected_count,
          },
          idempotencyKey,
        }),
      ),
    onDone: ({ count, items: [one] }) => {
      toast(
        `Confirmed ${count.toLocaleString("en")} matches`,
        one && { action: { label: "Undo", run: () => undoOf(one.id) } },
      );
      for (const queryKey of [
        openLinesKey(tenant),
        suggestionsKey(tenant),
        reconciliationsKey(tenant),
      ])
        cache.invalidateQueries({ queryKey });
      onClose();
    },
    // Another person has decided, so the sample is loaded again.
    onRefused: () => cache.invalidateQueries({ queryKey: suggestionsKey(tenant) }),
  });
  const tooMany = data !== undefined && data.count > FILTERED_MAX;
  return (
    <>
      <DialogBody tabIndex={0} role="region" aria-label="Sample">
        {!data ? (
          error ? (
            <ProblemNote error={error} />
          ) : (
            <PartSkeleton
              label="Loading the sample"
              bars={["h-12 w-full", "h-12 w-full ", "h-12  w-full", "h-12 w-11/12"]}
            />
          )
        ) : (
          <>
            <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
              <dt className="text-muted">Suggestions</dt>
              <dd className="font-medium tabular-nums">{data.count.toLocaleString("en")}</dd>
              <dt className="text-muted">Money</dt>
              <dd className="font-medium tabular-nums">{moneyOf(data.amounts) || "–"}</dd>
              <dt className="text-muted">Precision so far</dt>
              <dd>{precisionOf(band)}</dd>
            </dl>
            <SampleTable matches={data.items} />
            <p className="text-sm text-muted">
              {data.items.length === data.count
                ? "These are all of them."
                : `${data.items.length} of ${data.count.toLocaleString("en")}. ` +
                  "Decisions in bulk don't count towards the precision."}
            </p>
            {tooMany && (
              <Note tone="warning">
                At most {FILTERED_MAX.toLocaleString("en")} can be accepted at once. Confirm some
                through the API with a narrower range.
              </Note>
            )}
          </>
        )}
        {accept.error && (
          <div role="alert">
            <ProblemNote error={accept.error} />
          </div>
        )}
      </DialogBody>
      <DialogActions>
        <Button onClick={onBack} disabled={accept.isPending}>
          <ArrowLeft aria-hidden className="size-4" />
          Back
        </Button>
        <Button
          variant="primary"
          disabled={!data || data.count === 0 || tooMany || isFetching || accept.isPending}
          onClick={() => data && accept.start(data.count)}
        >
          {accept.isPending
            ? "Accepting…"
            : data
              ? `Accept ${data.count.toLocaleString("en")}`
              : "Accept"}
        </Button>
      </DialogActions>
    </>
  );
}

function rangeOf({ score_from, score_below }: SuggestionBand): string {
  if (score_below === null) return `${percent(score_from)} and more`;
  return score_from === 0
    ? `below ${percent(score_below)}`
    : `${percent(score_from)} to ${percent(score_below)}`;
}

/**
 * The number of its suggestions that people confirmed, of those that they reviewed one at a time.
 */
function precisionOf({ confirmed_count, rejected_count }: SuggestionBand): string {
  const decided = confirmed_count + rejected_count;
  if (decided === 0) return "No decisions yet";
  return `${confirmed_count.toLocaleString("en")} of ${decided.toLocaleString("en")} reviewed ${decided === 1 ? "was" : "were"} confirmed`;
}

function moneyOf(amounts: SuggestionBand["amounts"]): string {
  return amounts
    .map(({ currency, amount_minor }) => formatMoney(amount_minor, currency))
    .join(", ");
}
