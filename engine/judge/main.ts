/**
 * `npm run judge`: how well and how fast the engine matches, written to engine/judge/results.md.
 * Datasets with seeds below 100 were examined during development; the reported figures are from
 * seeds 101 and up.
 *
 *   npm run judge                 the whole report
 *   npm run judge -- accuracy     only prints one part: accuracy, ablation or speed
 *   npm run judge -- tuning       the holdout months with the tuning seeds, and missed matches
 */
import { writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { ENGINE_VERSION } from "../content-hash.ts";
import { ablation } from "./ablation.ts";
import { accuracy, REPORTED_SEEDS } from "./accuracy.ts";
import { tuning } from "./holdout.ts";
import { speed } from "./speed-table.ts";

const part = process.argv[2];
const loadBefore = loadavg();
const parts = [];
if (part === "tuning") parts.push(tuning());
if (!part || part === "accuracy") parts.push(accuracy());
if (!part || part === "ablation") parts.push(ablation(REPORTED_SEEDS.slice(0, 2)));
if (!part || part === "speed") parts.push(speed());
const page = `# How well and how fast the engine matches

Made by \`npm run judge\` on ${new Date().toISOString().slice(0, 10)}, engine ${ENGINE_VERSION}, Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; load of the machine
${loadBefore.map((load) => load.toFixed(1)).join(", ")} at the start and ${loadavg()
  .map((load) => load.toFixed(1))
  .join(
    ", ",
  )} at the end (1, 5 and 15 minutes). Times are noisy on a shared machine, so CPU seconds are given too.

${parts.join("\n\n")}
`;
if (part) console.log(page);
else writeFileSync(join(import.meta.dirname, "results.md"), page);
