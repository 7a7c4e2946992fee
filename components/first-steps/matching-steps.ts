import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import type { Source } from "#lib/sources/contract.ts";

type Step = { title: string; href: string; done: boolean };

/** From a source to the first match, each step with the page that takes it. */
export function matchingSteps(
  tenant: string,
  sources: readonly Pick<Source, "id" | "line_count">[],
  reconciliations: readonly Pick<Reconciliation, "id" | "left_source_id" | "matched_count">[],
): Step[] {
  const empty = sources.find(({ line_count }) => line_count === 0) ?? sources[0];
  const pair = reconciliations.find(({ left_source_id }) => left_source_id !== null);
  return [
    {
      title: "Create two sources",
      href: `/${tenant}/sources?new=true`,
      done: sources.length >= 2,
    },
    {
      title: "Import a file into each",
      href: empty ? `/${tenant}/sources/${empty.id}/import` : `/${tenant}/sources`,
      done: sources.filter(({ line_count }) => line_count > 0).length >= 2,
    },
    {
      title: "Pair the sources",
      href: `/${tenant}/reconciliations?new=true`,
      done: pair !== undefined,
    },
    {
      title: "Get the first match",
      href: pair ? `/${tenant}/reconciliations/${pair.id}/workbench` : `/${tenant}/reconciliations`,
      // Others report their counts without lines.
      done: reconciliations.some(
        ({ left_source_id, matched_count }) => left_source_id !== null && matched_count > 0,
      ),
    },
  ];
}
