export type FieldChange = { field: string; from: unknown; to: unknown };

/** Before and after, by field: `details` has a pair per field, or one pair for the whole. */
export function changesOf(details: Record<string, unknown>): FieldChange[] {
  if (isPair(details) && isRecord(details.from) && isRecord(details.to))
    return differences(details.from, details.to);
  return Object.entries(details).flatMap(([field, value]) =>
    isPair(value) ? [{ field, from: value.from, to: value.to }] : [],
  );
}

/** The other details, without the target's name. */
export function factsOf(details: Record<string, unknown>): Record<string, unknown> {
  if (isPair(details)) return {};
  return Object.fromEntries(
    Object.entries(details).filter(([name, value]) => name !== "target_name" && !isPair(value)),
  );
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
