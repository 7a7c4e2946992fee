/**
 * `npm run breaks [-- names or areas…]`: applies each break to a copy of the checkout and runs the
 * test named for it, which must turn red. `--check`: only whether each has its place, in a second.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Break } from "./break.ts";
import { AREAS, BREAKS } from "./breaks.ts";
import { type Colour, coloursOf, type Runner, type TestResult } from "./guarantees.ts";
import { findMisplaced } from "./places.ts";
import { needsBuild, Sandbox } from "./sandbox.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Verdict = "caught" | "not caught" | "no such test" | "undecided";
type Outcome = { verdict: Verdict; by: Runner };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false } },
});
const named = positionals.flatMap(
  (name) => AREAS[name]?.map((mutation) => mutation.name) ?? [name],
);
const unknown = named.filter((name) => !BREAKS.some((mutation) => mutation.name === name));
if (unknown.length > 0)
  throw new Error(`There is no break and no area called ${unknown.join(", ")}.`);
const chosen = BREAKS.filter(({ name }) => named.length === 0 || named.includes(name));

const faults = findMisplaced(ROOT, BREAKS);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  console.error(
    "A break goes with the code that it breaks: say in " +
      "e2e/mutations what it replaces now, and by what.",
  );
}
if (values.check && faults.length === 0) console.log(`${BREAKS.length} breaks have their places`);
process.exitCode = faults.length === 0 && (values.check || (await runAll())) ? 0 : 1;

async function runAll(): Promise<boolean> {
  const startedAt = performance.now();
  const sandbox = Sandbox.open(ROOT);
  const outcomes = new Map<Break, Outcome>();
  try {
    await rebuild(sandbox);
    const whole = await coloursOf(sandbox, chosen);
    for (const [mutation, { colour, by }] of whole)
      if (colour !== "green")
        record(outcomes, mutation, {
          verdict: colour === "missing" ? "no such test" : "undecided",
          by,
        });
    const sound = chosen.filter((mutation) => whole.get(mutation)?.colour === "green");
    for (const mutation of sound.filter((mutation) => !needsBuild(mutation)))
      record(outcomes, mutation, await alone(sandbox, mutation));
    for (const [mutation, each] of await inRounds(sandbox, sound.filter(needsBuild)))
      record(outcomes, mutation, each);
  } finally {
    sandbox.close();
  }
  const caught = chosen.filter((mutation) => outcomes.get(mutation)?.verdict === "caught");
  const byGate = caught.filter((mutation) => outcomes.get(mutation)?.by === "the gate").length;
  console.log(
    `${byGate} are caught by the gate, ${caught.length - byGate} by proof, ` +
      `${chosen.length - caught.length} by neither.`,
  );
  console.log(
    `\n${caught.length} of ${chosen.length} breaks are caught, in ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes.`,
  );
  return caught.length === chosen.length;
}

/**
 * Builds are dear, so several breaks go into one: each is in half of the builds, no two in the same
 * ones, and all of the tests run after each. A test that is red in those builds that have its
 * break, and green in the others, is red by that break. What does not come out so is tried alone.
 */
async function inRounds(sandbox: Sandbox, breaks: readonly Break[]): Promise<Map<Break, Outcome>> {
  const codes = codesFor(breaks.length);
  const fitting = new Map(breaks.map((mutation) => [mutation, true]));
  const runners = new Map<Break, Runner>();
  for (let round = 0; round < (codes[0]?.length ?? 0) && breaks.length > 2; round += 1) {
    const isIn = (mutation: Break) => codes[breaks.indexOf(mutation)]?.[round] === true;
    sandbox.apply(breaks.filter(isIn));
    await rebuild(sandbox);
    for (const [mutation, { colour, by }] of await coloursOf(sandbox, breaks)) {
      runners.set(mutation, by);
      if (colour !== (isIn(mutation) ? "red" : "green")) fitting.set(mutation, false);
    }
    sandbox.mend();
    console.log(
      `  build ${round + 1} of ${codes[0]?.length}: ` +
        `${breaks.filter((mutation) => !fitting.get(mutation)).length} are to be tried alone so far`,
    );
  }
  const outcomes = new Map<Break, Outcome>();
  for (const mutation of breaks) {
    const by = breaks.length > 2 && fitting.get(mutation) ? runners.get(mutation) : undefined;
    outcomes.set(mutation, by ? { verdict: "caught", by } : await alone(sandbox, mutation));
  }
  return outcomes;
}

/** Ways to be in half of the builds, for as few builds as possible. */
function codesFor(count: number): boolean[][] {
  for (let length = 2; ; length += 1) {
    const all = Array.from({ length: 2 ** length }, (_, code) =>
      Array.from({ length }, (_, bit) => Boolean((code >> bit) & 1)),
    );
    const half = all.filter((code) => code.filter(Boolean).length === Math.floor(length / 2));
    if (half.length >= count) return half.slice(0, count);
  }
}

async function alone(sandbox: Sandbox, mutation: Break): Promise<Outcome> {
  sandbox.apply([mutation]);
  try {
    if (needsBuild(mutation)) await rebuild(sandbox);
    const { colour, by } = (await coloursOf(sandbox, [mutation])).get(mutation) as TestResult;
    return { verdict: verdictOf(colour), by };
  } catch (error) {
    console.log(`  ${mutation.name}: ${(error as Error).message.slice(0, 2000)}`);
    return { verdict: "undecided", by: "proof" };
  } finally {
    sandbox.mend();
  }
}

/** Builds the copy if its sources changed. */
async function rebuild(sandbox: Sandbox): Promise<void> {
  const { code, output } = await sandbox.run("e2e/mutations/build.mjs", []);
  if (code !== 0) throw new Error(`The copy cannot be built:\n${output.slice(-3000)}`);
}

function verdictOf(colour: Colour): Verdict {
  return colour === "red" ? "caught" : colour === "green" ? "not caught" : "undecided";
}

function record(outcomes: Map<Break, Outcome>, mutation: Break, { verdict, by }: Outcome): void {
  outcomes.set(mutation, { verdict, by });
  console.log(
    verdict === "caught"
      ? `✓ ${mutation.name}: caught by ${by} (${mutation.effect})`
      : `✗ ${mutation.name}: ${verdict} (${mutation.effect})`,
  );
}
