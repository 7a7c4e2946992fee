import { expect, test } from "vitest";
import { signersText } from "./signers.ts";

test.each([
  [null, [], null, null],
  ["user:ada", [], null, "Prepared ada"],
  ["user:ada", ["user:ben", "user:eva"], null, "Prepared ada, reviewed ben and eva"],
  ["user:ada", ["user:ben"], "user:ben", "Prepared ada, reviewed ben, closed ben"],
  [null, [], "user:leo", "Closed leo"],
])(
  "the board names the preparer, the reviewers and who closed",
  (prepared, reviewed, closed, said) => {
    const period = { prepared_by: prepared, reviewed_by: reviewed, closed_by: closed };
    expect(signersText(period)).toBe(said);
  },
);
