"use client";

import { classes } from "#components/ui/classes.ts";
import type { BoardSearch } from "./search.ts";
import type { Tiles } from "./tiles.ts";

const TILES = [
  {
    value: "breached",
    name: "Breached",
    hint: "past the deadline",
    count: "breached_count",
    risk: "breached",
  },
  {
    value: "at_risk",
    name: "At risk",
    hint: "4 hours or less left",
    count: "at_risk_count",
    risk: "high",
  },
  {
    value: "low",
    name: "On track",
    hint: "over 4 hours left",
    count: "on_track_count",
    risk: "low",
  },
  {
    value: null,
    name: "Total open",
    hint: "open or in review",
    count: "total_open",
    risk: undefined,
  },
] as const;

/** The open exceptions by risk. Each tile filters the board by its risk. */
export function RiskTiles({
  tiles: { summary, isAll },
  selected,
  onSelect,
}: {
  tiles: Tiles;
  selected: BoardSearch["breach_risk"];
  onSelect: (risk: BoardSearch["breach_risk"]) => void;
}) {
  return (
    <fieldset className="grid grid-cols-2 gap-3 @2xl:grid-cols-4 short:hidden">
      <legend className="sr-only">Show by risk</legend>
      {TILES.map(({ value, name, hint, count, risk }) => {
        const pressed = (selected?.join() ?? null) === value;
        return (
          <button
            key={name}
            type="button"
            data-risk={risk}
            aria-pressed={pressed}
            onClick={() => onSelect(pressed || value === null ? null : [value])}
            className={classes(
              "relative overflow-hidden rounded-lg border bg-raised px-4 py-2.5 text-left",
              "@xl:py-3 shadow-raised transition-colors duration-100 hover:bg-hover",
              pressed && value !== null
                ? "border-accent-text ring-1 ring-accent-text"
                : "border-line",
            )}
          >
            {risk && <span aria-hidden className="absolute inset-y-0 left-0 w-1 bg-risk-rail" />}
            <span className="block text-sm font-medium text-muted">{name}</span>
            <span
              className={classes(
                "block text-2xl font-semibold tracking-tight tabular-nums",
                summary[count] > 0 && risk && "text-risk-text",
              )}
            >
              {summary[count].toLocaleString("en")}
            </span>
            <span className="hidden truncate text-xs text-muted @xl:block">
              {isAll ? "all, without filters" : hint}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
}
