/**
 * `npm run screenshots -- <folder> [views…]`: the walk of the tests, with a picture at each of its stops and a sheet of each view, and a sheet of
 * how two people close a month (`-- <folder> "by two people"` alone).
 */
import { resolve } from "node:path";
import { ensureChromium } from "./chromium.mjs";
import { build, install } from "./setup.mjs";

const [folder, ...views] = process.argv.slice(2);
if (!folder) throw new Error("Say where to: npm run screenshots -- <folder> [views…]");

const installed = install();
await Promise.all([installed, ensureChromium(installed)]);
await build();
const { playwright } = await import("./suites.mjs");
process.env.SCREENSHOTS = resolve(folder);
const named = views.map((view) => view.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
const { failures } = await playwright([
  "e2e/ui/walk.spec.ts",
  "e2e/ui/two-people.spec.ts",
  ...(named.length > 0 ? ["--grep", ` (${named.join("|")})$`] : []),
]);
process.exit(failures.length > 0 ? 1 : 0);
