const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\s+|[\w.]+|./gy;
const SEPARATOR = /^[(),;]$/;

/**
 * The text of a definition without comments and layout. Two definitions that differ only in those
 * do the same, so the difference needs no migration.
 */
export function normalizeSql(sql: string): string {
  const tokens = (sql.match(TOKEN) ?? []).filter((token) => !/^(?:--|\/\*|\s)/.test(token));
  return tokens
    .map((token, at) => {
      const before = tokens[at - 1];
      const isGlued = before === undefined || SEPARATOR.test(before) || SEPARATOR.test(token);
      return isGlued ? token : ` ${token}`;
    })
    .join("");
}
