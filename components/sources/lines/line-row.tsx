"use client";

import { memo, type Ref } from "react";
import { lineName } from "#components/kit/line-name.ts";
import { RowLink } from "#components/kit/row-link.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Line } from "#lib/lines/contract.ts";
import { LineState } from "./labels.tsx";

/**
 * The columns of the wide list; on narrow screens a row is a card of three lines, or of two in a
 * short window.
 */
const OF_ONE_SOURCE =
  "@4xl:grid @4xl:grid-cols-[6.5rem_minmax(10rem,1.2fr)_minmax(9rem,1fr)_8.5rem_8.5rem] @4xl:gap-x-4";
const OF_MANY =
  "@4xl:grid @4xl:grid-cols-[6.5rem_minmax(9rem,1.2fr)_minmax(8rem,1fr)_minmax(7rem,0.8fr)_8rem_8rem] @4xl:gap-x-4";

/** `several`: lines of several sources, whose rows name theirs. */
export function columnsOf(several: boolean): string {
  return several ? OF_MANY : OF_ONE_SOURCE;
}

/** Rerenders only when its own data changes, not while scrolling. */
export const LineRow = memo(function LineRow({
  line,
  linkTo,
  source,
  index,
  ref,
}: {
  line: Line;
  linkTo: (to: { line: string }) => PageLink | string;
  /** The name of its source, in a list of several sources; empty while unknown. */
  source?: string | undefined;
  /** Its index in the list. */
  index: number;
  ref?: Ref<HTMLTableRowElement>;
}) {
  const name = lineName(line);
  const more = [line.reference, line.description]
    .filter((text) => text !== null && text !== name)
    .join(" · ");
  return (
    <tr
      ref={ref}
      data-index={index}
      aria-rowindex={index + 2}
      className={`relative flex flex-wrap items-center gap-x-2 gap-y-0.5 border-b border-line px-2 py-2.5 text-sm short:py-1.5 transition-colors duration-100 hover:bg-hover has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:-outline-offset-2 has-[[data-row]:focus-visible]:outline-focus sm:px-4 @4xl:h-11 @4xl:flex-nowrap @4xl:py-0 ${columnsOf(source !== undefined)}`}
    >
      <td className="whitespace-nowrap text-muted tabular-nums @max-4xl:order-4">
        {formatDay(line.value_date, "UTC")}
      </td>
      <td className="min-w-0 @max-4xl:order-1 @max-4xl:flex-1 short:@max-4xl:basis-3/4">
        <RowLink to={linkTo({ line: line.id })} title={name}>
          {name}
        </RowLink>
      </td>
      <td
        className="min-w-0 truncate text-muted @max-4xl:order-3 @max-4xl:basis-full compact:flex-1 compact:basis-1/3"
        title={more || undefined}
      >
        {more}
      </td>
      {source !== undefined && (
        <td
          className="min-w-0 truncate text-muted @max-4xl:order-5 @max-4xl:flex-1"
          title={source || undefined}
        >
          <span aria-hidden className="@4xl:hidden">
            ·{" "}
          </span>
          {source}
        </td>
      )}
      <td className="@max-4xl:order-6 @max-4xl:ml-auto">
        <LineState state={line.state} />
      </td>
      <td className="text-right font-medium whitespace-nowrap tabular-nums @max-4xl:order-2">
        {formatMoney(line.amount_minor, line.currency)}
        {line.state === "partly_matched" && (
          <span className="block text-xs font-normal text-muted">
            {formatMoney(line.open_minor, line.currency)} open
          </span>
        )}
      </td>
    </tr>
  );
});
