/**
 * `npm run bench`: what the service costs, as ratios to something bare in the same run. Needs nothing running: starts a stack of its own and
 * writes bench/results.md. `npm run bench -- requests sizes` measures those alone, into the same file.
 */
import { join } from "node:path";
import { stackUnderTest, startStack } from "#e2e/stack-under-test.ts";
import { build, install, NODE, ROOT, run } from "../../bin/setup.mjs";
import { load, type Section, writeReport } from "./report.ts";

const MEASURES: Record<string, () => Promise<Section>> = {
  requests: async () => (await import("./requests.ts")).requests(),
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in MEASURES));
if (unknown !== undefined) throw new Error(`There is no measure ${unknown}: ${Object.keys(MEASURES).join(", ")}.`);

await install();
await build();
await run(NODE, [join(ROOT, "node_modules/next/dist/bin/next"), "build", join(ROOT, "bench/ratios/bare")]);
const stack = await stackUnderTest("bench");
Object.assign(process.env, stack.env);
const stop = await startStack(stack);
try {
  const sections: Section[] = [];
  const loads: string[] = [];
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    sections.push(await measure());
    loads.push(`${name} ${load()}`);
  }
  writeReport(join(ROOT, "bench/results.md"), sections, loads);
} finally {
  await stop();
}
process.exit(0);
