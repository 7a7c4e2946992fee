/**
 * Fails if a comment has a phrase of bin/dev/style-phrases.json, a declaration a name that nobody
 * would search for, or a SQL function of several tables one-letter aliases, and prints where.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const SOURCE = /\.(?:tsx?|mjs|sql)$/;
const EXEMPT = /\.gen\.|types\.gen|^supabase\/migrations\/|^lib\/imports\/samples\//;

/** Phrases of comments. A good comment names its subject and says what holds. */
const PHRASES = Object.entries(
  JSON.parse(readFileSync(join(ROOT, "bin/dev/style-phrases.json"), "utf8")) as Record<
    string,
    string
  >,
).map(([phrase, pattern]) => ({ phrase, pattern: new RegExp(pattern, "i") }));

/** Names of variables and functions that nobody would search for. */
const NAMES = [
  "acts",
  "asked",
  "few",
  "given",
  "gone",
  "heard",
  "kept",
  "made",
  "most",
  "said",
  "told",
  "took",
  "wanted",
];
const DECLARED = new RegExp(`\\b(?:const|let|function) (${NAMES.join("|")})\\b`);

/** With more tables than this in a function, the reader can't remember what a letter stands for. */
const MAX_TABLES = 2;
const SQL_FUNCTION = /create function ([\w.]+)[\s\S]*?\$\$([\s\S]*?)\$\$/g;
const TABLE = /\b(?:from|join|update|into)\s+((?:public|private)\.\w+)(?!\s*\()/g;
const ONE_LETTER =
  /\b(?:from|join|update)\s+[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s+(?:as\s+)?([a-z])\b(?!\s*\()/g;

type Place = { rule: string; at: string; text: string };

const files = tracked();
const places = [
  ...files.flatMap(placesIn),
  ...files.filter((file) => file.startsWith("supabase/schemas/")).flatMap(shortAliasesIn),
];
for (const { rule, at, text } of places) console.log(`✗ ${at}: ${rule}: ${text}`);
if (places.length > 0) process.exitCode = 1;

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
      ...PHRASES.flatMap(({ phrase, pattern }) =>
        comment !== null && pattern.test(comment) ? [{ rule: phrase, at, text: comment }] : [],
      ),
    ];
  });
}

function shortAliasesIn(file: string): Place[] {
  const functions = readFileSync(join(ROOT, file), "utf8").matchAll(SQL_FUNCTION);
  return [...functions].flatMap(([, name = "", body = ""]) => {
    const tables = new Set([...body.matchAll(TABLE)].map(([, table]) => table));
    const letters = new Set([...body.matchAll(ONE_LETTER)].map(([, letter]) => letter));
    return tables.size > MAX_TABLES && letters.size > 0
      ? [{ rule: "one-letter aliases", at: `${file}, ${name}`, text: [...letters].join(", ") }]
      : [];
  });
}

/** The text of a line that is a comment, or of the comment after its code; otherwise null. */
function commentOf(line: string, isSql: boolean): string | null {
  const pattern = isSql ? /(?:^|\s)--\s+(.*)$/ : /(?:^\s*(?:\/\/|\/\*\*?|\*)|\s\/\/)\s+(.*)$/;
  const text = pattern.exec(line)?.[1];
  return text?.replace(/\s*\*\/$/, "").replace(/`[^`]*`/g, "`…`") ?? null;
}
