/**
 * What each item adds: the reported months with it left out. An item is left out of the source as
 * it is loaded, in a separate process, so that the engine has no switch for it.
 *
 *   node engine/judge/ablation.ts <item>   judges without that item and prints a line of JSON
 */
import { spawnSync } from "node:child_process";
import { registerHooks } from "node:module";
import { count, share, table } from "./report.ts";

type Item = { name: string; file: string; code: string; instead: string };

const ITEMS: readonly Item[] = [
  {
    name: "exact before different, whatever the order of rules",
    file: "passes.ts",
    code: "return [...exact, ...differing];",
    instead: "return [...exact, ...differing].sort((a, b) => a.index - b.index);",
  },
  {
    name: "no difference without a reason",
    file: "assignment/by-evidence.ts",
    code: "return left.amount[l] !== right.amount[r] && !this.explainsDifference(l, r);",
    instead: "return false;",
  },
  {
    name: "no match against a contradiction",
    file: "prepare/run-state.ts",
    code: "this.contradictions.of(left, right).length > 0",
    instead: "false",
  },
  {
    name: "legal forms contradict",
    file: "evidence/contradictions.ts",
    code: "!legalFormsDiffer(left.counterparty, right.counterparty)",
    instead: "true",
  },
  {
    name: "no match that a quoted reference denies",
    file: "assignment/by-evidence.ts",
    code: 'if (this.quotesAnother("left", l, r) || this.quotesAnother("right", r, l)) return true;',
    instead: "",
  },
  {
    name: "a handful of lines tells nothing",
    file: "assignment/by-evidence.ts",
    code: "if (leftLines + rightLines <= FEW_LINES) return true;",
    instead: "",
  },
  {
    name: "references in texts",
    file: "engine.ts",
    code: "yield* references(state, rule, index, businessDays);",
    instead: "{}",
  },
  {
    name: "sums by a name that is cut",
    file: "sums/sum-names.ts",
    code: "return longest.length <= MAX_NAMES ? longest : [];",
    instead: "return [];",
  },
  {
    name: "sums of a name in learnt days",
    file: "sums/sum-pool.ts",
    code: "if (!crowded && farther)",
    instead: "if (false)",
  },
  {
    name: "sums by one word",
    file: "sums/sum-pool.ts",
    code: "yield* this.ofOneWord(target, true);",
    instead: "",
  },
  {
    name: "no sum of a line with a partner",
    file: "sums/sums.ts",
    code: "return members.some((line) => this.oppositePool.hasNamedEqual(line));",
    instead: "return false;",
  },
  {
    name: "a charge that is taken back",
    file: "assignment/by-evidence.ts",
    code: "size > 0 ? keep : undefined",
    instead: "undefined",
  },
  {
    name: "reversals by their suffix",
    file: "assignment/named-reversals.ts",
    code: "for (const name of unmarkedReference(reference)) {",
    instead: "for (const name of [] as string[]) {",
  },
  {
    name: "numbers in other forms contradict",
    file: "evidence/numbering.ts",
    code: "!hasManyNumbers && this.isQuotedForm(side, name, number)",
    instead: "false",
  },
  {
    name: "check digits in texts",
    file: "assignment/named-lines.ts",
    code: "for (const body of withoutCheckDigits(phrases[at] as string)) {",
    instead: "for (const body of [] as string[]) {",
  },
  {
    name: "numbers without the letters before their zeros",
    file: "prepare/texts.ts",
    code: "(zeros > from && to - at < MIN_PADDED_DIGITS)",
    instead: "zeros > from",
  },
  {
    name: "returned payments by their name",
    file: "assignment/named-reversals.ts",
    code: "if (pairs.hasReversal(line) || !saysReversal(texts)) continue;",
    instead: "continue;",
  },
  {
    name: "instalments by their name",
    file: "sums/sum-pool.ts",
    code: "if (farther) yield* this.ofCallers(target);",
    instead: "",
  },
  {
    name: "sums of days in a row",
    file: "sums/sum-pool.ts",
    code: "yield* this.ofDaysInARow(target, near);",
    instead: "",
  },
  {
    name: "as many lines as a text states",
    file: "sums/sum-pool.ts",
    code: "yield* this.asManyAsSaid(target, lines);",
    instead: "",
  },
  {
    name: "equal amounts of one name in order",
    file: "assignment/by-evidence.ts",
    code: "proposeEqualSeries(state, rule, ruleIndex, pool, options.ofEqualAmounts);",
    instead: "",
  },
  {
    name: "parts by their number",
    file: "assignment/by-evidence.ts",
    code: "proposeNamedParts(state, rule, ruleIndex, options.businessDays);",
    instead: "",
  },
];

type Judged = { f1: number; wrong: number; found: number; share: number; against: number };

/** @param seeds those that are reported. */
export function ablation(seeds: readonly number[]): string {
  const rows = ["nothing", ...ITEMS.map(({ name }) => name)].map((name) => {
    const command = [import.meta.filename, name, ...seeds.map(String)];
    const { stdout, stderr, status } = spawnSync(process.execPath, command, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    const judged = JSON.parse(stdout) as Judged;
    return [
      name,
      share(judged.f1, 5),
      `${count(judged.wrong)} of ${count(judged.found)}`,
      share(judged.share),
      count(judged.against),
    ];
  });
  return `## What each item adds

All datasets, our own and the holdout, ${seeds.length} seeds each, default rules, with one item of the engine left out. Against a contradiction: automatic matches of
neighbours that contradict their line, in smaller datasets with 2 % of them.

${table(["Left out", "F1", "Automatic: wrong", "of true", "against a contradiction"], rows)}`;
}

if (process.argv[1] === import.meta.filename) {
  const [name = "", ...seeds] = process.argv.slice(2);
  leaveOut(ITEMS.find((item) => item.name === name));
  // Only what is loaded from here on is changed.
  const { judgeWithout } = await import("./ablated.ts");
  console.log(JSON.stringify(judgeWithout(seeds.map(Number))));
}

/** @throws where the code of the item is no longer in its file. */
function leaveOut(item: Item | undefined): void {
  if (!item) return;
  const { file, code, instead } = item;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/engine/${file}`)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(code)) throw new Error(`${file} does not have: ${code}`);
      return { ...loaded, source: source.replace(code, instead) };
    },
  });
}
