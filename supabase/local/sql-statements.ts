/**
 * The start of a part of SQL in which a semicolon doesn't end a statement, and the end of that
 * part.
 */
const OPENINGS = /--|\/\*|'|"|\$(?:[a-z_][a-z0-9_]*)?\$/giy;

/** The statements of a file of SQL, without their semicolons, each with the comments before it. */
export function statementsOf(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let at = 0;
  while (at < sql.length) {
    if (sql[at] === ";") {
      statements.push(sql.slice(start, at).trim());
      start = at + 1;
    }
    OPENINGS.lastIndex = at;
    const [opening] = OPENINGS.exec(sql) ?? [];
    at = opening ? endOf(sql, at, opening) : at + 1;
  }
  if (sql.slice(start).trim() !== "") statements.push(sql.slice(start).trim());
  return statements;
}

function endOf(sql: string, at: number, opening: string): number {
  const closing = opening === "--" ? "\n" : opening === "/*" ? "*/" : opening;
  const end = sql.indexOf(closing, at + opening.length);
  return end < 0 ? sql.length : end + closing.length;
}
