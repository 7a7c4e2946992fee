/**
 * Finds names in SQL functions that don't mean what they say. PostgreSQL silently prefers a column
 * to the row of an alias, and in a function of language sql also to a parameter. Other wrong names
 * fail only when the statement runs.
 */

/** A function of supabase/schemas; `head` is what precedes its body. */
export type SqlFunction = { name: string; head: string; body: string };
/** The columns of each table by its name with its schema. */
export type Columns = ReadonlyMap<string, ReadonlySet<string>>;
/** A rule that a name in the function `at` breaks. */
export type NameFault = { rule: string; at: string; name: string };

type Item = { alias: string; relation: string | undefined };

const FUNCTION =
  /create function ([\w.]+)\s*((?:(?!\$\$|;\n)[\s\S])*?)(?:\$\$([\s\S]*?)\$\$|\breturn\b([^;]*);)/g;
const TABLE = /create table ((?:public|private)\.\w+) \(([\s\S]*?)\n\)/g;
const ADDED_COLUMN = /alter table ((?:public|private)\.\w+)[^;]*?\badd column (\w+)/g;
const TOKEN = /--.*|'(?:[^']|'')*'|\$(\w+)\$[\s\S]*?\$\1\$|[a-z_]\w*|\$?\d+|::|:=|=>|\S/g;
const WORD = /^[a-z_]\w*$/;
const CONSTRAINTS = new Set(["primary", "foreign", "unique", "check", "constraint", "exclude"]);
/** Words that follow a relation which has no alias. */
const AFTER_RELATION = new Set(
  (
    "where set on select join cross left right full inner natural order group limit for values " +
    "returning using union from having window loop as and or then else end offset intersect " +
    "except with tablesample fetch lateral do default overriding then"
  ).split(" "),
);
/** `extract(epoch from …)`: no relation follows. */
const FUNCTIONS_WITH_FROM = new Set(["extract", "substring", "trim", "overlay", "position"]);
const SCHEMAS = new Set(
  "public private auth pg_catalog pg_temp graphile_worker information_schema".split(" "),
);
/** Names of rows that Postgres provides in triggers and inserts. */
const PROVIDED_BY_POSTGRES = ["new", "old", "excluded"];

export function functionsIn(text: string): SqlFunction[] {
  return [...text.matchAll(FUNCTION)].map(([, name = "", head = "", body, value]) => ({
    name,
    head,
    body: body ?? value ?? "",
  }));
}

/** @param texts the files of supabase/schemas */
export function columnsIn(texts: readonly string[]): Columns {
  const columns = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const [, table = "", rows = ""] of text.matchAll(TABLE)) {
      const names = [...rows.matchAll(/^ {2}([a-z_]\w*) /gm)].map(([, name = ""]) => name);
      columns.set(table, new Set(names.filter((name) => !CONSTRAINTS.has(name))));
    }
  }
  for (const text of texts)
    for (const [, table = "", name = ""] of text.matchAll(ADDED_COLUMN))
      columns.get(table)?.add(name);
  return columns;
}

/** The names in a function that mean a column instead, and the qualifiers that nothing has. */
export function nameFaults(code: SqlFunction, columns: Columns): NameFault[] {
  const tokens = tokensOf(code.body);
  const variables = new Set([...parametersOf(code.head), ...declaredIn(tokens)]);
  const items = itemsOf(tokens);
  const known = new Set([
    ...SCHEMAS,
    ...PROVIDED_BY_POSTGRES,
    ...variables,
    ...items.map(({ alias }) => alias),
    code.name.split(".").at(-1) ?? "",
  ]);
  const faults = [
    ...unknownQualifiers(tokens, known).map((name) => ({ rule: "nothing has this name", name })),
    ...statementsOf(tokens).flatMap((statement) =>
      capturedIn(statement, isSql(code) ? variables : new Set(), columns),
    ),
  ];
  return faults.map((fault) => ({ ...fault, at: code.name }));
}

function isSql({ head }: SqlFunction): boolean {
  return /\blanguage sql\b/.test(head);
}

function capturedIn(
  tokens: readonly string[],
  parameters: ReadonlySet<string>,
  columns: Columns,
): { rule: string; name: string }[] {
  const items = itemsOf(tokens);
  const tables = new Set(items.flatMap(({ relation }) => relation ?? []));
  const names = new Set([...items.map(({ alias }) => alias), ...parameters]);
  return [...names].flatMap((name) =>
    [...tables]
      .filter((table) => columns.get(table)?.has(name))
      .map((table) => ({ rule: "a column takes this name", name: `${name} of ${table}` })),
  );
}

