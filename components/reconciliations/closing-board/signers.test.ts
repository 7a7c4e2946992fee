import { expect, test } from "vitest";
import { signersText } from "./signers.ts";

const ADA = "user:ada";
const BEN = "user:ben";

test.each([
  ["open", null, [], null, null],
  ["prepared", ADA, [], null, "by ada"],
  ["reviewed", ADA, [BEN, "user:eva"], null, "Prepared by ada, reviewed by ben and eva"],
  ["closed", ADA, [BEN], BEN, "Prepared by ada, reviewed by ben, closed by ben"],
  ["closed", null, [], "user:leo", "by leo"],
  ["archived", null, [], "user:leo", "Closed by leo"],
] as const)(
  "below the state %s, the board names who signed",
  (state, prepared, reviewed, closed, text) => {
    const period = { prepared_by: prepared, reviewed_by: [...reviewed], closed_by: closed };
    expect(signersText({ state, ...period })).toBe(text);
  },
);
