/**
 * `npm run test:abuse`: against the production build, every test that keeps an attack out, and the fuzz of every operation with 10,000
 * cases of a seed of its own. FUZZ_CASES and FUZZ_SEED choose others. `--check`: only whether each attack's tests are there, in a second.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "../../bin/setup.mjs";
import { playwright, vitest } from "../../bin/suites.mjs";
import { CLASSES, FINDINGS } from "./attacks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ATTACKS = [...Object.values(CLASSES).flat(), ...FINDINGS];

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const missing = ATTACKS.flatMap(({ is, kept }) => kept.flatMap(([file, ...names]) => unknown(file, names).map((name) => `${is}: ${name}`)));
if (missing.length > 0) console.error(`${missing.join("\n")}\nSay in e2e/abuse/attacks.ts by which test it is kept out now.`);
else if (values.check) console.log(`${ATTACKS.length} attacks have their tests`);
process.exitCode = missing.length === 0 && (values.check || (await keepsAll())) ? 0 : 1;

function unknown(file: string, names: readonly string[]): string[] {
  if (!existsSync(join(ROOT, file))) return [`there is no ${file}`];
  const text = readFileSync(join(ROOT, file), "utf8");
  return names.filter((name) => !text.includes(name)).map((name) => `"${name}" is not in ${file}`);
}

async function keepsAll(): Promise<boolean> {
  process.env.FUZZ_CASES ??= "10000";
  process.env.FUZZ_SEED ??= String(Date.now() % 2 ** 31);
  console.log(`FUZZ_CASES=${process.env.FUZZ_CASES} FUZZ_SEED=${process.env.FUZZ_SEED}`);
  await build();
  const files = [...new Set(ATTACKS.flatMap(({ kept }) => kept.map(([file]) => file)))];
  const inSuite = {
    api: files.filter(startsWith("e2e/api/")),
    stack: files.filter(startsWith("e2e/stack/")),
    ui: files.filter(startsWith("e2e/ui/")),
  };
  const units = files.filter((file) => !Object.values(inSuite).flat().includes(file));
  const outcomes = [
    await vitest("unit", units),
    await vitest("api", inSuite.api),
    await vitest("stack", inSuite.stack),
    await playwright(inSuite.ui),
  ];
  for (const name of outcomes.flatMap(({ names }) => names)) console.log(`✗ ${name}`);
  const count = (what: "passed" | "failed") => outcomes.reduce((sum, outcome) => sum + outcome[what], 0);
  console.log(`${ATTACKS.length} attacks: ${count("passed")} passed, ${count("failed")} failed`);
  return count("failed") === 0;
}

function startsWith(folder: string): (file: string) => boolean {
  return (file) => file.startsWith(folder);
}
