import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { Rate } from "./rates.ts";

/** A figure and its target; null if it has none. */
export type Finding = {
  name: string;
  ours: string;
  against: string;
  figure: string;
  target: string | null;
  met: boolean | null;
};

export type Section = { title: string; how: string; findings: Finding[] };

/** Our rate divided by theirs; met if it is `min` or more. */
export function ratioOf(name: string, ours: Rate, against: Rate, min: number | null): Finding {
  const ratio = ours.perSecond / against.perSecond;
  return {
    name,
    ours: rateOf(ours),
    against: rateOf(against),
    figure: ratio.toFixed(2),
    target: min === null ? null : `≥ ${min}`,
    met: min === null ? null : ratio >= min,
  };
}

function rateOf({ name, perSecond, lowest, highest, cpuUs }: Rate): string {
  const cpu = cpuUs === null ? "" : `, ${cpuUs.toFixed(0)} µs of CPU each`;
  return `${name}: ${perSecond.toFixed(0)}/s (${lowest.toFixed(0)}–${highest.toFixed(0)})${cpu}`;
}

const HEAD = `# Results of \`npm run bench\`

A production build on a separate stack. The sides alternate within one run; figures are medians, with
the lowest and highest round in brackets. Callers, receivers, Postgres and the service share the
cores. CPU is that of the web process alone.
`;

/** Replaces a section, in order of its number, and keeps those that were not measured now. */
export function writeSection(file: string, section: Section): void {
  const text = format(section);
  const previous = existsSync(file)
    ? readFileSync(file, "utf8")
        .split(/^(?=## )/m)
        .slice(1)
    : [];
  const others = previous
    .filter((value) => titleOf(value) !== titleOf(text))
    .map((value) => value.trimEnd());
  const sections = [...others, text].sort(
    (left, right) => Number.parseInt(titleOf(left), 10) - Number.parseInt(titleOf(right), 10),
  );
  writeFileSync(file, `${[HEAD.trimEnd(), ...sections].join("\n\n")}\n`);
  console.log(text);
}

const titleOf = (text: string) => /^## (.*)$/m.exec(text)?.[1] ?? "";

function format({ title, how, findings }: Section): string {
  const when =
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} cores ` +
    `(${cpus()[0]?.model.trim()}), Node ${process.version}, load ` +
    `${(loadavg()[1] ?? 0).toFixed(1)}`;
  return [
    `## ${title}`,
    "",
    `${how} ${when}.`,
    "",
    "| | ours | against | figure | target | |",
    "| --- | --- | --- | --- | --- | --- |",
    ...findings.map(
      ({ name, ours, against, figure, target, met }) =>
        `| ${name} | ${ours} | ${against} | ${figure} | ${target ?? ""} | ${met === null ? "" : met ? "met" : "**missed**"} |`,
    ),
  ].join("\n");
}
