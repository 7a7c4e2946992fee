"use client";

import { ArrowDown, ArrowUp, GripVertical, Pencil, Trash2 } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { classes } from "#components/ui/classes.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { KIND_LABELS, type Rule, sentenceOf } from "./sentence.ts";

/** A rule in the list. It moves by dragging, by its buttons, or by Alt and an arrow key. */
export function RuleCard({
  rule,
  index,
  count,
  step,
  money,
  outcome,
  readOnly,
  dragged,
  target,
  onEdit,
  onRemove,
  onMove,
  onDrag,
  onOver,
  onDrop,
}: {
  rule: Rule;
  index: number;
  count: number;
  /** Its result in the last run. */
  step: Run["waterfall"][number] | undefined;
  money: (minor: number) => string;
  outcome: string;
  readOnly: boolean;
  dragged: boolean;
  /** Where the dragged rule would be dropped. */
  target: "above" | "below" | null;
  onEdit: () => void;
  onRemove: () => void;
  onMove: (to: number) => void;
  onDrag: (index: number | null) => void;
  onOver: () => void;
  onDrop: () => void;
}) {
  return (
    <li
      draggable={!readOnly}
      onDragStart={() => onDrag(index)}
      onDragEnd={() => onDrag(null)}
      onDragEnter={onOver}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
      onKeyDown={(event) => {
        if (readOnly || !event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown"))
          return;
        event.preventDefault();
        onMove(index + (event.key === "ArrowUp" ? -1 : 1));
      }}
      className={classes(
        "relative flex flex-wrap items-center gap-x-3 gap-y-2 max-sm:items-start rounded-lg",
        "border border-line bg-raised py-2.5 pr-2 pl-2 shadow-raised",
        dragged && "opacity-60",
        target &&
          "before:absolute before:inset-x-0 before:h-0.5 before:rounded-sm before:bg-accent",
        target === "above" && "before:-top-1.5",
        target === "below" && "before:-bottom-1.5",
      )}
    >
      {!readOnly && (
        <GripVertical
          aria-hidden
          className="size-4 shrink-0 cursor-grab text-muted max-sm:hidden"
        />
      )}
      <span className="w-5 shrink-0 text-right text-sm/6 text-muted tabular-nums">{index + 1}</span>
      <div className="min-w-48 flex-1">
        <p className="text-base font-medium wrap-break-word">
          {rule.name}{" "}
          <span className="text-xs font-normal text-muted">{`${KIND_LABELS[rule.kind]} · ${outcome}`}</span>
        </p>
        <p className="text-sm text-muted">{sentenceOf(rule, money)}</p>
      </div>
      <p className="shrink-0 text-right text-sm tabular-nums max-sm:mr-auto max-sm:pl-8 max-sm:text-left">
        {step ? (
          <>
            <span className="block font-medium">{step.matches.toLocaleString("en")} matched</span>
            <span className="block text-muted">
              {step.suggested.toLocaleString("en")} suggested
            </span>
          </>
        ) : (
          <span className="text-muted">Not run yet</span>
        )}
      </p>
      {!readOnly && (
        <div className="flex shrink-0">
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Move ${rule.name} up`}
            disabled={index === 0}
            onClick={() => onMove(index - 1)}
          >
            <ArrowUp aria-hidden className="size-4" />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Move ${rule.name} down`}
            disabled={index === count - 1}
            onClick={() => onMove(index + 1)}
          >
            <ArrowDown aria-hidden className="size-4" />
          </Button>
          <Button variant="ghost" size="icon" aria-label={`Edit ${rule.name}`} onClick={onEdit}>
            <Pencil aria-hidden className="size-4" />
          </Button>
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Remove ${rule.name}`}
            disabled={count === 1}
            onClick={onRemove}
          >
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </div>
      )}
    </li>
  );
}
