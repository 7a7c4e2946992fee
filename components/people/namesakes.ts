/** What a row says of who did it: the name, which may be another's too, and who that is. */
export type Done = { actor: string; actor_issuer: string | null; actor_subject: string | null };

/** Who a person is, for a row whose name does not tell: "8f14e45f at login.acme.example"; null for what is no person. */
export function identityOf({ actor_issuer: issuer, actor_subject: subject }: Done): string | null {
  if (subject === null) return null;
  return issuer ? `${subject} at ${URL.canParse(issuer) ? new URL(issuer).host : issuer}` : subject;
}

/** Tells apart the people of one name among these rows: gives the identity where a name is not one person's alone, else null. */
export function namesakes(rows: readonly Done[]): (row: Done) => string | null {
  const people = new Map<string, Set<string>>();
  for (const row of rows) {
    const identity = identityOf(row);
    if (identity !== null) people.set(row.actor, (people.get(row.actor) ?? new Set()).add(identity));
  }
  return (row) => ((people.get(row.actor)?.size ?? 0) > 1 ? identityOf(row) : null);
}
