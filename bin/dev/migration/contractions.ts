import { readFileSync } from "node:fs";
import { statementsOf } from "../../../supabase/local/sql-statements.ts";

/**
 * Statements that remove or narrow what the previous release still uses while its processes are
 * replaced one by one.
 */
const CONTRACTIONS: readonly [effect: string, pattern: RegExp][] = [
  ["drops a table, a view or a schema", /^\s*drop (?:table|view|schema|type)\b/i],
  ["drops a column", /\bdrop column\b/i],
  ["renames", /^\s*alter .*\brename\b/is],
  ["changes a column's type", /\balter column \S+ (?:set data )?type\b/i],
  ["requires a column that others leave out", /\balter column \S+ set not null\b/i],
  [
    "adds a column that others leave out",
    /\badd column (?:if not exists )?\S+ (?:(?!\bdefault\b|\bgenerated\b)[^,;])*\bnot null\b(?![^,;]*\b(?:default|generated)\b)/i,
  ],
  ["drops a default", /\balter column \S+ drop default\b/i],
  ["revokes a grant", /^\s*revoke\b/i],
];
/** A function that the same migration creates again is changed, not removed. */
const DROPPED_FUNCTION = /^\s*drop (?:function|procedure) (?:if exists )?([\w.]+)/i;
/** A comment that says why the previous release works with a statement. */
const EXEMPTION = /^\s*--\s*contracts:\s*\S+/m;

/**
 * The statements that the previous release can't work with: expand first, and contract in the next
 * release (https://martinfowler.com/bliki/ParallelChange.html). A safe statement says why in a
 * comment above it: `-- contracts: …`.
 */
export function contractionsIn(sql: string): string[] {
  const statements = statementsOf(sql);
  return statements.flatMap((statement) => {
    if (EXEMPTION.test(statement)) return [];
    const bare = statement.replace(/--.*$/gm, "");
    const [, dropped] = DROPPED_FUNCTION.exec(bare) ?? [];
    if (dropped !== undefined && !isRecreated(dropped, statements)) return [`removes ${dropped}`];
    // Functions are replaced whole, so their bodies don't matter.
    if (/^\s*create (?:or replace )?(?:function|procedure)\b/i.test(bare)) return [];
    return CONTRACTIONS.flatMap(([effect, pattern]) =>
      pattern.test(bare) ? [`${effect}: ${bare.trim().split("\n", 1)[0]}`] : [],
    );
  });
}

function isRecreated(name: string, statements: readonly string[]): boolean {
  return statements.some((statement) =>
    new RegExp(`create (?:or replace )?function ${name.replaceAll(".", "\\.")}\\s*\\(`, "i").test(
      statement,
    ),
  );
}

/** Checks each migration after the last one of a release. */
export function contractionsSince(
  released: string,
  migrations: readonly { version: string; name: string; file: URL }[],
): string[] {
  return migrations
    .filter(({ version }) => version > released)
    .flatMap(({ version, name, file }) =>
      contractionsIn(readFileSync(file, "utf8")).map((fault) => `${version}_${name} ${fault}`),
    );
}
