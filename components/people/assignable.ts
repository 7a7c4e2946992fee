import { personName } from "./person.tsx";

type AssignableInput = {
  query: string;
  self: string;
  value?: string | null | undefined;
  members: Iterable<string>;
};

/**
 * The people to assign, in the menu's order: the user, nobody, the current assignee, the other
 * members. With a search, those whose name matches.
 */
export function assignable({ query, self, value, members }: AssignableInput): (string | null)[] {
  const others = [...new Set([...(value ? [value] : []), ...members])].filter(
    (user) => user !== self,
  );
  if (query === "") return [self, null, ...others];
  return [self, ...others].filter((user) =>
    personName(user).toLowerCase().includes(query.toLowerCase()),
  );
}
