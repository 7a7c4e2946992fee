import { readFileSync } from "node:fs";
import { statementsOf } from "../../../supabase/local/sql-statements.ts";

/** A function's input arguments, in order. Calls may leave out one that has a default. */
export type Signature = readonly { name: string; type: string; hasDefault: boolean }[];
/** The signatures of each function by its name with its schema; several if it is overloaded. */
export type Signatures = ReadonlyMap<string, readonly Signature[]>;

/** Calls of private functions by their names: `call(client, "finish_run", …)`, `call("fail_file")`. */
const PRIVATE_CALL = /\bcall(?:ForValue)?(?:<[^()]*>)?\(\s*(?:[\w.]+,\s*)?"([a-z]\w*)"/g;
/** The name of a public function reaches a call by several ways, so each text counts as one. */
const TEXT = /"([a-z]\w*)"/g;
/** Calls in the text of a statement: `select private.record_heartbeat($1)`. */
const STATEMENT_CALL = /\b((?:private|public)\.\w+)\(/g;

const CREATED = /^\s*create (?:or replace )?function ((?:private|public)\.\w+)\s*\(/i;
const DROPPED = /^\s*drop function (?:if exists )?((?:private|public)\.\w+)(?:\s*\(([^)]*)\))?/i;
/** `-- contracts: private.finish_run, no release calls it`: a change that is known to be safe. */
const EXEMPTION = /^\s*--\s*contracts:\s*((?:private|public)\.\w+)\b/gm;
const SYNONYMS: Record<string, string> = {
  bool: "boolean",
  int: "integer",
  int4: "integer",
  int8: "bigint",
  timestamptz: "timestamp with time zone",
  "pg_catalog.bool": "boolean",
};

/**
 * The functions that a process calls, found in the text of its code, and names that no function
 * has: `public.` before every text that could be one.
 */
export function calledFunctions(code: string): Set<string> {
  const found = (pattern: RegExp, schema: string) =>
    [...code.matchAll(pattern)].map(([, name = ""]) => schema + name);
  return new Set([
    ...found(PRIVATE_CALL, "private."),
    ...found(TEXT, "public."),
    ...found(STATEMENT_CALL, ""),
  ]);
}

/** The signatures after a migration. */
export function signaturesAfter(before: Signatures, sql: string): Signatures {
  const after = new Map(before);
  for (const statement of statementsOf(sql)) {
    const bare = statement.replace(/--.*$/gm, "");
    const [, dropped, list] = DROPPED.exec(bare) ?? [];
    if (dropped !== undefined) {
      const types = list === undefined ? undefined : list.split(",").map(typeOf).join();
      after.set(
        dropped,
        (after.get(dropped) ?? []).filter((item) => types !== undefined && typesOf(item) !== types),
      );
    }
    const [head, created] = CREATED.exec(bare) ?? [];
    if (head === undefined || created === undefined) continue;
    const signature = argumentsOf(bare.slice(head.length));
    after.set(created, [
      ...(after.get(created) ?? []).filter((item) => typesOf(item) !== typesOf(signature)),
      signature,
    ]);
  }
  return after;
}

/**
 * The functions among `called` that a process of the previous release can no longer call after a
 * migration later than `released`, each with the migration and what it can't call. Keep the old
 * arguments callable for one release: give a new argument a default, or keep a function with the
 * old ones as well.
 */
export function lostSignaturesSince(
  released: string,
  migrations: readonly { version: string; name: string; file: URL }[],
  called: ReadonlySet<string>,
): string[] {
  const faults: string[] = [];
  let signatures: Signatures = new Map();
  for (const { version, name, file } of migrations) {
    const sql = readFileSync(file, "utf8");
    const after = signaturesAfter(signatures, sql);
    if (version > released)
      faults.push(
        ...lostSignatures(signatures, after, called, sql).map(
          (fault) => `${version}_${name}: ${fault}`,
        ),
      );
    signatures = after;
  }
  return faults;
}

/** The signatures that could be called before a migration and can't be called after it. */
export function lostSignatures(
  before: Signatures,
  after: Signatures,
  called: ReadonlySet<string>,
  sql: string,
): string[] {
  const exempt = new Set([...sql.matchAll(EXEMPTION)].map(([, name]) => name));
  return [...called].flatMap((name) =>
    exempt.has(name)
      ? []
      : (before.get(name) ?? [])
          .filter((old) => !(after.get(name) ?? []).some((item) => accepts(item, old)))
          .map((old) => `${name}(${old.map((item) => `${item.name} ${item.type}`).join(", ")})`),
  );
}

/** Whether a call with all arguments of `old`, by their places or by their names, fits. */
function accepts(signature: Signature, old: Signature): boolean {
  return (
    old.length <= signature.length &&
    signature.every((argument, place) => {
      const expected = old[place];
      return expected === undefined
        ? argument.hasDefault
        : argument.name === expected.name && argument.type === expected.type;
    })
  );
}

/** Reads the arguments of a `create function` from the character after its opening bracket. */
function argumentsOf(text: string): Signature {
  const items: string[] = [""];
  let depth = 0;
  for (const character of text) {
    if (character === ")" && depth === 0) break;
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (character === "," && depth === 0) items.push("");
    else items[items.length - 1] += character;
  }
  return items
    .map((item) => item.trim())
    .filter((item) => item !== "" && !/^out\s/i.test(item))
    .map((item) => {
      const [declared = "", value] = item
        .replace(/^(?:in|inout|variadic)\s+/i, "")
        .split(/\s+default\s+|\s*(?<![<>:])=\s*/i);
      const [name = "", ...type] = declared.split(/\s+/);
      return { name, type: typeOf(type.join(" ")), hasDefault: value !== undefined };
    });
}

function typesOf(signature: Signature): string {
  return signature.map(({ type }) => type).join();
}

function typeOf(text: string): string {
  const type = text
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replace(/^variadic /, "")
    .replace(/\(\d+\)/, "");
  const [, element = "", array = ""] = /^(.*?)((?:\[\])?)$/.exec(type) ?? [];
  return `${SYNONYMS[element] ?? element}${array}`;
}
