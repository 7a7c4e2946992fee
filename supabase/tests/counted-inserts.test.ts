import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SCHEMAS = new URL("../schemas/", import.meta.url);
const functions = readdirSync(SCHEMAS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".sql"))
  .flatMap((name) => [
    ...readFileSync(new URL(name, SCHEMAS), "utf8").matchAll(
      /^create function ([\w.]+)\(.*?^end \$\$;/gms,
    ),
  ])
  .map(([text, name = ""]) => ({ name, text }));

/** The lock that lets only one transaction at a time count and insert. */
const LOCK = /serialize_counting\(|pg_advisory_xact_lock\(/;

test("every limit on a number of rows is counted under a lock, so that concurrent calls keep it", () => {
  const limits = functions.filter(({ text }) => text.includes("refuse_conflict('quota'"));
  expect(limits.length).toBeGreaterThan(6);
  const unlocked = limits.filter(({ text }) => {
    const lock = text.search(LOCK);
    return lock < 0 || lock > text.indexOf("refuse_conflict('quota'");
  });
  expect(unlocked.map(({ name }) => name)).toEqual([]);
});
