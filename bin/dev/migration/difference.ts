import type { CatalogueObject } from "./catalogue.ts";
import { normalizeSql } from "./normalize-sql.ts";

/** The kinds of objects without data, which can always be created again from the schemas. */
const AUTOMATIC = new Set([
  "function",
  "trigger",
  "policy",
  "grant",
  "comment",
  "row-level security",
  "row",
]);

export type Difference = {
  change: "added" | "changed" | "removed";
  before: CatalogueObject | undefined;
  after: CatalogueObject | undefined;
};

/** The changes that turn `actual` into `desired`, in the order of `desired`, with removals last. */
export function differences(
  actual: readonly CatalogueObject[],
  desired: readonly CatalogueObject[],
): Difference[] {
  const before = byKey(actual);
  const after = byKey(desired);
  const additions = desired.flatMap((object): Difference[] => {
    const old = before.get(keyOf(object));
    if (!old) return [{ change: "added", before: undefined, after: object }];
    return isSame(old, object) ? [] : [{ change: "changed", before: old, after: object }];
  });
  const removals = actual
    .filter((object) => !after.has(keyOf(object)))
    .map((object): Difference => ({ change: "removed", before: object, after: undefined }));
  return [...additions, ...removals];
}

function isSame(before: CatalogueObject, after: CatalogueObject): boolean {
  if (before.definition === after.definition) return true;
  return (
    after.kind === "function" && normalizeSql(before.definition) === normalizeSql(after.definition)
  );
}

/** One line per difference: the object, and both definitions if both exist. */
export function describe({ change, before, after }: Difference): string {
  const { kind, name } = (after ?? before) as CatalogueObject;
  if (change !== "changed") return `${kind} ${name} is ${change}`;
  const short = (object: CatalogueObject | undefined) =>
    (object?.definition ?? "").replace(/\s+/g, " ").slice(0, 200);
  return AUTOMATIC.has(kind)
    ? `${kind} ${name} is changed`
    : `${kind} ${name} is changed: ${short(before)} → ${short(after)}`;
}

/**
 * `byHand` are the differences that need a hand-written statement; `statements` make all others.
 */
export type Plan = { byHand: Difference[]; statements: string[] };

/**
 * Plans a migration. New tables are created as in the schemas. Existing ones may hold data, so a
 * person must write their changes.
 */
export function planOf(
  actual: readonly CatalogueObject[],
  desired: readonly CatalogueObject[],
): Plan {
  const all = differences(actual, desired);
  const newTables = new Set(
    all.flatMap(({ change, after }) =>
      change === "added" && after?.kind === "table" ? [after.name] : [],
    ),
  );
  const droppedTables = new Set(
    all.flatMap(({ change, before }) =>
      change === "removed" && before?.kind === "table" ? [before.name] : [],
    ),
  );
  const byHand = all.filter(({ before, after }) => {
    const { kind, owner } = (after ?? before) as CatalogueObject;
    return (
      !AUTOMATIC.has(kind) &&
      !newTables.has(owner) &&
      (kind === "table" || !droppedTables.has(owner))
    );
  });
  const changes = all.filter(
    (difference) =>
      !byHand.includes(difference) &&
      !droppedTables.has((difference.after ?? difference.before)?.owner ?? ""),
  );

  const dropped = new Set(
    changes.flatMap((change) => (isDropped(change) ? [change.before?.name ?? ""] : [])),
  );
  const isDroppedWithOwner = ({ before }: Difference) =>
    before !== undefined && before.kind !== "function" && dropped.has(before.owner);
  const unmade = changes.filter(
    (change) =>
      change.before &&
      !isDroppedWithOwner(change) &&
      (change.before.kind !== "function" || isDropped(change)),
  );
  // Dropping a function also drops its grants and comments, so unchanged ones are created again.
  const remade = desired.filter(({ kind, owner }) => kind !== "function" && dropped.has(owner));
  const makes = desired.filter(
    (object) =>
      object.make && (remade.includes(object) || changes.some(({ after }) => after === object)),
  );
  const droppedRows = changes
    .filter(({ change, before }) => change === "removed" && before?.kind === "row")
    .toReversed();
  return {
    byHand,
    statements: [
      ...unmakeOrder(unmade).flatMap(({ before }) =>
        before?.unmake && before.kind !== "row" ? [before.unmake] : [],
      ),
      ...makes.map(({ make }) => make as string),
      // Rows that referred to these have been changed by now.
      ...droppedRows.flatMap(({ before }) => before?.unmake ?? []),
    ],
  };
}

function isDropped({ change, before, after }: Difference): boolean {
  return before?.kind === "function" && (change === "removed" || before.shape !== after?.shape);
}

/** Dependent objects are dropped first. */
const UNMADE_FIRST = ["policy", "trigger", "comment", "grant", "function"];

function unmakeOrder(unmade: Difference[]): Difference[] {
  const rank = ({ before }: Difference) => UNMADE_FIRST.indexOf(before?.kind ?? "");
  return unmade.toReversed().sort((left, right) => rank(left) - rank(right));
}

function keyOf({ kind, name }: CatalogueObject): string {
  return `${kind} ${name}`;
}

function byKey(objects: readonly CatalogueObject[]): Map<string, CatalogueObject> {
  return new Map(objects.map((object) => [keyOf(object), object]));
}
