import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { HEAP } from "../../supervisor/heap-sizes.ts";
import { count, table } from "./report.ts";

const RUNS: [string, number][] = [
  ["90 % exact", 10_000],
  ["90 % exact", 100_000],
  ["90 % exact", 1_000_000],
  ["10,000 new against 100,000 open", 100_000],
  ["few exact, all at once", 110_000],
  ["equal amounts, nothing else", 100_000],
  ["equal amounts, each its own text", 100_000],
  ["one connected group", 5000],
  ["sums with astronomically many solutions", 5000],
  ["amounts at the edge of what is safe", 10_000],
];

type Report = {
  left: number;
  right: number;
  run_s: number;
  cpu_s: number;
  rss_mb: number;
  matched: number;
  suggested: number;
  violations: number;
  longest_pause_ms: number;
};

/** Runs each case in a separate process with the heap limit of a matcher. */
export function speed(): string {
  const rows = RUNS.map(([name, size]) => {
    const command = [...HEAP.matcher, join(import.meta.dirname, "speed.ts"), name, String(size)];
    const { stdout, stderr, status } = spawnSync(process.execPath, command, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    const report = JSON.parse(stdout) as Report;
    console.error(name, size, report.cpu_s.toFixed(1));
    return [
      name,
      `${count(report.left)} × ${count(report.right)}`,
      report.run_s.toFixed(1),
      report.cpu_s.toFixed(1),
      count(Math.round(report.rss_mb)),
      count(Math.round(report.longest_pause_ms)),
      count(report.matched),
      count(report.suggested),
      report.violations,
    ];
  });
  return `## Speed

Default rules, each case in a separate process with a matcher's heap. Memory is the peak of the whole
process, including the lines and Node itself. The longest pause is between two steps of progress.

${table(["Case", "Lines", "Run, s", "CPU, s", "Memory, MB", "Longest pause, ms", "Matches", "Suggestions", "Violations"], rows)}`;
}
