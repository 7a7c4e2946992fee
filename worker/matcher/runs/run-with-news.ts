/**
 * A run with news: new lines are weighed by the estimates of the last full run, together with the
 * lines that they may belong to. It only adds matches and suggestions with a new line. Whatever
 * concerns earlier matches is left to the next full run.
 */
import type { Client } from "pg";
import { type Result, runWithNews } from "../../../engine/engine.ts";
import type { Lines } from "../../../engine/lines.ts";
import type { Reason } from "../../../engine/reasons.ts";
import type { LineFlags } from "../../../engine/side.ts";
import { type Changes, changesOf, handlesOf, type NewMatch } from "./changes.ts";
import type { ClaimedRun, Known } from "./claimed-run.ts";
import { openLineExceptions, reasonsIn, storedReasons, unusualReasons } from "./line-exceptions.ts";
import { type EarlierMatch, type NewsInput, readNews } from "./read-run.ts";
import { saveChanges } from "./save-changes.ts";
import { withStatementTimeout } from "./statement-timeout.ts";
import { inputOf, inSlices, type Report, requireInvariants } from "./weigh.ts";

/** `changeNos`: the changes that the new lines came with. */
export type NewLines = { lines: ReadonlySet<number>; changeNos: readonly number[] };

export type WeighedNews = { result: Result; changes: Changes; leftOut: number };

/**
 * Weighs new lines and saves what was found.
 * @returns null if only a full run can weigh them; then nothing was saved
 */
export async function weighNews(
  client: Client,
  run: ClaimedRun,
  known: Known,
  news: NewLines,
  report: Report,
): Promise<WeighedNews | null> {
  if (news.lines.size > known.max_lines) return null;
  const input = await withStatementTimeout(client, run, () =>
    readNews(client, run, news.changeNos),
  );
  const running = runWithNews(inputOf(run, input), {
    estimates: known.estimates,
    fresh: flagsOf(input, news.lines),
    matched: flagsOf(input, input.held_lines),
  });
  const result = await inSlices(running, news.lines.size, report);
  if (!result) return null;
  requireInvariants(run, result);
  const changes = newsOf(result, input.present, news.lines);
  const leftOut = await saveChanges(client, run, result, changes, input.fees, (done, total) =>
    report({ stage: "keeping", done, total }),
  );
  return { result, changes, leftOut };
}

/** Opens exceptions as a full run does; the reasons of lines that weren't weighed are known. */
export async function openExceptionsOfNews(
  client: Client,
  run: ClaimedRun,
  { reasons }: Known,
  result: Result,
): Promise<{ opened: number; heldBack: number; heldBackReasons: Record<number, Reason> | null }> {
  const knownReasons = storedReasons(reasons);
  const weighedReasons = reasonsIn(result);
  const { opened, heldBack } = await withStatementTimeout(client, run, () =>
    openLineExceptions(
      client,
      run,
      (lines) => new Map([...knownReasons(lines), ...weighedReasons(lines)]),
    ),
  );
  return {
    opened,
    heldBack,
    heldBackReasons: heldBack > 0 ? { ...reasons, ...unusualReasons(result) } : null,
  };
}

function flagsOf({ left, right }: NewsInput, lines: ReadonlySet<number>): LineFlags {
  const flags = ({ length, handle }: Lines) =>
    Uint8Array.from({ length }, (_, line) => (lines.has(handle[line] as number) ? 1 : 0));
  return { left: flags(left), right: flags(right) };
}

/**
 * The matches of whole lines with a new line, the suggestions with one that leave earlier ones
 * alone, and the earlier suggestions whose lines are matched now.
 */
export function newsOf(
  result: Result,
  suggestions: readonly EarlierMatch[],
  newLines: ReadonlySet<number>,
): Changes {
  const { created } = changesOf(result, suggestions, new Map());
  const linesOf = ({ state, index }: NewMatch) => handlesOf(result, result[state], index);
  const isNews = (match: NewMatch) =>
    match.replaces === null &&
    !result[match.state].partial.has(match.index) &&
    linesOf(match).some((line) => newLines.has(line));
  const confirmed = created.filter((match) => match.state === "confirmed" && isNews(match));
  const matched = new Set(confirmed.flatMap(linesOf));
  const [removed, kept] = partition(suggestions, ({ lines }) =>
    lines.some((line) => matched.has(line)),
  );
  const suggestedBefore = new Set(kept.flatMap(({ lines }) => lines));
  const suggested = created.filter(
    (match) =>
      match.state === "suggested" &&
      isNews(match) &&
      !linesOf(match).some((line) => matched.has(line) || suggestedBefore.has(line)),
  );
  return { unchanged: 0, created: [...confirmed, ...suggested], removed };
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): [Item[], Item[]] {
  const parts: [Item[], Item[]] = [[], []];
  for (const item of items) parts[isFirst(item) ? 0 : 1].push(item);
  return parts;
}
