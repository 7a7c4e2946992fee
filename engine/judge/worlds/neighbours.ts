/**
 * Worlds made harder: with neighbours that contradict a line, with references in texts alone, and
 * cut down to a handful of lines.
 */
import { Random } from "./random.ts";
import type { World, WorldLine } from "./world.ts";

/** The percentage of right lines that get a neighbour. */
const NEIGHBOURS_IN_100 = 2;
const MAX_HANDFUL = 20;

/**
 * A world, and those of its lines that are neighbours: the same amount and day as another line,
 * another reference and name.
 */
export type Neighboured = World & { neighbours: ReadonlySet<string> };

export function withNeighbours(world: World, seed: number): Neighboured {
  const random = new Random(seed);
  const neighbours = world.right
    .filter(({ amount_minor }) => amount_minor !== 0 && random.chance(NEIGHBOURS_IN_100 / 100))
    .map((line, at): WorldLine => {
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
    ...world,
    name: `${world.name}, with neighbours`,
    right: [...world.right, ...neighbours],
    neighbours: new Set(neighbours.map(({ identity }) => identity)),
  };
}

/** What the right side has as a reference stands in its description instead. */
export function withReferencesInTexts(world: World): World {
  return {
    ...world,
    name: `${world.name}, references in texts`,
    right: world.right.map(({ reference, ...line }) => ({
      ...line,
      description: [line.description, reference].filter(Boolean).join(" "),
    })),
  };
}

/** The true matches of a world in lots of 2 to 20 lines, each with its own pair of sources. */
export function handfuls(world: World, seed: number): World[] {
  const random = new Random(seed);
  const lines = new Map([...world.left, ...world.right].map((line) => [line.identity, line]));
  const lots: World[] = [];
  let lot: World = { name: world.name, left: [], right: [], truth: [] };
  let max = random.between(2, MAX_HANDFUL);
  for (const match of world.truth) {
    const size = lot.left.length + lot.right.length + match.left.length + match.right.length;
    if (size > max && lot.truth.length > 0) {
      lots.push(lot);
      lot = { name: world.name, left: [], right: [], truth: [] };
      max = random.between(2, MAX_HANDFUL);
    }
    lot.left.push(...match.left.map((identity) => lines.get(identity) as WorldLine));
    lot.right.push(...match.right.map((identity) => lines.get(identity) as WorldLine));
    lot.truth.push(match);
  }
  return [...lots, lot];
}
