/**
 * `npm run bench`: what the service costs, as ratios to something bare in the same run. Needs
 * nothing running: builds, starts its own stack and writes bench/results.md. `npm run bench --
 * requests memory` measures those alone; the other sections stay as they were.
 */
import { join } from "node:path";
import { stackUnderTest, startStack } from "#e2e/stack-under-test.ts";
import { build, install, NODE, ROOT, run } from "../../bin/setup.mjs";
import { stackEnvironment } from "../../supervisor/stack-file.ts";
import { type Section, writeSection } from "./report.ts";

/** Loaded once the stack runs, because their imports read its address. */
const MEASURES: Record<string, () => Promise<Section>> = {
  requests: async () => (await import("./requests.ts")).requests(),
  sizes: async () => (await import("./sizes.ts")).sizes(),
  verification: async () => (await import("./verification.ts")).verification(),
  webhooks: async () => (await import("./webhooks.ts")).webhooks(),
  crossings: async () => (await import("./crossings.ts")).crossings(),
  memory: async () => (await import("./memory.ts")).memory(),
  pages: async () => (await import("./pages.ts")).pages(),
  fairness: async () => (await import("./fairness.ts")).fairness(),
  processes: async () => (await import("./processes.ts")).processes(),
};

const names = process.argv.slice(2);
const unknown = names.find((name) => !(name in MEASURES));
if (unknown !== undefined)
  throw new Error(`There is no measure ${unknown}: ${Object.keys(MEASURES).join(", ")}.`);

await install();
await build();
await run(NODE, [
  join(ROOT, "node_modules/next/dist/bin/next"),
  "build",
  join(ROOT, "bench/ratios/bare"),
]);
const stack = await stackUnderTest("bench");
Object.assign(process.env, stack.env);
const stop = await startStack(stack);
Object.assign(process.env, stackEnvironment());
try {
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (names.length === 0 || names.includes(name))
      writeSection(join(ROOT, "bench/results.md"), await measure());
  }
} finally {
  await stop();
}
process.exit(0);
