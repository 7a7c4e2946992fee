/**
 * A run with news: new lines are weighed by the estimates of the last full run, together with the
 * lines that they may belong to. It only adds matches and suggestions with a new line. Whatever
 * concerns earlier matches is left to the next full run.
 */
import type { Client } from "pg";
import { type Result, runWithNews } from "../../../engine/engine.ts";
import type { Lines } from "../../../engine/lines.ts";
import { HELD } from "../../../engine/matches.ts";
import type { Reason } from "../../../engine/reasons.ts";
import type { LineFlags } from "../../../engine/side.ts";
import { type Changes, changesOf, handlesOf, type NewMatch } from "./changes.ts";
import type { ClaimedRun, Known } from "./claimed-run.ts";
import type { Fees } from "./fees.ts";
import { openLineExceptions, reasonsIn, storedReasons, unusualReasons } from "./line-exceptions.ts";
import { type EarlierMatch, type NewsInput, readNews } from "./read-run.ts";
import { withStatementTimeout } from "./statement-timeout.ts";
import { hasViolations, inputOf, inSlices, type Report } from "./weigh.ts";

/**
 * `changeNos`: the changes that the lines came with. `matched` and `removed`: lines that were just
 * matched and suggestions that were just removed, perhaps after the snapshot that is read.
 */
export type NewLines = {
  lines: ReadonlySet<number>;
  changeNos: readonly number[];
  matched: ReadonlySet<number>;
  removed: ReadonlySet<string>;
};

/** `awaitsFullRun`: whether a sum was found that only a full run may confirm. */
export type News = { result: Result; changes: Changes; fees: Fees; awaitsFullRun: boolean };

/**
 * Weighs new lines. Writes nothing.
 * @returns null if only a full run can weigh them
 */
export async function weighNews(
  client: Client,
  run: ClaimedRun,
  known: Known,
  { lines, changeNos, matched, removed }: NewLines,
  report: Report,
): Promise<News | null> {
  if (lines.size > known.max_lines) return null;
  const input = await withStatementTimeout(client, run, () =>
    readNews(client, run, changeNos, matched),
  );
  const engineInput = inputOf(run, input);
  const running = runWithNews(engineInput, {
    estimates: known.estimates,
    fresh: flagsOf(input, (line) => lines.has(line)),
    matched: flagsOf(input, (line) => input.held_lines.has(line)),
  });
  const result = await inSlices(running, lines.size, report);
  if (!result || hasViolations(run, result)) return null;
  const suggestions = input.present.filter(({ id }) => !removed.has(id));
  const changes = newsOf(result, suggestions, lines);
  const awaitsFullRun =
    engineInput.automatic === "as_ruled" &&
    changes.created.some((match) => isSureSum(result, match));
  return { result, changes, fees: input.fees, awaitsFullRun };
}

/** Whether a match is suggested only because a run with news confirms no sums without a key. */
function isSureSum({ suggested, input }: Result, { state, index }: NewMatch): boolean {
  const rule = input.rules[suggested.rule[index] as number];
  return (
    state === "suggested" &&
    rule?.kind === "group" &&
    rule.then === "match" &&
    suggested.held[index] === HELD.rule
  );
}

/**
 * Opens exceptions as a full run does. New lines have the reasons that were just found, others those
 * of the last full run.
 * @param news null if exact rules decided all new lines
 */
export async function openExceptionsOfNews(
  client: Client,
  run: ClaimedRun,
  { reasons }: Known,
  newLines: ReadonlySet<number>,
  news: News | null,
): Promise<{ opened: number; heldBack: number; heldBackReasons: Record<number, Reason> | null }> {
  const knownReasons = storedReasons(reasons);
  const weighedReasons = news ? reasonsIn(news.result) : storedReasons(reasons);
  const { opened, heldBack } = await withStatementTimeout(client, run, () =>
    openLineExceptions(client, run, (lines) => {
      const ofNews = new Set([...lines].filter((line) => newLines.has(line)));
      return new Map([...knownReasons(lines), ...weighedReasons(ofNews)]);
    }),
  );
  return {
    opened,
    heldBack,
    heldBackReasons: heldBack > 0 ? { ...reasons, ...(news && unusualReasons(news.result)) } : null,
  };
}

function flagsOf({ left, right }: NewsInput, isSet: (line: number) => boolean): LineFlags {
  const flags = ({ length, handle }: Lines) =>
    Uint8Array.from({ length }, (_, line) => (isSet(handle[line] as number) ? 1 : 0));
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
