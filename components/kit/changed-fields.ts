/**
 * The fields of `after` that differ from `before`. Sending only these keeps other users' concurrent
 * changes to the rest.
 */
export function fieldsChanged<Body extends object>(before: Body, after: Body): Partial<Body> {
  const changed = Object.entries(after).filter(
    ([field, value]) => before[field as keyof Body] !== value,
  );
  return Object.fromEntries(changed) as Partial<Body>;
}
