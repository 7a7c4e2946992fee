/**
 * Counts phrases in comments, and names of variables, that make code hard to read or to search.
 * Each has a budget in bin/dev/style-budget.json, which may only go down.
 *
 *   node bin/dev/style.ts             fails if a count is over its budget, and lists the places
 *   node bin/dev/style.ts --places    lists every place
 *   node bin/dev/style.ts --lower     lowers the budgets to the counts
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const BUDGET = join(ROOT, "bin/dev/style-budget.json");
const SOURCE = /\.(?:tsx?|mjs|sql)$/;
const EXEMPT = /\.gen\.|types\.gen|^supabase\/migrations\/|^lib\/imports\/samples\//;

/** Phrases of comments. A good comment names its subject and says what holds. */
const PHRASES: Record<string, RegExp> = {
  anew: /\banew\b/i,
  "as it is": /\bas it is(?=[.,;:)]|$| \*\/)/i,
  beside: /\bbeside\b/i,
  buried: /\bbur(?:y|ies|ied)\b/i,
  "gives way": /\bgives? way\b/i,
  hears: /\bhears\b/i,
  "in vain": /\bin vain\b/i,
  "let somebody": /\blets? (?:somebody|anybody)\b/i,
  meanwhile: /\bmeanwhile\b/i,
  "of its own": /\bof (?:its|their) own\b(?! accord)/i,
  "of late": /\bof late\b/i,
  "passed over": /\bpass(?:es|ed)? over\b/i,
  "so many": /\bso many\b(?! that)/i,
  "so that none": /\bso that none\b/i,
  somebody: /\bsomebody\b/i,
  "starts with Of": /^Of (?!course\b)/,
  "stood still": /\b(?:stands?|stood) still\b/i,
  "taken down": /\b(?:takes|taken) down\b/i,
  "taken in": /\btaken in\b/i,
  "told of": /\b(?:tells?|told) of\b/i,
  "where there is": /\bwhere there (?:is|are) (?:one|none|no)\b/i,
  "who has it": /\bwho has it\b/i,
  whoever: /\bwhoever\b/i,
  whom: /\bwhom\b/i,
};

/** Names of variables and functions that nobody would search for. */
const NAMES = ["asked", "few", "given", "gone", "heard", "kept", "made", "said", "told", "wanted"];
const DECLARED = new RegExp(`\\b(?:const|let|function) (${NAMES.join("|")})\\b`);

type Place = { rule: string; at: string; text: string };

const places = tracked().flatMap(placesIn);
const counts = Object.fromEntries(
  [...Object.keys(PHRASES), ...NAMES.map((name) => `name: ${name}`)].map((rule) => [
    rule,
    places.filter((place) => place.rule === rule).length,
  ]),
);
const budget: Record<string, number> = JSON.parse(readFileSync(BUDGET, "utf8"));
const [option] = process.argv.slice(2);
if (option === "--lower") lower();
else report(option === "--places");

function report(all: boolean): void {
  const over = Object.keys(counts).filter((rule) => (counts[rule] ?? 0) > (budget[rule] ?? 0));
  for (const { rule, at, text } of places)
    if (all || over.includes(rule)) console.log(`${at}: ${rule}: ${text}`);
  const sum = (values: Record<string, number>) =>
    Object.values(values).reduce((total, count) => total + count, 0);
  console.log(`${sum(counts)} phrases and names to rewrite, of ${sum(budget)} in the budget`);
  if (over.length === 0) return;
  for (const rule of over) console.log(`✗ ${rule}: ${counts[rule]}, budget ${budget[rule] ?? 0}`);
  process.exitCode = 1;
}

function lower(): void {
  const lowered = Object.entries(counts).map(([rule, count]) => [
    rule,
    Math.min(count, budget[rule] ?? count),
  ]);
  writeFileSync(BUDGET, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
}

function tracked(): string[] {
  return execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 26 })
    .split("\n")
    .filter((file) => SOURCE.test(file) && !EXEMPT.test(file));
}

function placesIn(file: string): Place[] {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const at = `${file}:${index + 1}`;
    const comment = commentOf(line, file.endsWith(".sql"));
    const name = comment === null ? DECLARED.exec(line)?.[1] : undefined;
    return [
      ...(name === undefined ? [] : [{ rule: `name: ${name}`, at, text: line.trim() }]),
      ...Object.entries(PHRASES).flatMap(([rule, pattern]) =>
        comment !== null && pattern.test(comment) ? [{ rule, at, text: comment }] : [],
      ),
    ];
  });
}

/** The text of a line that is a comment, or of the comment after its code; otherwise null. */
function commentOf(line: string, isSql: boolean): string | null {
  const pattern = isSql ? /(?:^|\s)--\s+(.*)$/ : /(?:^\s*(?:\/\/|\/\*\*?|\*)|\s\/\/)\s+(.*)$/;
  const text = pattern.exec(line)?.[1];
  return text?.replace(/\s*\*\/$/, "").replace(/`[^`]*`/g, "`…`") ?? null;
}
