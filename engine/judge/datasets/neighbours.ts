/**
 * Worlds made harder: with neighbours that contradict a line, with references in texts alone, and
 * cut down to a handful of lines.
 */

import type { Dataset, DatasetLine } from "./dataset.ts";
import { Random } from "./random.ts";

/** The percentage of right lines that get a neighbour. */
const NEIGHBOURS_IN_100 = 2;
const MAX_HANDFUL = 20;

/**
 * A dataset, and those of its lines that are neighbours: the same amount and day as another line,
 * another reference and name.
 */
export type Neighboured = Dataset & { neighbours: ReadonlySet<string> };

export function withNeighbours(dataset: Dataset, seed: number): Neighboured {
  const random = new Random(seed);
  const neighbours = dataset.right
    .filter(({ amount_minor }) => amount_minor !== 0 && random.chance(NEIGHBOURS_IN_100 / 100))
    .map((line, at): DatasetLine => {
      const number = 900_000_000 + random.between(0, 99_999_999);
      return {
        identity: `neighbour ${at}`,
        amount_minor: line.amount_minor,
        currency: line.currency,
        value_date: line.value_date,
        reference: `${(line.reference ?? "INV-1").replace(/\d.*$/s, "")}${number}`,
        counterparty: `Quibble ${["Zephyr", "Wyvern", "Yonder"][at % 3]} ${at} GmbH`,
        description: `Quibble ${number}`,
      };
    });
  return {
    ...dataset,
    name: `${dataset.name}, with neighbours`,
    right: [...dataset.right, ...neighbours],
    neighbours: new Set(neighbours.map(({ identity }) => identity)),
  };
}

/** What the right side has as a reference stands in its description instead. */
export function withReferencesInTexts(dataset: Dataset): Dataset {
  return {
    ...dataset,
    name: `${dataset.name}, references in texts`,
    right: dataset.right.map(({ reference, ...line }) => ({
      ...line,
      description: [line.description, reference].filter(Boolean).join(" "),
    })),
  };
}

/** The true matches of a dataset in lots of 2 to 20 lines, each with its own pair of sources. */
export function smallLots(dataset: Dataset, seed: number): Dataset[] {
  const random = new Random(seed);
  const lines = new Map([...dataset.left, ...dataset.right].map((line) => [line.identity, line]));
  const lots: Dataset[] = [];
  let lot: Dataset = { name: dataset.name, left: [], right: [], truth: [] };
  let max = random.between(2, MAX_HANDFUL);
  for (const match of dataset.truth) {
    const size = lot.left.length + lot.right.length + match.left.length + match.right.length;
    if (size > max && lot.truth.length > 0) {
      lots.push(lot);
      lot = { name: dataset.name, left: [], right: [], truth: [] };
      max = random.between(2, MAX_HANDFUL);
    }
    lot.left.push(...match.left.map((identity) => lines.get(identity) as DatasetLine));
    lot.right.push(...match.right.map((identity) => lines.get(identity) as DatasetLine));
    lot.truth.push(match);
  }
  return [...lots, lot];
}
