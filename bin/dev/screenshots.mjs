/**
 * `npm run screenshots -- <folder> [views…]`: runs the tests' walk through the pages with a
 * screenshot at each step and a sheet for each view, a sheet of three people closing a month (only
 * that: `-- <folder> "by three people"`), and pictures of the command line (only those: `-- <folder>
 * "at a terminal"`).
 */
import { resolve } from "node:path";
import { build, install } from "../setup.mjs";
import { ensureChromium } from "./chromium.mjs";

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
  "e2e/ui/closing-month.spec.ts",
  "e2e/ui/terminal.spec.ts",
  ...(named.length > 0 ? ["--grep", ` (${named.join("|")})$`] : []),
]);
process.exit(failures.length > 0 ? 1 : 0);
