"use client";

import { useQuery } from "@tanstack/react-query";
import { useTenantId } from "#components/kit/member.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import type { BoardPair, BoardPeriod, NextPeriods } from "#lib/matching/closing-board/contract.ts";
import { periodOf } from "#lib/wire/period-name.ts";
import { rulesOf } from "../queries.ts";
import {
  describeCarried,
  describeRules,
  newestPeriodOf,
  type Opening,
  openingsOf,
} from "./opening.ts";

const LISTED = 50;
/** With more pairs, the carried lines of a pair are loaded when it is opened. */
const SHOWN_OPEN = 4;

/** What opening the next periods would create, by pair, and the pairs that get none. */
export function NextPreview({
  periods: { items, skipped },
  pairs,
}: {
  periods: NextPeriods;
  pairs: readonly BoardPair[];
}) {
  const openings = openingsOf(items);
  const archived = skipped.filter(({ reason }) => reason === "archived").length;
  const upToDate = skipped.length - archived;
  return (
    <section aria-label="What opens" className="flex flex-col gap-3 text-sm">
      {items.length === 0 && <p>Nothing to open: no pair lacks a period up to this month.</p>}
      {openings.slice(0, LISTED).map(({ sources, follows, periods }) => (
        <section key={follows} aria-label={pairOf(sources)} className="flex flex-col gap-1">
          <ul className="flex flex-col">
            {periods.map((period) => (
              <li
                key={period.period_start}
                className="flex flex-wrap justify-between gap-x-4 border-b border-line py-1.5"
              >
                <span className="font-medium wrap-anywhere">{period.name}</span>
                <span className="text-muted tabular-nums">{periodOf(period)}</span>
              </li>
            ))}
          </ul>
          {openings.length <= SHOWN_OPEN ? (
            <CarriedLines
              sources={sources}
              follows={follows}
              newest={newestPeriodOf(pairs, follows)}
            />
          ) : (
            <Disclosure title="Carried lines">
              <CarriedLines
                sources={sources}
                follows={follows}
                newest={newestPeriodOf(pairs, follows)}
              />
            </Disclosure>
          )}
        </section>
      ))}
      {openings.length > LISTED && (
        <p className="text-muted">And {pluralize(openings.length - LISTED, "more pair")}.</p>
      )}
      {upToDate > 0 && (
        <p className="text-muted">
          {pluralize(upToDate, "pair already has", "pairs already have")} a period up to this month.
        </p>
      )}
      {archived > 0 && (
        <p className="text-muted">
          {pluralize(archived, "archived pair is", "archived pairs are")} skipped.
        </p>
      )}
    </section>
  );
}

/** `newest`: the pair's newest period, if the board has loaded it. */
function CarriedLines({
  sources,
  follows,
  newest,
}: {
  sources: Opening["sources"];
  follows: string;
  newest: BoardPeriod | undefined;
}) {
  const { data, error } = useQuery(rulesOf(useTenantId(), follows));
  const rules = data
    ? describeRules(data.data)
    : [error ? "Couldn't load the rules." : "Loading the rules…"];
  return (
    <p className="text-muted">
      {[pairOf(sources), ...rules].join(" · ")}
      {newest && (
        <>
          <br />
          {describeCarried(newest, sources)}
        </>
      )}
    </p>
  );
}

function pairOf({ left_source, right_source }: Opening["sources"]): string {
  return `${left_source} ↔ ${right_source}`;
}
