"use client";

import { ChevronDown, Pause, Play, UserRound, X } from "lucide-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useMember } from "#components/kit/member.tsx";
import { useKeys } from "#components/kit/use-keys.ts";
import { AssigneePicker } from "#components/people/assignee-picker.tsx";
import { personName } from "#components/people/person.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuItem } from "#components/ui/menu.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { serverNow } from "#components/ui/server-clock.ts";
import { OPEN_STATUSES, type SlaItem } from "#lib/exceptions/contract.ts";
import type { Closed } from "../detail/close-form.tsx";
import { STATUS_LABELS, StatusLabel } from "../labels.tsx";
import { PauseDialog } from "../pauses/pause-dialog.tsx";
import { commonPauseFault, showPauseFault } from "../pauses/pause-fault.ts";
import { undoneLabel } from "../undo.ts";
import { BulkReport } from "./bulk-report.tsx";
import type { Matching } from "./change-matching.ts";
import { CloseDialog } from "./close-dialog.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { type Change, useBulkChange } from "./use-bulk-change.ts";

const CLOSED = ["resolved", "dismissed"] as const;

/** The actions for selected rows, floating below them. */
export function SelectionBar({
  chosen,
  loaded,
  matching,
  takesKeys,
  onMark,
  onMarkAll,
  onClear,
}: {
  chosen: SlaItem[];
  /** The number of selectable rows. */
  loaded: number;
  /**
   * Everything that the filters match, if that is more than the loaded rows; null if it isn't, or
   * too many to count.
   */
  matching: Matching | null;
  /** Whether single keys act on the selection. */
  takesKeys: boolean;
  onMark: (ids: readonly string[]) => void;
  onMarkAll: () => void;
  onClear: () => void;
}) {
  const { change, changeAll, progress, stop, report, closeReport } = useBulkChange({
    clear: onClear,
    mark: onMark,
  });
  const { self } = useMember();
  const assignee = useRef<HTMLButtonElement>(null);
  const [closing, setClosing] = useState<Closed>();
  const [pausing, setPausing] = useState(false);
  /** Everything that matches, instead of the chosen rows. */
  const [everything, setEverything] = useState<Matching | null>(null);
  const [confirming, setConfirming] = useState<Change | null>(null);
  if (everything && chosen.length === 0 && !confirming) setEverything(null);
  const count = everything?.count ?? chosen.length;
  const pauseFault = () => (everything ? "" : commonPauseFault(chosen, serverNow()));
  const pause = () => {
    const fault = pauseFault();
    if (fault) showPauseFault(fault);
    else flushSync(() => setPausing(true));
  };
  const start = (requested: Change) =>
    everything ? changeAll(everything, requested) : change(chosen, requested);
  const action = (requested: Change) =>
    everything ? setConfirming(requested) : change(chosen, requested);
  const assign = (assigned_to: string | null) =>
    action({
      patch: { assigned_to },
      done: assigned_to ? `assigned to ${personName(assigned_to)}` : "unassigned",
      undone: "Assignment undone",
    });
  useKeys(
    !takesKeys || chosen.length === 0 || progress
      ? []
      : [
          ["a", () => assignee.current?.click()],
          ["m", () => assign(self)],
          ["r", () => flushSync(() => setClosing("resolved"))],
          ["p", pause],
        ],
  );
  if (chosen.length === 0 && !progress && !report) return null;
  return (
    <section
      aria-label="Selected exceptions"
      className="pinned sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg bg-raised p-2 text-sm shadow-overlay"
    >
      {progress ? (
        <Progress {...progress} onStop={stop} />
      ) : (
        <>
          <p role="status" className="px-2 font-medium whitespace-nowrap tabular-nums">
            {count.toLocaleString("en")} selected
          </p>
          <AssigneePicker
            align="above"
            triggerClass={buttonClass({ size: "sm" })}
            trigger={
              <>
                <UserRound aria-hidden className="size-4 text-muted" />
                Assign
                <ChevronDown aria-hidden className="size-3.5 opacity-70" />
              </>
            }
            opener={assignee}
            onChange={assign}
          />
          <Menu
            label="Status"
            triggerClass={buttonClass({ size: "sm" })}
            trigger={
              <>
                Status
                <ChevronDown aria-hidden className="size-3.5 opacity-70" />
              </>
            }
          >
            {OPEN_STATUSES.map((status) => (
              <MenuItem
                key={status}
                onClick={() =>
                  action({
                    patch: { status },
                    done: `set to ${STATUS_LABELS[status].toLowerCase()}`,
                    undone: "Status change undone",
                  })
                }
              >
                <StatusLabel status={status} />
              </MenuItem>
            ))}
            {CLOSED.map((status) => (
              <MenuItem key={status} onClick={() => setClosing(status)}>
                <StatusLabel status={status} />
                <span aria-hidden>…</span>
              </MenuItem>
            ))}
          </Menu>
          <Menu
            label="Clock"
            triggerClass={buttonClass({ size: "sm" })}
            trigger={
              <>
                Clock
                <ChevronDown aria-hidden className="size-3.5 opacity-70" />
              </>
            }
          >
            <MenuItem refused={pauseFault()} onClick={() => setPausing(true)}>
              <Pause aria-hidden className="size-4 text-muted" />
              Pause
              <span aria-hidden>…</span>
            </MenuItem>
            <MenuItem
              refused={
                everything || chosen.some(({ paused_at }) => paused_at !== null)
                  ? ""
                  : "None of them is paused."
              }
              onClick={() => action({ resume: true, done: "resumed", undone: "Resume undone" })}
            >
              <Play aria-hidden className="size-4 text-muted" />
              Resume
            </MenuItem>
          </Menu>
          <Button size="sm" variant="ghost" onClick={onClear}>
            <X aria-hidden className="size-4" />
            <span className="max-sm:sr-only">Clear</span>
            <span className="sr-only"> the selection</span>
          </Button>
          {everything === null && chosen.length < loaded && (
            <Button
              size="sm"
              variant="ghost"
              className={matching ? "max-sm:hidden" : ""}
              onClick={onMarkAll}
            >
              Select all {loaded.toLocaleString("en")}
              {matching && " loaded"}
            </Button>
          )}
          {everything === null && matching && (
            <Button size="sm" variant="ghost" onClick={() => setEverything(matching)}>
              Select all {matching.count.toLocaleString("en")}
            </Button>
          )}
        </>
      )}
      {closing && (
        <CloseDialog
          status={closing}
          count={count}
          onClose={() => setClosing(undefined)}
          onSubmit={(status, resolution) => {
            setClosing(undefined);
            const patch = { status, resolution };
            start({ patch, done: status, undone: undoneLabel(patch) });
          }}
        />
      )}
      {pausing && (
        <PauseDialog
          count={count}
          onClose={() => setPausing(false)}
          send={async () => {}}
          onDone={(pause) => {
            setPausing(false);
            start({ pause, done: "paused", undone: "Pause undone" });
          }}
        />
      )}
      {confirming && (
        <ConfirmDialog
          count={count}
          onClose={() => setConfirming(null)}
          onConfirm={() => {
            setConfirming(null);
            start(confirming);
          }}
        />
      )}
      {report && <BulkReport {...report} onClose={closeReport} />}
    </section>
  );
}

function Progress({
  settled,
  total,
  onStop,
}: {
  settled: number;
  total: number;
  onStop: () => void;
}) {
  return (
    <>
      <p role="status" className="px-2 whitespace-nowrap tabular-nums">
        {settled.toLocaleString("en")} of {total.toLocaleString("en")} changed
      </p>
      <ProgressBar
        label="Changing the selected exceptions"
        value={settled}
        max={total}
        className="w-40"
      />
      <Button size="sm" variant="ghost" onClick={onStop}>
        Stop
      </Button>
    </>
  );
}
