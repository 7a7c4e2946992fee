/**
 * `npm run test:abuse` runs, against the production build, every test that prevents an attack, and
 * fuzzes all operations with 10,000 cases of a new seed. FUZZ_CASES and FUZZ_SEED choose others.
 * `--check` only verifies that each attack's tests exist, in a second.
 */
import { parseArgs } from "node:util";
import { build } from "../../bin/setup.mjs";
import { missingTests, runTests } from "../required-tests.ts";
import { CLASSES, FINDINGS } from "./attacks.ts";

const ATTACKS = [...Object.values(CLASSES).flat(), ...FINDINGS];

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const missing = ATTACKS.flatMap(({ name, tests }) =>
  missingTests(tests).map((sentence) => `${name}: ${sentence}`),
);
if (missing.length > 0)
  console.error(
    `${missing.join("\n")}\nName in e2e/abuse/attacks.ts the tests that prevent these attacks now.`,
  );
else if (values.check) console.log(`${ATTACKS.length} attacks have their tests`);
process.exitCode = missing.length === 0 && (values.check || (await runAttacks())) ? 0 : 1;

async function runAttacks(): Promise<boolean> {
  process.env.FUZZ_CASES ??= "10000";
  process.env.FUZZ_SEED ??= String(Date.now() % 2 ** 31);
  console.log(`FUZZ_CASES=${process.env.FUZZ_CASES} FUZZ_SEED=${process.env.FUZZ_SEED}`);
  await build();
  const { passed, failed, names } = await runTests(ATTACKS.flatMap(({ tests }) => tests));
  for (const name of names) console.log(`✗ ${name}`);
  console.log(`${ATTACKS.length} attacks: ${passed} passed, ${failed} failed`);
  return failed === 0;
}
