import { personName } from "./person.tsx";

type Asked = {
  sought: string;
  self: string;
  value?: string | null | undefined;
  members: Iterable<string>;
};

/**
 * Who can be assigned, in the menu's order: oneself, nobody, the present assignee, the other
 * members. With a search, those whose name matches.
 */
export function assignable({ sought, self, value, members }: Asked): (string | null)[] {
  const others = [...new Set([...(value ? [value] : []), ...members])].filter(
    (user) => user !== self,
  );
  if (sought === "") return [self, null, ...others];
  return [self, ...others].filter((user) =>
    personName(user).toLowerCase().includes(sought.toLowerCase()),
  );
}
