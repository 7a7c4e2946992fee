/**
 * Prints each comment with a phrase of bin/dev/style-phrases.json, each declaration whose name
 * nobody would search for, and each SQL function that has a one-letter alias or variable, or a name
 * that means a column instead. Fails if there are any.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { columnsIn, functionsIn, nameFaults } from "./sql-names.ts";

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

/** Comments and string literals. Statements in literals share aliases across functions. */
const NOT_CODE = /--.*|'(?:[^']|'')*'|\$(\w+)\$[\s\S]*?\$\1\$/g;
const SHORT_ALIAS =
  /\b(?:from|join|update)\s+[\w.]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s+(?:as\s+)?([a-z])\b(?!\s*\()/g;
const SHORT_VARIABLE = /^ {2}([a-z]) (?:constant )?[a-z][\w.]*(?:\[\])?(?:;| :=)/gm;

type Place = { rule: string; at: string; text: string };

const files = tracked();
const schemas = files
  .filter((file) => file.startsWith("supabase/schemas/"))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));
const columns = columnsIn(schemas.map(({ text }) => text));
const places = [
  ...files.flatMap(placesIn),
  ...schemas.flatMap(({ file, text }) => [
    ...shortNamesIn(file, text),
    ...functionsIn(text)
      .flatMap((code) => nameFaults(code, columns))
      .map(({ rule, at, name }) => ({ rule, at: `${file}, ${at}`, text: name })),
  ]),
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

function shortNamesIn(file: string, sql: string): Place[] {
  return functionsIn(sql).flatMap(({ name, body }) => {
    const code = body.replaceAll(NOT_CODE, "''");
    const letters = [SHORT_ALIAS, SHORT_VARIABLE].flatMap((pattern) =>
      [...code.matchAll(pattern)].map(([, letter]) => letter),
    );
    return letters.length > 0
      ? [{ rule: "short names", at: `${file}, ${name}`, text: [...new Set(letters)].join(", ") }]
      : [];
  });
}

/** The text of a line that is a comment, or of the comment after its code; otherwise null. */
function commentOf(line: string, isSql: boolean): string | null {
  const pattern = isSql ? /(?:^|\s)--\s+(.*)$/ : /(?:^\s*(?:\/\/|\/\*\*?|\*)|\s\/\/)\s+(.*)$/;
  const text = pattern.exec(line)?.[1];
  return text?.replace(/\s*\*\/$/, "").replace(/`[^`]*`/g, "`…`") ?? null;
}
