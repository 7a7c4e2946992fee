export type FieldChange = { field: string; from: unknown; to: unknown };

/**
 * Before and after, by field: `details` has a pair per field, or its `changes` have, or it is one
 * pair for the whole.
 */
export function changesOf(details: Record<string, unknown>): FieldChange[] {
  const { from, to } = details;
  if (isRecord(from) && isRecord(to)) return differences(from, to);
  const changes = arePairs(details.changes) ? details.changes : {};
  return Object.entries({ ...details, ...changes }).flatMap(([field, value]) =>
    isPair(value) ? pairOf(field, value) : [],
  );
}

/** The other details, without the target's name. */
export function factsOf(details: Record<string, unknown>): Record<string, unknown> {
  const hidden = new Set(["target_name"]);
  if (isRecord(details.from) && isRecord(details.to)) hidden.add("from").add("to");
  if (arePairs(details.changes)) hidden.add("changes");
  return Object.fromEntries(
    Object.entries(details).filter(([name, value]) => !hidden.has(name) && !isPair(value)),
  );
}

/** A changed mapping is shown by its fields. */
function pairOf(field: string, { from, to }: { from: unknown; to: unknown }): FieldChange[] {
  return isRecord(from) && isRecord(to)
    ? differences(from, to, `${field}.`)
    : [{ field, from, to }];
}

function differences(
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  prefix = "",
): FieldChange[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((key) => {
    const [left, right, field] = [from[key], to[key], prefix + key];
    if (isRecord(left) && isRecord(right)) return differences(left, right, `${field}.`);
    return JSON.stringify(left) === JSON.stringify(right)
      ? []
      : [{ field, from: left ?? null, to: right ?? null }];
  });
}

function isPair(value: unknown): value is { from: unknown; to: unknown } {
  return isRecord(value) && Object.keys(value).length === 2 && "from" in value && "to" in value;
}

function arePairs(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && Object.values(value).every(isPair);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
