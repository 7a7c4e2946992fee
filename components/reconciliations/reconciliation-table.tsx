import { classes } from "#components/ui/classes.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { matchedShare, periodOf, StatusLabel } from "./words.tsx";

const CELL = "py-2.5 pr-4 align-middle";
const NUMBER = "whitespace-nowrap text-right tabular-nums";

export function ReconciliationTable({ tenantId, items, stale }: { tenantId: string; items: Reconciliation[]; stale: boolean }) {
  return (
    <table aria-busy={stale} className={classes("w-full table-fixed text-sm transition-opacity", stale && "opacity-60")}>
      <caption className="sr-only">Reconciliations</caption>
      <thead className="sticky top-0 z-10 bg-surface text-xs text-muted max-sm:sr-only">
        <tr className="border-b border-line text-left">
          <Heading className="w-1/3 pl-4">Name</Heading>
          <Heading className="w-48 max-md:hidden">Period</Heading>
          <Heading className="w-30 max-md:hidden">Status</Heading>
          <Heading className={`${NUMBER} max-lg:hidden`}>Matched</Heading>
          <Heading className={`${NUMBER} max-lg:hidden`}>Unmatched</Heading>
          <Heading className={`${NUMBER} max-md:hidden`}>Share</Heading>
          <Heading className={`${NUMBER} w-32`}>Open exceptions</Heading>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr
            key={item.id}
            className="relative border-b border-line max-sm:flex max-sm:items-center transition-colors duration-100 hover:bg-hover has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-focus"
          >
            <td className={classes(CELL, "min-w-0 flex-1 pl-4")}>
              <PrefetchLink
                href={`/${tenantId}/reconciliations/${item.id}`}
                className="block truncate text-base font-medium outline-none after:absolute after:inset-0"
              >
                {item.name}
              </PrefetchLink>
              <p className="truncate text-muted">
                {item.left_source} ↔ {item.right_source}
              </p>
              <p className="flex flex-wrap gap-x-3 text-muted md:hidden">
                <StatusLabel status={item.status} />
                {periodOf(item)}
              </p>
            </td>
            <td className={classes(CELL, "whitespace-nowrap tabular-nums max-md:hidden")}>{periodOf(item)}</td>
            <td className={classes(CELL, "max-md:hidden")}>
              <StatusLabel status={item.status} />
            </td>
            <td className={classes(CELL, NUMBER, "max-lg:hidden")}>{item.matched_count.toLocaleString("en")}</td>
            <td className={classes(CELL, NUMBER, "max-lg:hidden")}>{item.unmatched_count.toLocaleString("en")}</td>
            <td className={classes(CELL, NUMBER, "max-md:hidden")}>{matchedShare(item) ?? "–"}</td>
            <td className={classes(CELL, NUMBER, item.open_exceptions > 0 ? "font-semibold" : "text-muted")}>
              {item.open_exceptions.toLocaleString("en")}
              <span aria-hidden className="block text-xs font-normal text-muted sm:hidden">
                open
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Heading({ className, children }: { className?: string; children: string }) {
  return (
    <th scope="col" className={classes("h-9 pr-4 font-medium", className)}>
      {children}
    </th>
  );
}
