/**
 * `npm run test:faults`: every drill of a fault against the production build, and which invariants
 * held. `--check`: only whether each fault's drills are there.
 */
import { parseArgs } from "node:util";
import { build } from "../../bin/setup.mjs";
import { missingTests, runTests } from "../required-tests.ts";
import { FAULTS, INVARIANTS } from "./faults.ts";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const missing = FAULTS.flatMap(({ is, drills }) =>
  missingTests(drills).map((name) => `${is}: ${name}`),
);
if (missing.length > 0)
  console.error(
    `${missing.join("\n")}\nSay in e2e/faults/faults.ts which tests are its drills now.`,
  );
else if (values.check) console.log(`${FAULTS.length} faults have their drills`);
process.exitCode = missing.length === 0 && (values.check || (await allHold())) ? 0 : 1;

async function allHold(): Promise<boolean> {
  await build();
  const { passed, failed, names } = await runTests(FAULTS.flatMap(({ drills }) => drills));
  // A drill that failed says nothing about its guarantees.
  const broken = new Set(
    FAULTS.filter(({ drills }) =>
      drills.some(([file]) => names.some((name) => name.startsWith(file))),
    ),
  );
  for (const fault of FAULTS) console.log(`${broken.has(fault) ? "✗" : "✓"} ${fault.is}`);
  for (const [name, sentence] of Object.entries(INVARIANTS)) {
    const looked = FAULTS.filter(({ holds }) => holds.some((hold) => hold === name));
    const held = looked.filter((fault) => !broken.has(fault)).length;
    console.log(
      `${held === looked.length ? "✓" : "✗"} ${sentence}: after ${held} of ${looked.length} faults`,
    );
  }
  for (const name of names) console.log(`✗ ${name}`);
  console.log(`${FAULTS.length} faults: ${passed} passed, ${failed} failed`);
  return failed === 0;
}
