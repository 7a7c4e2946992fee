/**
 * A short run: the leading exact rules decide new lines among those of the same amounts, without
 * reading the rest of the pair. Undecided lines are weighed by estimates, or left to the full run.
 */
import type { Client } from "pg";
import { match, type Result } from "../../../engine/engine.ts";
import { leadingExactRules } from "../../../engine/passes.ts";
import type { BusinessDays } from "../../../engine/prepare/days.ts";
import { booksAfter } from "./books.ts";
import { callForValue } from "./call.ts";
import { type Changes, changesOf, handlesOf, type NewMatch } from "./changes.ts";
import type { ClaimedRun, LastRun } from "./claimed-run.ts";
import { type EarlierMatch, readShortRun, type ShortRunInput } from "./read-run.ts";
import { reportViolations } from "./report-violations.ts";
import { type News, openExceptionsOfNews, weighNews } from "./run-with-news.ts";
import { saveChanges } from "./save-changes.ts";
import { settleBoth } from "./settle-both.ts";
import { businessDaysIn, type Report } from "./weigh.ts";

/**
 * With more new lines, reading the rest of the pair adds little in comparison; with estimates, the
 * rest is not weighed, either.
 */
const MAX_NEW_LINES = 1_000;
const MAX_NEWS = 20_000;

/**
 * `undecided`: the new lines that no exact rule decides. `disturbsMatches`: whether some of them
 * would change earlier matches, which only a full run may do.
 */
type Decided = {
  result: Result;
  changes: Changes;
  lines: number[];
  undecided: Set<number>;
  disturbsMatches: boolean;
};

type Saved = { added: number; undone: number };

/**
 * Matches new lines and saves the matches.
 * @param sideClient reads what new lines are weighed with while matches are saved
 * @returns the numbers of matches that were added and undone, as input of the full run; null if the
 *   new lines were decided, or weighed by estimates, and the run has ended
 */
export async function doShortRun(
  client: Client,
  sideClient: Client,
  run: ClaimedRun,
  report: Report,
): Promise<Saved | null> {
  const saved: Saved = { added: 0, undone: 0 };
  const { shortAfter: last, known } = run;
  if (!last || (!known && leadingExactRules(run.rules).length === 0)) return saved;
  const input = await readShortRun(client, run, known ? MAX_NEWS : MAX_NEW_LINES);
  if (!input) return saved;
  const { result, changes, lines, undecided, disturbsMatches } = decideNewLines(
    input,
    run,
    businessDaysIn(run),
  );
  /** @returns whether all changes were saved. */
  const save = async (found: Pick<News, "result" | "changes" | "fees">) => {
    const leftOut = await saveChanges(
      client,
      run,
      found.result,
      found.changes,
      found.fees,
      async () => {},
    );
    saved.added += found.changes.created.length - leftOut;
    saved.undone += found.changes.removed.length;
    return leftOut === 0;
  };
  const [isSaved, news] = await settleBoth(
    save({ result, changes, fees: input.fees }),
    known && undecided.size > 0 && !disturbsMatches
      ? weighNews(
          sideClient,
          run,
          known,
          {
            lines: undecided,
            changeNos: input.change_nos,
            matched: new Set(lines),
            removed: new Set(changes.removed.map(({ id }) => id)),
          },
          report,
        )
      : null,
  );
  if (!isSaved || (undecided.size > 0 && !news)) return saved;
  const ended: EndedRun = {
    ...booksAfter(last, result, changes),
    lines,
    exceptions_opened: 0,
    exceptions_held_back: last.exceptions_held_back,
    change_nos: input.change_nos,
    weighed_lines: undecided.size,
  };
  if (news) {
    if (!(await save(news))) return saved;
    Object.assign(ended, {
      ...booksAfter(ended, news.result, news.changes),
      lines: [...lines, ...matchedIn(news)],
      awaits_full_run: news.awaitsFullRun,
    });
  }
  if (known && (news || changes.removed.length > 0)) {
    const exceptions = await openExceptionsOfNews(client, run, known, undecided, news);
    Object.assign(ended, {
      exceptions_opened: exceptions.opened,
      exceptions_held_back: exceptions.heldBack,
      held_back_reasons: exceptions.heldBackReasons,
    });
  }
  await finish(client, run, last, ended, saved);
  return null;
}

/** What `private.finish_short_run` stores, except for `changed`. */
type EndedRun = ReturnType<typeof booksAfter> & {
  lines: number[];
  exceptions_opened: number;
  exceptions_held_back: number;
  held_back_reasons?: object | null;
  change_nos: number[];
  weighed_lines: number;
  awaits_full_run?: boolean;
};

async function finish(
  client: Client,
  run: ClaimedRun,
  last: LastRun,
  { lines, ...outcome }: EndedRun,
  { added, undone }: Saved,
): Promise<void> {
  const { changed } = last;
  const violations = await callForValue<string[]>(client, "finish_short_run", {
    tenant: run.tenantId,
    run: run.runId,
    attempt: run.attempt,
    lines: `{${lines.join(",")}}`,
    outcome: JSON.stringify({
      ...outcome,
      changed: {
        added,
        kept: changed.kept + changed.added + changed.replaced - undone,
        replaced: 0,
        undone,
        left_out: 0,
      },
    }),
  });
  reportViolations(run, violations);
}

/** The lines of the new matches. */
function matchedIn({ result, changes }: Pick<Decided, "result" | "changes">): number[] {
  return changes.created
    .filter(({ state }) => state === "confirmed")
    .flatMap(({ index }) => handlesOf(result, result.confirmed, index));
}

/** The matches of new lines that don't change what earlier runs confirmed. */
export function decideNewLines(
  input: ShortRunInput,
  { rules }: Pick<ClaimedRun, "rules">,
  businessDays: BusinessDays,
): Decided {
  const { left, right, rejected, present, fees, held_lines, new_lines } = input;
  const result = match({
    left,
    right,
    rules: leadingExactRules(rules),
    rejected,
    businessDays,
  });
  const { created, removed } = changesOf(result, present, fees);
  const isHeld = (line: number) => held_lines.has(line);
  const isSafe = ({ replaces, index }: NewMatch) =>
    replaces === null && !handlesOf(result, result.confirmed, index).some(isHeld);
  const confirmed = created.filter(({ state }) => state === "confirmed");
  // Lines of the same amount depend on each other.
  const leftToFullRun = new Set([
    ...removed.filter(({ state }) => state === "confirmed").map(amountOf),
    ...confirmed.filter((one) => !isSafe(one)).map((one) => amountOfCreated(result, one)),
  ]);
  const matches = confirmed.filter((one) => !leftToFullRun.has(amountOfCreated(result, one)));
  const lines = matchedIn({ result, changes: { unchanged: 0, created: matches, removed } });
  const matchedLines = new Set(lines);
  const isMatched = (line: number) => matchedLines.has(line);
  const obsolete = removed.filter(
    ({ state, lines: members }) => state === "suggested" && members.some(isMatched),
  );
  return {
    result,
    changes: { unchanged: 0, created: matches, removed: obsolete },
    lines,
    undecided: new Set([...new_lines].filter((line) => !isMatched(line))),
    disturbsMatches: leftToFullRun.size > 0,
  };
}

function amountOf({
  amount_minor,
  currency,
}: Pick<EarlierMatch, "amount_minor" | "currency">): string {
  return `${amount_minor} ${currency}`;
}

function amountOfCreated({ confirmed, input: { left } }: Result, { index }: NewMatch): string {
  const line = confirmed.left(index)[0] as number;
  return `${left.amount[line]} ${left.currencyOf(line)}`;
}
