/** The fields of `after` that are not as in `before`. Sent alone, they leave as it is what others changed meanwhile. */
export function fieldsChanged<Body extends object>(before: Body, after: Body): Partial<Body> {
  const changed = Object.entries(after).filter(
    ([field, value]) => before[field as keyof Body] !== value,
  );
  return Object.fromEntries(changed) as Partial<Body>;
}
