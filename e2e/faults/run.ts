/**
 * `npm run test:faults` runs every drill of a fault against the production build, and reports which
 * invariants held. `--check` only verifies that each fault's drills exist.
 */
import { parseArgs } from "node:util";
import { build } from "../../bin/setup.mjs";
import { missingTests, runTests } from "../required-tests.ts";
import { FAULTS, INVARIANTS } from "./faults.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const missing = FAULTS.flatMap(({ name, drills }) =>
  missingTests(drills).map((sentence) => `${name}: ${sentence}`),
);
if (missing.length > 0)
  console.error(
    `${missing.join("\n")}\nName in e2e/faults/faults.ts the drills of these faults now.`,
  );
else if (values.check) console.log(`${FAULTS.length} faults have their drills`);
process.exitCode = missing.length === 0 && (values.check || (await allHold())) ? 0 : 1;

async function allHold(): Promise<boolean> {
  await build();
  const { passed, failed, names } = await runTests(FAULTS.flatMap(({ drills }) => drills));
  // A failed drill proves nothing about the invariants of its fault.
  const broken = new Set(
    FAULTS.filter(({ drills }) =>
      drills.some(([file]) => names.some((name) => name.startsWith(file))),
    ),
  );
  for (const fault of FAULTS) console.log(`${broken.has(fault) ? "✗" : "✓"} ${fault.name}`);
  for (const [name, sentence] of Object.entries(INVARIANTS)) {
    const tested = FAULTS.filter(({ invariants }) => invariants.some((key) => key === name));
    const held = tested.filter((fault) => !broken.has(fault)).length;
    console.log(
      `${held === tested.length ? "✓" : "✗"} ${sentence}: after ${held} of ${tested.length} faults`,
    );
  }
  for (const name of names) console.log(`✗ ${name}`);
  console.log(`${FAULTS.length} faults: ${passed} passed, ${failed} failed`);
  return failed === 0;
}
