import type { Break } from "../break.ts";

const EXACT = "e2e/api/wire/exact-values.test.ts";
const EDGES = "e2e/api/wire/http-edges.test.ts";

/** The wire: that it is unambiguous, and reaches only those who may read it. */
export const WIRE: Break[] = [
  {
    name: "numbers-rounded",
    is: "a number that a double cannot hold is kept as another",
    how: {
      file: "lib/wire/json-scan.ts",
      replace: "if (isExact(digits)) return;",
      by: "if (isExact(digits) || digits) return;",
    },
    caught: { file: EXACT, name: "in a record, in details and in a change of either" },
  },
  {
    name: "names-twice",
    is: "of two equal names in a body the last counts",
    how: {
      file: "lib/wire/json-scan.ts",
      replace: "if (names.has(name))",
      by: 'if (names.has(name) && name === "")',
    },
    caught: { file: "lib/wire/json-scan.test.ts", name: '{"a":1,"a":1} is refused' },
  },
  {
    name: "queries-twice",
    is: "of two values of a parameter the last counts",
    how: {
      file: "lib/http/input.ts",
      replace: "if (query.has(name))",
      by: 'if (name === "")',
    },
    caught: { file: EDGES, name: "?q=a&%71=b is refused" },
  },
  {
    name: "known-answers-sent-again",
    is: "If-None-Match is ignored",
    how: {
      file: "lib/http/conditional-requests.ts",
      replace: 'return tags === "*" || ',
      by: 'return tags === "never" || false && ',
    },
    caught: {
      file: "e2e/api/wire/conditional-requests.test.ts",
      name: "getException gives a tag, and 304 without a body to a caller that has that answer",
    },
  },
  {
    name: "open-to-every-page",
    is: "a page of any origin may call what needs a user",
    how: {
      file: "lib/http/cors.ts",
      replace: "return access.publishable;",
      by: "return access.publishable || true;",
    },
    caught: {
      file: "e2e/api/wire/from-a-browser.test.ts",
      name: "listExceptions is not for pages of other origins",
    },
  },
  {
    name: "successor-is-another",
    is: "a retry with a rotated key does it again",
    how: {
      function: "private.set_api_key_lineage",
      replace: "where k.tenant_id = new.tenant_id and k.id = new.rotated_from), new.id)",
      by: "where false), new.id)",
    },
    caught: {
      file: "e2e/api/api-keys/successors.test.ts",
      name: "a retry with a successor replays, after any number of rotations",
    },
  },
];
