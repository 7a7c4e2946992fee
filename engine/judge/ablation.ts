/**
 * Measures what each item of the engine adds, by judging the reported months without it. The item
 * is removed from the source code when it is loaded in a separate process, so that the engine needs
 * no switch for it.
 *
 *   node engine/judge/ablation.ts <item>   judges without that item and prints a line of JSON
 */
import { spawnSync } from "node:child_process";
import { registerHooks } from "node:module";
import { count, share, table } from "./report.ts";

type Item = { name: string; file: string; code: string; replacement: string };

const ITEMS: readonly Item[] = [
  {
    name: "exact before different, whatever the order of rules",
    file: "passes.ts",
    code: "return [...exact, ...differing];",
    replacement: "return [...exact, ...differing].sort((a, b) => a.index - b.index);",
  },
  {
    name: "no difference without a reason",
    file: "assignment/by-evidence.ts",
    code: "return left.amount[l] !== right.amount[r] && !this.explainsDifference(l, r);",
    replacement: "return false;",
  },
  {
    name: "no match against a contradiction",
    file: "prepare/run-state.ts",
    code: "this.contradictions.of(left, right).length > 0",
    replacement: "false",
  },
  {
    name: "legal forms contradict",
    file: "evidence/contradictions.ts",
    code: "!legalFormsDiffer(left.counterparty, right.counterparty)",
    replacement: "true",
  },
  {
    name: "no match that a quoted reference denies",
    file: "assignment/by-evidence.ts",
    code: 'if (this.quotesAnother("left", l, r) || this.quotesAnother("right", r, l)) return true;',
    replacement: "",
  },
  {
    name: "a handful of lines tells nothing",
    file: "assignment/by-evidence.ts",
    code: "if (leftLines + rightLines <= FEW_LINES) return true;",
    replacement: "",
  },
  {
    name: "references in texts",
    file: "engine.ts",
    code: "yield* references(state, rule, index, businessDays);",
    replacement: "{}",
  },
  {
    name: "sums by a name that is cut",
    file: "sums/sum-names.ts",
    code: "return longest.length <= MAX_NAMES ? longest : [];",
    replacement: "return [];",
  },
  {
    name: "sums of a name in learnt days",
    file: "sums/sum-pool.ts",
    code: "if (!crowded && inWiderWindow)",
    replacement: "if (false)",
  },
  {
    name: "sums by one word",
    file: "sums/sum-pool.ts",
    code: "yield* this.ofSharedWord(target, true);",
    replacement: "",
  },
  {
    name: "no sum of a line with a partner",
    file: "sums/sums.ts",
    code: "return members.some((line) => this.oppositePool.hasNamedEqual(line));",
    replacement: "return false;",
  },
  {
    name: "a charge that is taken back",
    file: "assignment/by-evidence.ts",
    code: "size > 0 ? keep : undefined",
    replacement: "undefined",
  },
  {
    name: "reversals by their suffix",
    file: "assignment/named-reversals.ts",
    code: "for (const name of unmarkedReference(reference)) {",
    replacement: "for (const name of [] as string[]) {",
  },
  {
    name: "numbers in other forms contradict",
    file: "evidence/numbering.ts",
    code: "!hasManyNumbers && this.isQuotedForm(side, name, number)",
    replacement: "false",
  },
  {
    name: "check digits in texts",
    file: "assignment/named-lines.ts",
    code: "for (const body of withoutCheckDigits(phrases[at] as string)) {",
    replacement: "for (const body of [] as string[]) {",
  },
  {
    name: "numbers without the letters before their zeros",
    file: "prepare/texts.ts",
    code: "(zeros > from && to - at < MIN_PADDED_DIGITS)",
    replacement: "zeros > from",
  },
  {
    name: "returned payments by their name",
    file: "assignment/named-reversals.ts",
    code: "if (pairs.hasReversal(line) || !saysReversal(texts)) continue;",
    replacement: "continue;",
  },
  {
    name: "instalments by their name",
    file: "sums/sum-pool.ts",
    code: "if (inWiderWindow) yield* this.withTargetName(target);",
    replacement: "",
  },
  {
    name: "sums of days in a row",
    file: "sums/sum-pool.ts",
    code: "yield* this.ofConsecutiveDays(target, near);",
    replacement: "",
  },
  {
    name: "as many lines as a text states",
    file: "sums/sum-pool.ts",
    code: "yield* this.ofStatedCount(target, lines);",
    replacement: "",
  },
  {
    name: "equal amounts of one name in order",
    file: "assignment/by-evidence.ts",
    code: "proposeEqualSeries(state, rule, ruleIndex, pool, options.equalAmountRule);",
    replacement: "",
  },
  {
    name: "parts by their number",
    file: "assignment/by-evidence.ts",
    code: "proposeNamedParts(state, rule, ruleIndex, options.businessDays);",
    replacement: "",
  },
];

type Judged = { f1: number; wrong: number; found: number; recall: number; contradicting: number };

/** @param seeds the reported seeds. */
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
      share(judged.recall),
      count(judged.contradicting),
    ];
  });
  return `## What each item adds

All datasets, our own and the holdout, ${seeds.length} seeds each, default rules, with one item of the engine left out. Against a contradiction: automatic matches of
neighbours that contradict their line, in smaller datasets with 2 % of them.

${table(["Left out", "F1", "Automatic: wrong", "of true", "against a contradiction"], rows)}`;
}

if (process.argv[1] === import.meta.filename) {
  const [name = "", ...seeds] = process.argv.slice(2);
  removeItem(ITEMS.find((item) => item.name === name));
  // Only modules that are loaded after the hook is registered are changed.
  const { judgeAblated } = await import("./ablated.ts");
  console.log(JSON.stringify(judgeAblated(seeds.map(Number))));
}

/** @throws if the code of the item is no longer in its file. */
function removeItem(item: Item | undefined): void {
  if (!item) return;
  const { file, code, replacement } = item;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(`/engine/${file}`)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(code)) throw new Error(`${file} does not have: ${code}`);
      return { ...loaded, source: source.replace(code, replacement) };
    },
  });
}
