/**
 * `npm run judge`: how well and how fast the engine matches, written to engine/judge/results.md.
 * Worlds of seeds below 100 were looked at while the engine was made; what is reported is of seeds
 * from 101 on.
 *
 *   npm run judge                 all of it
 *   npm run judge -- accuracy     one part, printed and not written: accuracy, ablation, speed
 *   npm run judge -- tuning       the holdout's months of the seeds for tuning, with what was missed
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
const before = loadavg();
const parts = [];
if (part === "tuning") parts.push(tuning());
if (!part || part === "accuracy") parts.push(accuracy());
if (!part || part === "ablation") parts.push(ablation(REPORTED_SEEDS.slice(0, 2)));
if (!part || part === "speed") parts.push(speed());
const page = `# How well and how fast the engine matches

Made by \`npm run judge\` on ${new Date().toISOString().slice(0, 10)}, engine ${ENGINE_VERSION}, Node ${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; load of the machine
${before.map((load) => load.toFixed(1)).join(", ")} at the start and ${loadavg()
  .map((load) => load.toFixed(1))
  .join(
    ", ",
  )} at the end (1, 5 and 15 minutes). Times are noisy on a shared machine, so CPU seconds are given too.

${parts.join("\n\n")}
`;
if (part) console.log(page);
else writeFileSync(join(import.meta.dirname, "results.md"), page);
