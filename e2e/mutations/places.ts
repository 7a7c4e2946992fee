/** Whether the places that breaks change, and the tests that must catch them, still exist. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Break } from "./break.ts";

/** Where each database function is defined once. */
const SCHEMAS = "supabase/schemas";

/** One sentence for each break whose text is missing or ambiguous; none if all is well. */
export function findMisplaced(root: string, breaks: readonly Break[]): string[] {
  const functions = globSync("**/*.sql", { cwd: join(root, SCHEMAS) }).flatMap((file) =>
    readFileSync(join(root, SCHEMAS, file), "utf8").split(/^create function /m),
  );
  const names = breaks.map(({ name }) => name);
  return [
    ...names
      .filter((name, at) => names.indexOf(name) !== at)
      .map((name) => `Two breaks are called ${name}.`),
    ...breaks.flatMap(({ name, patch, killedBy }) => {
      const faults: (string | null)[] = [
        existsSync(join(root, killedBy.file)) ? null : `there is no ${killedBy.file}`,
      ];
      if ("file" in patch) faults.push(inFile(root, patch));
      if ("function" in patch) {
        const bodies = functions.filter((text) => text.startsWith(`${patch.function}(`));
        faults.push(
          bodies.length === 0
            ? `there is no ${patch.function}`
            : once(bodies.join(""), anyLayout(patch.replace), patch.function),
        );
      }
      return faults.flatMap((sentence) => (sentence ? [`${name}: ${sentence}.`] : []));
    }),
  ];
}

function inFile(root: string, { file, replace }: { file: string; replace: string }): string | null {
  return existsSync(join(root, file))
    ? once(readFileSync(join(root, file), "utf8"), replace, file)
    : `there is no ${file}`;
}

/** A pattern, of JavaScript and Postgres alike, for a text of SQL in whatever layout. */
export function anyLayout(text: string): RegExp {
  const pattern = text
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\s+/g, "\\s+")
    .replaceAll("\\(", "\\(\\s*");
  return new RegExp(pattern);
}

/** Null if the text occurs once. */
export function once(content: string, text: string | RegExp, where: string): string | null {
  const found = content.split(text).length - 1;
  return found === 1 ? null : `its place is ${found === 0 ? "not" : `${found} times`} in ${where}`;
}
