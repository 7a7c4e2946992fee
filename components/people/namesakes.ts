/** A row's actor: the name, which several people can have, and the person. */
type Done = { actor: string; actor_issuer: string | null; actor_subject: string | null };

/**
 * The person behind a name: "8f14e45f at login.acme.example"; null if the actor is not a person.
 */
export function identityOf({ actor_issuer: issuer, actor_subject: subject }: Done): string | null {
  if (subject === null) return null;
  return issuer ? `${subject} at ${URL.canParse(issuer) ? new URL(issuer).host : issuer}` : subject;
}

/**
 * Tells people with the same name apart: the identity for a name that several people among these
 * rows have, otherwise null.
 */
export function namesakes(rows: readonly Done[]): (row: Done) => string | null {
  const people = new Map<string, Set<string>>();
  for (const row of rows) {
    const identity = identityOf(row);
    if (identity !== null)
      people.set(row.actor, (people.get(row.actor) ?? new Set()).add(identity));
  }
  return (row) => ((people.get(row.actor)?.size ?? 0) > 1 ? identityOf(row) : null);
}
