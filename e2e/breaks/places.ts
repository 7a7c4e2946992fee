/** Whether what breaks change, and what must catch them, is still where they say. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Break } from "./break.ts";

/** Where the database's functions are written. */
const SOURCES = ["supabase/migrations", "supabase/schemas"];

/** One sentence for each break that has no place, or more than one; none where all is well. */
export function misplaced(root: string, breaks: readonly Break[]): string[] {
  const functions = lastDefinitions(root);
  const names = breaks.map(({ name }) => name);
  return [
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `Two breaks are called ${name}.`),
    ...breaks.flatMap(({ name, how, caught }) => {
      const told: (string | null)[] = [existsSync(join(root, caught.file)) ? null : `there is no ${caught.file}`];
      if ("file" in how) told.push(inFile(root, how));
      if ("function" in how) {
        const definition = functions.get(how.function);
        told.push(definition ? once(definition, how.replace, how.function) : `there is no ${how.function}`);
      }
      if ("statement" in how) {
        const [, replaced] = /create or replace function ([\w.]+)\(/.exec(how.statement) ?? [];
        if (replaced && !functions.has(replaced)) told.push(`there is no ${replaced}`);
      }
      return told.flatMap((sentence) => (sentence ? [`${name}: ${sentence}.`] : []));
    }),
  ];
}

function lastDefinitions(root: string): Map<string, string> {
  const files = SOURCES.map((folder) => join(root, folder))
    .filter(existsSync)
    .flatMap((folder) =>
      readdirSync(folder)
        .sort()
        .map((file) => readFileSync(join(folder, file), "utf8")),
    );
  const definitions = files.flatMap((sql) => sql.split(/^create (?:or replace )?function (?=[\w.]+\()/m).slice(1));
  return new Map(definitions.map((text) => [text.slice(0, text.indexOf("(")), text]));
}

function inFile(root: string, { file, replace }: { file: string; replace: string }): string | null {
  return existsSync(join(root, file)) ? once(readFileSync(join(root, file), "utf8"), replace, file) : `there is no ${file}`;
}

/** Null where the text stands there once. */
export function once(content: string, text: string, where: string): string | null {
  const found = content.split(text).length - 1;
  return found === 1 ? null : `its place is ${found === 0 ? "not" : `${found} times`} in ${where}`;
}
