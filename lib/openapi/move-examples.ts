/** The moment at which all examples are set. */
const EXAMPLE_NOW = "2026-11-20T09:30:00.000Z";

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/**
 * The document with its examples moved to `now`, so that a deadline that someone copies is in the
 * future, and a `since` is recent.
 */
export function moveExamples<Value>(node: Value, now: number, isExample = false): Value {
  if (typeof node === "string")
    return (isExample ? node.replaceAll(TIME, (time) => moved(time, now)) : node) as Value;
  if (Array.isArray(node)) return node.map((item) => moveExamples(item, now, isExample)) as Value;
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, child]) => [
      name,
      moveExamples(child, now, isExample || name === "example" || name === "examples"),
    ]),
  ) as Value;
}

function moved(time: string, now: number): string {
  return new Date(Date.parse(time) - Date.parse(EXAMPLE_NOW) + now).toISOString();
}
