import { type ReactNode, useId } from "react";
import { classes } from "#components/ui/classes.ts";
import { SIDE_HEAD } from "../matching/proof-card.tsx";

const NUMBER =
  "py-1.5 pl-2 text-right tabular-nums max-sm:wrap-anywhere sm:pl-4 sm:whitespace-nowrap";

/**
 * A table of a statement: names on the left, numbers on the right.
 * @param aligned gives the tables of both sides the same column widths
 */
export function Table({
  caption,
  columns,
  aligned = false,
  children,
}: {
  caption: string;
  columns: readonly string[];
  aligned?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls by itself, by keyboard too
    <section aria-labelledby={id} tabIndex={0} className="overflow-x-auto print:overflow-visible">
      <table
        className={classes(
          "w-full text-sm",
          // Without this, a narrow column breaks an amount after its minus.
          aligned ? "table-fixed" : "[&_td:last-child]:whitespace-nowrap",
        )}
      >
        <caption id={id} className="sr-only">
          {caption}
        </caption>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line align-bottom">
            {columns.map((name, place) => (
              <th
                key={name}
                scope="col"
                className={
                  place === 0
                    ? classes("py-1.5 text-left font-medium", aligned && SIDE_HEAD)
                    : `${NUMBER} font-medium`
                }
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function Row({ head, cells }: { head: ReactNode; cells: readonly ReactNode[] }) {
  return (
    <tr className="border-b border-line align-top last:border-0 print:break-inside-avoid">
      <th scope="row" className="py-1.5 text-left font-normal">
        {head}
      </th>
      {cells.map((cell, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row's cells keep their places
        <td key={place} className={NUMBER}>
          {cell}
        </td>
      ))}
    </tr>
  );
}

type Named = {
  line_id: string;
  reference: string | null;
  counterparty: string | null;
  description: string | null;
};

/** A line's name, with `hints` below it. */
export function LineHead({
  line: { line_id, reference, counterparty, description },
  hints,
}: {
  line: Named;
  hints: readonly string[];
}) {
  return (
    <>
      <span className="wrap-anywhere">
        {[counterparty, reference].filter(Boolean).join(" · ") || description || line_id}
      </span>
      {hints.map((hint) => (
        <span key={hint} className="block text-xs wrap-anywhere text-muted">
          {hint}
        </span>
      ))}
    </>
  );
}
