import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { Rate } from "./rates.ts";

/** One figure that counts: a ratio and what was aimed at, null where nothing is. */
export type Finding = { what: string; ours: string; against: string; ratio: string; target: string | null; met: boolean | null };

export type Section = { title: string; how: string; findings: Finding[] };

/** `ours` and `against` by rate. `more`: what else there is to say. */
export function ratioOf(what: string, ours: Rate, against: Rate, least: number): Finding {
  const ratio = ours.per_second / against.per_second;
  const cpu = ours.cpu_us === null || against.cpu_us === null ? "" : ` (CPU ${(against.cpu_us / ours.cpu_us).toFixed(2)})`;
  return {
    what,
    ours: told(ours),
    against: told(against),
    ratio: `${ratio.toFixed(2)}${cpu}`,
    target: `≥ ${least}`,
    met: ratio >= least,
  };
}

function told({ name, per_second, lowest, highest, cpu_us }: Rate): string {
  const cpu = cpu_us === null ? "" : `, ${cpu_us.toFixed(0)} µs of CPU each`;
  return `${name}: ${per_second.toFixed(0)}/s (${lowest.toFixed(0)}–${highest.toFixed(0)})${cpu}`;
}

export function writeReport(file: string, sections: Section[], loads: string[]): void {
  const lines = [
    "# Ratios",
    "",
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.version}. \`npm run bench\` writes this file: a`,
    "production build, sides in turns in one run; medians, with the lowest and the highest round in brackets. What a row says of CPU is that of",
    `the web process alone, and hardly moves with the load. Load averages meanwhile, the generator's own included: ${loads.join(", ")}.`,
    "",
    ...sections.flatMap(({ title, how, findings }) => [
      `## ${title}`,
      "",
      how,
      "",
      "| | ours | against | ratio | target | |",
      "|---|---|---|---|---|---|",
      ...findings.map(
        ({ what, ours, against, ratio, target, met }) =>
          `| ${what} | ${ours} | ${against} | ${ratio} | ${target ?? ""} | ${met === null ? "" : met ? "met" : "**missed**"} |`,
      ),
      "",
    ]),
  ];
  writeFileSync(file, `${lines.join("\n")}`);
  console.log(readFileSync(file, "utf8"));
}

export const load = (): string => (loadavg()[0] ?? 0).toFixed(1);
