"use client";

import { useState } from "react";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { formatMoney } from "#components/ui/money.ts";
import { toast } from "#components/ui/toast.ts";
import { confirmMatchContract, createMatchContract } from "#lib/matching/contract.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import { describeBooking } from "./describe-booking.ts";
import { balanceOf, feesOf, splittableLine, sumsOf } from "./options.ts";
import { type Adjustment, useDecide } from "./use-decide.ts";
import { useUndo } from "./use-undo.ts";
import type { Workbench } from "./use-workbench.ts";

const MIXED = "These lines are in several currencies. A match needs one.";
const NOT_BY_HAND =
  "Your role can confirm suggestions. " +
  "Ask an admin or a lead to match by hand, write off or exclude.";

type Chosen = {
  ids: readonly string[];
  left_minor: number;
  right_minor: number;
  difference: number;
  currency: string;
};

/** The subject of a dialog when it was opened, which later changes of the lists don't affect. */
type OpenDialog = { to: "exclude"; line: OpenLine } | { to: "explain"; chosen: Chosen };

/** The actions on the selection or the current suggestion. */
export function useActions(id: string, workbench: Workbench) {
  const mayDecide = useIsAllowed(confirmMatchContract.access);
  const mayWrite = useIsAllowed(createMatchContract.access);
  const { line, option, picked } = workbench;
  const undoing = useUndo(id, workbench.goTo);
  const decide = useDecide(id, undoing, workbench);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  /** The suggestion whose difference was explained. */
  const [warned, setWarned] = useState<string | null>(null);

  const loaded = (ids: readonly string[]): OpenLine[] =>
    [...workbench.left.items, ...workbench.right.items].filter((item) => ids.includes(item.id));
  const pickedLines = [...picked.values()];
  const lines =
    picked.size > 0 ? pickedLines : option ? loaded(option.line_ids) : line ? [line] : [];
  const ids =
    picked.size > 0
      ? pickedLines.map((item) => item.id)
      : (option?.line_ids ?? (line ? [line.id] : []));
  const { left_minor, right_minor } = picked.size === 0 && option ? option : balanceOf(lines);
  const difference = left_minor - right_minor;
  // A suggestion includes fees as adjustments. A manual match gets them if they are the whole
  // difference.
  const fees = picked.size === 0 && option?.match_id ? option.fee_minor : feesOf(lines);
  const agrees = difference === 0 || difference === fees;
  const currency = lines[0]?.currency ?? line?.currency ?? "EUR";
  const mixed = balanceOf(lines).currencies.length > 1;
  const sums = mixed ? sumsOf(lines) : [{ currency, left_minor, right_minor }];
  const chosen: Chosen = { ids, left_minor, right_minor, difference, currency };
  const money = (minor: number) => formatMoney(minor, currency);
  const split = lines.length === ids.length ? splittableLine(lines) : null;
  const isFree = !decide.isPending;
  const single =
    picked.size === 0 ? line : pickedLines.length === 1 ? (pickedLines[0] ?? null) : null;

  function matchByHand(
    { ids, left_minor, right_minor, difference, currency }: Chosen,
    { adjustments = [], split: part }: { adjustments?: Adjustment[]; split?: OpenLine } = {},
  ) {
    const amount = formatMoney(Math.max(Math.abs(left_minor), Math.abs(right_minor)), currency);
    const done = describeBooking(
      `Matched ${ids.length} lines, ${amount}`,
      lines,
      adjustments,
      currency,
    );
    decide.start({
      action: "match",
      line_ids: [...ids],
      adjustments,
      split_line_id: part?.id,
      settledIds: ids.filter((item) => item !== part?.id),
      partial: part !== undefined,
      label: `Match of ${amount}`,
      done: part ? `${done}. ${formatMoney(Math.abs(difference), currency)} stays open` : done,
      picked: pickedLines,
      at: pickedLines[0]?.id ?? line?.id,
    });
  }

  /**
   * Confirming a suggestion with an unexplained difference books money: users who may write explain
   * it, others confirm twice. Until the line's suggestions have loaded, there is nothing to
   * confirm.
   */
  function accept() {
    if (!mayDecide || !isFree || (picked.size === 0 && workbench.isSearching)) return;
    if (picked.size === 0 && option?.match_id && !agrees && warned !== option.match_id) {
      if (mayWrite) return setDialog({ to: "explain", chosen });
      setWarned(option.match_id);
      return toast(`${money(difference)} isn't explained`, {
        description: "Press Enter again to confirm with this difference.",
      });
    }
    if (picked.size === 0 && option?.match_id) {
      const partly = lines.some(
        (candidate) => option.allocations?.get(candidate.id) !== candidate.open_minor,
      );
      const stale = option.line_ids.filter(
        (item) =>
          !lines.some(
            (known) => known.id === item && option.allocations?.get(item) !== known.open_minor,
          ),
      );
      decide.start({
        action: "confirm",
        match_id: option.match_id,
        settledIds: stale,
        partial: partly,
        done: describeBooking(
          `Confirmed ${money(option.left_minor || option.right_minor)}`,
          lines,
          fees === 0 ? [] : [{ kind: "fee", amount_minor: fees, note: null }],
          currency,
        ),
        label: `Match of ${money(option.left_minor || option.right_minor)}`,
        at: line?.id,
      });
    } else if (!mayWrite) {
      toast(NOT_BY_HAND);
    } else if (ids.length < 2) {
      toast("Choose a suggestion, or select lines of both sides with X.");
    } else if (mixed) {
      toast(MIXED);
    } else if (!agrees) {
      toast(`${money(difference)} isn't explained`, {
        description: "W explains it; S leaves it open on the larger line.",
      });
    } else matchByHand(chosen);
  }

  function reject() {
    if (!mayDecide || !isFree) return;
    if (picked.size > 0) return workbench.clear();
    if (!option?.match_id) return toast("Only suggestions from the last run can be rejected.");
    decide.start({
      action: "reject",
      match_id: option.match_id,
      settledIds: [],
      partial: false,
      done: `Rejected ${money(option.left_minor || option.right_minor)}`,
      label: `Rejection of ${money(option.left_minor || option.right_minor)}`,
      at: line?.id,
    });
  }

  function leaveOpen() {
    if (!mayWrite) return toast(NOT_BY_HAND);
    if (!isFree) return;
    if (mixed) return toast(MIXED);
    if (!split) return toast("To split a line, select lines of both sides whose sums differ.");
    matchByHand(chosen, { split });
  }

  function writeOff() {
    if (!mayWrite) return toast(NOT_BY_HAND);
    if (ids.length < 2) askToExclude();
    else if (mixed) toast(MIXED);
    else if (difference === 0) toast("There is no difference to write off.");
    else setDialog({ to: "explain", chosen });
  }

  function askToExclude() {
    if (!mayWrite) return toast(NOT_BY_HAND);
    if (single) setDialog({ to: "exclude", line: single });
    else if (picked.size > 1)
      toast("Lines are excluded one at a time. Press Esc to clear the selection.");
  }

  function explain(chosen: Chosen, kind: Adjustment["kind"], note: string | null) {
    setDialog(null);
    matchByHand(chosen, { adjustments: [{ kind, amount_minor: chosen.difference, note }] });
  }

  function exclude(line: OpenLine, reason: string) {
    setDialog(null);
    decide.start({
      action: "exclude",
      line_id: line.id,
      reason,
      settledIds: [line.id],
      partial: false,
      done: `Excluded ${formatMoney(line.open_minor, line.currency)}`,
      label: `Exclusion of ${formatMoney(line.open_minor, line.currency)}`,
      picked: pickedLines,
    });
  }

  return {
    lines,
    ids,
    sums,
    fees: difference !== 0 && difference === fees ? fees : 0,
    currency,
    mayDecide,
    mayWrite,
    asking: dialog,
    can: {
      accept:
        mayDecide &&
        isFree &&
        ids.length > 1 &&
        (picked.size === 0 && option?.match_id ? true : mayWrite && agrees && !mixed),
      reject: mayDecide && isFree && picked.size === 0 && Boolean(option?.match_id),
      split: mayWrite && isFree && split !== null && !mixed,
      writeOff: mayWrite && isFree && (ids.length === 1 || (difference !== 0 && !mixed)),
      exclude: mayWrite && single !== null,
      undo: mayDecide && !undoing.isPending,
    },
    accept,
    reject,
    leaveOpen,
    writeOff,
    explain,
    exclude,
    undoing,
    undo: () => mayDecide && undoing.undo(),
    askToExclude,
    closeDialog: () => setDialog(null),
  };
}
