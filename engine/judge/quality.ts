/** Reports the quality of runs: totals over runs, and a row of figures for each. */

import type { Judged } from "./judge.ts";
import { type Counts, f1, precision, type Quality, recall } from "./measure.ts";
import { count, share, table } from "./report.ts";

export function qualityTable(rows: readonly (readonly [string, Quality, number])[]): string {
  return table(
    [
      "",
      "F1",
      "Precision",
      "Recall",
      "Automatic: precision",
      "wrong",
      "of true",
      "Suggested: precision",
      "Whole groups: F1",
      "Slowest, s",
    ],
    rows.map(([name, quality, milliseconds]) => [
      name,
      share(f1(quality.all)),
      share(precision(quality.all)),
      share(recall(quality.all)),
      share(precision(quality.automatic), 5),
      `${count(quality.automatic.found - quality.automatic.right)} of ${count(quality.automatic.found)}`,
      share(recall(quality.automatic), 3),
      share(precision(quality.suggested), 3),
      share(f1(quality.groups)),
      (milliseconds / 1000).toFixed(1),
    ]),
  );
}

export function sumOf(runs: readonly Judged[]): Quality {
  return total(runs.map(({ quality }) => quality));
}

export function total(qualities: readonly Quality[]): Quality {
  const add = (counts: readonly Counts[]): Counts => ({
    found: counts.reduce((sum, { found }) => sum + found, 0),
    right: counts.reduce((sum, { right }) => sum + right, 0),
    true: counts.reduce((sum, item) => sum + item.true, 0),
  });
  const kinds = new Set(qualities.flatMap(({ byKind }) => [...byKind.keys()]));
  return {
    all: add(qualities.map(({ all }) => all)),
    automatic: add(qualities.map(({ automatic }) => automatic)),
    suggested: add(qualities.map(({ suggested }) => suggested)),
    groups: add(qualities.map(({ groups }) => groups)),
    byKind: new Map(
      [...kinds].map((kind) => [
        kind,
        add(qualities.flatMap(({ byKind }) => byKind.get(kind) ?? [])),
      ]),
    ),
  };
}
