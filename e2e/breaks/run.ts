/**
 * `npm run breaks [-- names…]`: applies each break to a copy of the checkout and runs the test named for it, which must turn
 * red. `--check`: only whether each has its place, in a second.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { NOT_IN_THE_GATE } from "../gate.ts";
import type { Break } from "./break.ts";
import { BREAKS } from "./breaks.ts";
import { type Colour, coloursOf } from "./guarantees.ts";
import { Laboratory, needsBuild } from "./laboratory.ts";
import { misplaced } from "./places.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Verdict = "caught" | "not caught" | "no such test" | "not to be told";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { check: { type: "boolean", default: false } } });
const unknown = positionals.filter((name) => !BREAKS.some((one) => one.name === name));
if (unknown.length > 0) throw new Error(`There is no break called ${unknown.join(", ")}.`);
const chosen = BREAKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const faults = misplaced(ROOT, BREAKS);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  console.error("A break goes with the code that it breaks: say in e2e/breaks what it replaces now, and by what.");
}
if (values.check && faults.length === 0) console.log(`${BREAKS.length} breaks have their places`);
process.exitCode = faults.length === 0 && (values.check || (await runAll())) ? 0 : 1;

async function runAll(): Promise<boolean> {
  const startedAt = performance.now();
  const laboratory = Laboratory.open(ROOT);
  const verdicts = new Map<Break, Verdict>();
  try {
    await rebuild(laboratory);
    const whole = await coloursOf(laboratory, chosen);
    for (const [one, colour] of whole)
      if (colour !== "green") tell(verdicts, one, colour === "missing" ? "no such test" : "not to be told");
    const sound = chosen.filter((one) => whole.get(one) === "green");
    for (const one of sound.filter((one) => !needsBuild(one))) tell(verdicts, one, verdictOf(await alone(laboratory, one)));
    for (const [one, verdict] of await inRounds(laboratory, sound.filter(needsBuild))) tell(verdicts, one, verdict);
  } finally {
    laboratory.close();
  }
  const caught = chosen.filter((one) => verdicts.get(one) === "caught");
  const byGate = caught.filter((one) => catcherOf(one) === "the gate").length;
  console.log(`${byGate} are caught by the gate, ${caught.length - byGate} by proof, ${chosen.length - caught.length} by neither.`);
  console.log(
    `\n${caught.length} of ${chosen.length} breaks are caught, in ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes.`,
  );
  return caught.length === chosen.length;
}

/**
 * Builds are dear, so several breaks go into one: each is in half of the builds, no two in the same ones, and all of the tests
 * run after each. A test that is red in those builds that have its break, and green in the others, is red by that break. What
 * does not come out so is tried alone.
 */
async function inRounds(laboratory: Laboratory, breaks: readonly Break[]): Promise<Map<Break, Verdict>> {
  const codes = codesFor(breaks.length);
  const fitting = new Map(breaks.map((one) => [one, true]));
  for (let round = 0; round < (codes[0]?.length ?? 0) && breaks.length > 2; round += 1) {
    const isIn = (one: Break) => codes[breaks.indexOf(one)]?.[round] === true;
    laboratory.apply(breaks.filter(isIn));
    await rebuild(laboratory);
    for (const [one, colour] of await coloursOf(laboratory, breaks)) {
      if (colour !== (isIn(one) ? "red" : "green")) fitting.set(one, false);
    }
    laboratory.mend();
    console.log(
      `  build ${round + 1} of ${codes[0]?.length}: ${breaks.filter((one) => !fitting.get(one)).length} are to be tried alone so far`,
    );
  }
  const verdicts = new Map<Break, Verdict>();
  for (const one of breaks) verdicts.set(one, breaks.length > 2 && fitting.get(one) ? "caught" : verdictOf(await alone(laboratory, one)));
  return verdicts;
}

/** So many different ways to be in half of as few builds as that takes. */
function codesFor(count: number): boolean[][] {
  for (let length = 2; ; length += 1) {
    const all = Array.from({ length: 2 ** length }, (_, code) => Array.from({ length }, (_, bit) => Boolean((code >> bit) & 1)));
    const half = all.filter((code) => code.filter(Boolean).length === Math.floor(length / 2));
    if (half.length >= count) return half.slice(0, count);
  }
}

async function alone(laboratory: Laboratory, one: Break): Promise<Colour> {
  laboratory.apply([one]);
  try {
    if (needsBuild(one)) await rebuild(laboratory);
    return (await coloursOf(laboratory, [one])).get(one) ?? "missing";
  } catch (error) {
    console.log(`  ${one.name}: ${(error as Error).message.slice(0, 2000)}`);
    return "missing";
  } finally {
    laboratory.mend();
  }
}

/** Builds the copy as it is now, where what it is built from changed. */
async function rebuild(laboratory: Laboratory): Promise<void> {
  const { code, output } = await laboratory.run("e2e/breaks/build.mjs", []);
  if (code !== 0) throw new Error(`The copy cannot be built:\n${output.slice(-3000)}`);
}

function verdictOf(colour: Colour): Verdict {
  return colour === "red" ? "caught" : colour === "green" ? "not caught" : "not to be told";
}

/** Which of the two runs the file of its test. */
function catcherOf({ caught: { file } }: Break): "the gate" | "proof" {
  return file in NOT_IN_THE_GATE ? "proof" : "the gate";
}

function tell(verdicts: Map<Break, Verdict>, one: Break, verdict: Verdict): void {
  verdicts.set(one, verdict);
  const by = verdict === "caught" ? ` by ${catcherOf(one)}` : "";
  console.log(`${verdict === "caught" ? "✓" : "✗"} ${one.name}: ${verdict}${by} (${one.is})`);
}
