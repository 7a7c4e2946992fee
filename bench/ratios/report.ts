import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { Rate } from "./rates.ts";

/** One figure that counts, and what was aimed at: null where nothing is. */
export type Finding = { what: string; ours: string; against: string; figure: string; target: string | null; met: boolean | null };

export type Section = { title: string; how: string; findings: Finding[] };

/** Ours by theirs; met where it is `least` or more. */
export function ratioOf(what: string, ours: Rate, against: Rate, least: number | null): Finding {
  const ratio = ours.perSecond / against.perSecond;
  return {
    what,
    ours: told(ours),
    against: told(against),
    figure: ratio.toFixed(2),
    target: least === null ? null : `≥ ${least}`,
    met: least === null ? null : ratio >= least,
  };
}

function told({ name, perSecond, lowest, highest, cpuUs }: Rate): string {
  const cpu = cpuUs === null ? "" : `, ${cpuUs.toFixed(0)} µs of CPU each`;
  return `${name}: ${perSecond.toFixed(0)}/s (${lowest.toFixed(0)}–${highest.toFixed(0)})${cpu}`;
}

export const load = (): string => (loadavg()[0] ?? 0).toFixed(1);

export function writeReport(file: string, sections: Section[], loads: string[]): void {
  const lines = [
    "# Results of `npm run bench`",
    "",
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.version}. Load averages after each section: ${loads.join(", ")}.`,
    "",
    "A production build on a stack of its own. Sides take turns in one run; figures are medians, with the lowest and highest round in",
    "brackets. Callers, receivers, Postgres and the service share the cores. CPU is that of the web process alone.",
    "",
    ...sections.flatMap(({ title, how, findings }) => [
      `## ${title}`,
      "",
      how,
      "",
      "| | ours | against | figure | target | |",
      "| --- | --- | --- | --- | --- | --- |",
      ...findings.map(
        ({ what, ours, against, figure, target, met }) =>
          `| ${what} | ${ours} | ${against} | ${figure} | ${target ?? ""} | ${met === null ? "" : met ? "met" : "**missed**"} |`,
      ),
      "",
    ]),
  ];
  writeFileSync(file, lines.join("\n"));
  console.log(lines.join("\n"));
}
