import type { z } from "zod";
import type { slaSummary } from "#lib/exceptions/contract.ts";
import type { SlaFacets } from "#lib/exceptions/sla/contract.ts";

export type Summary = z.output<typeof slaSummary>;

/** The counts of the tiles. `isAll` says that they count all open exceptions despite filters. */
export type Tiles = { summary: Summary; isAll: boolean };

/**
 * The counts of what the filters match, whatever the risk. While they are unknown or incomplete,
 * the counts of all open exceptions.
 */
export function tilesOf(
  all: Summary | undefined,
  facets: Pick<SlaFacets, "facets" | "complete"> | undefined,
  isFiltered: boolean,
): Tiles | null {
  if (!all) return null;
  if (!isFiltered) return { summary: all, isAll: false };
  if (!facets?.complete) return { summary: all, isAll: true };
  const count = (...risks: string[]) =>
    facets.facets.breach_risk.reduce(
      (sum, { value, count }) => (risks.includes(value) ? sum + count : sum),
      0,
    );
  return {
    summary: {
      breached_count: count("breached"),
      at_risk_count: count("high", "medium"),
      on_track_count: count("low"),
      total_open: count("breached", "high", "medium", "low"),
    },
    isAll: false,
  };
}