function unknownQualifiers(tokens: readonly string[], known: ReadonlySet<string>): string[] {
  const found = tokens.filter(
    (token, place) =>
      tokens[place + 1] === "." &&
      tokens[place - 1] !== "." &&
      WORD.test(token) &&
      WORD.test(tokens[place + 2] ?? "") &&
      !known.has(token),
  );
  return [...new Set(found)];
}

/** The relations that a statement reads or writes, with their aliases. */
function itemsOf(tokens: readonly string[]): Item[] {
  const items: Item[] = [];
  const brackets: string[] = [];
  tokens.forEach((token, place) => {
    const before = tokens[place - 1] ?? "";
    if (token === "(") brackets.push(before);
    if (token === ")") brackets.pop();
    const begins =
      token === "join" ||
      (token === "update" && !["for", "key", "do"].includes(before)) ||
      (token === "into" && before === "insert") ||
      (token === "using" && (tokens[place + 1] !== "(" || tokens[place + 2] === "select")) ||
      (token === "from" &&
        before !== "distinct" &&
        !FUNCTIONS_WITH_FROM.has(brackets.at(-1) ?? ""));
    if (begins) items.push(...itemsAt(tokens, place + 1));
  });
  return items;
}

function itemsAt(tokens: readonly string[], start: number): Item[] {
  let place = start;
  while (["lateral", "only"].includes(tokens[place] ?? "")) place += 1;
  let name: string | undefined;
  let isTable = false;
  if (tokens[place] !== "(") {
    name = tokens[place] ?? "";
    if (!WORD.test(name)) return [];
    place += 1;
    while (tokens[place] === ".") {
      name += `.${tokens[place + 1]}`;
      place += 2;
    }
    isTable = tokens[place] !== "(" || tokens[start - 1] === "into";
  }
  if (tokens[place] === "(" && !isTable) place = closing(tokens, place) + 1;
  if (tokens[place] === "with" && tokens[place + 1] === "ordinality") place += 2;
  if (tokens[place] === "as") place += 1;
  const word = tokens[place] ?? "";
  const hasAlias = WORD.test(word) && !AFTER_RELATION.has(word);
  const alias = hasAlias ? word : name?.split(".").at(-1);
  const item = { alias: alias ?? "", relation: isTable ? name : undefined };
  if (hasAlias) place += 1;
  if (hasAlias && tokens[place] === "(") place = closing(tokens, place) + 1;
  const others =
    tokens[start - 1] !== "into" && tokens[place] === "," ? itemsAt(tokens, place + 1) : [];
  return [item, ...others];
}

function closing(tokens: readonly string[], open: number): number {
  let depth = 0;
  for (let place = open; place < tokens.length; place += 1) {
    if (tokens[place] === "(") depth += 1;
    if (tokens[place] === ")") depth -= 1;
    if (depth === 0) return place;
  }
  return tokens.length;
}

/** The names of arguments and of the columns of `returns table`. */
function parametersOf(head: string): string[] {
  const tokens = tokensOf(head);
  return tokens.filter(
    (token, place) =>
      WORD.test(token) &&
      (["(", ","].includes(tokens[place - 1] ?? "") ||
        ["out", "inout", "variadic"].includes(tokens[place - 1] ?? "")) &&
      WORD.test(tokens[place + 1] ?? ""),
  );
}

/** Variables of `declare` and of loops. */
function declaredIn(tokens: readonly string[]): string[] {
  let isDeclaring = false;
  return tokens.filter((token, place) => {
    const before = tokens[place - 1] ?? "";
    if (token === "declare") isDeclaring = true;
    if (token === "begin") isDeclaring = false;
    return (
      WORD.test(token) &&
      ((isDeclaring && (before === "declare" || before === ";")) ||
        (["for", "foreach"].includes(before) && tokens[place + 1] === "in"))
    );
  });
}

function statementsOf(tokens: readonly string[]): string[][] {
  const statements: string[][] = [[]];
  for (const token of tokens) {
    if (token === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements;
}

/** The tokens without comments. String literals are empty, even those that contain statements. */
function tokensOf(sql: string): string[] {
  return [...sql.matchAll(TOKEN)]
    .map(([token]) => token)
    .filter((token) => !token.startsWith("--"))
    .map((token) => (/^(?:'|\$\w+\$)/.test(token) ? "''" : token));
}
