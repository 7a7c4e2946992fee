import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const CODE = /\.(?:tsx?|mjs|sql|json)$/;
/**
 * Documents for engineers of the project. Guides are for callers of the API and name no such
 * things.
 */
const DOCUMENTS = /^(?:CONTRIBUTING\.md|README\.md|docs\/[\w-]+\.md|docs\/decisions\/.*\.md)$/;
/** A database function, a React hook, or a name with an underscore such as a column's. */
const NAME = /`(?:(?:private|public)\.)?((?:use[A-Z]\w+|[a-z]+(?:_[a-z0-9]+)+))(?:\([^`]*\))?`/g;
/**
 * Names that aren't in this code: an example, a metric with a composed name, and functions of
 * Postgres and Citus.
 */
const OTHERS = [
  "close_thing",
  "pg_dump",
  "pg_snapshot_xmin",
  "run_command_on_shards",
  "tieout_request_log_dropped_total",
];

const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");
const words = new Set(
  files
    .filter((file) => CODE.test(file) && !file.startsWith("supabase/migrations/"))
    .flatMap((file) => readFileSync(join(ROOT, file), "utf8").match(/\w+/g) ?? []),
);

test.each(files.filter((file) => DOCUMENTS.test(file)))(
  "%s names only what the code has",
  (file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const names = [...text.matchAll(NAME)].map(([, name = ""]) => name);
    expect(names.filter((name) => !words.has(name) && !OTHERS.includes(name))).toEqual([]);
  },
);
