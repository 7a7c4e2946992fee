"use client";

import { X } from "lucide-react";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { Button } from "#components/ui/button.tsx";
import { formatMoment } from "#components/ui/moment.ts";

type Summary = { since: string; fresh: number | null; breached: number };

/** Sums up what happened while the user was away: "Since 26 Nov, 11:19: 12 new, 2 breached". */
export function ReturnNote({
  summary: { since, fresh, breached },
  onBreached,
  onDismiss,
}: {
  summary: Summary;
  onBreached: () => void;
  onDismiss: () => void;
}) {
  const { timeZone } = usePreferences();
  const count = (many: number) => many.toLocaleString("en");
  return (
    <div
      role="status"
      className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line bg-accent-soft py-1 pr-1 pl-3 text-sm"
    >
      <p className="tabular-nums">
        Since {formatMoment(since, timeZone)}:{" "}
        <strong className="font-semibold">
          {fresh === null ? "many changes" : `${count(fresh)} new`}
        </strong>
        , <strong className="font-semibold">{count(breached)} breached</strong>
      </p>
      <div className="ml-auto flex items-center gap-1">
        {breached > 0 && (
          <Button size="sm" variant="ghost" onClick={onBreached}>
            Show breached
          </Button>
        )}
        <Button
          size="icon"
          variant="ghost"
          aria-label="Mark all as seen"
          title="Mark all as seen"
          onClick={onDismiss}
        >
          <X aria-hidden className="size-4" />
        </Button>
      </div>
    </div>
  );
}
