import { personName } from "./person.tsx";

type Asked = {
  sought: string;
  self: string;
  value?: string | null | undefined;
  members: Iterable<string>;
};

/**
 * Who can be assigned, in the menu's order: oneself, nobody, whoever is assigned now, the other
 * members. Of a search, those whose name has it.
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
