import type { Break } from "../break.ts";

const EXACT = "e2e/api/wire/exact-values.test.ts";
const EDGES = "e2e/api/wire/http-edges.test.ts";

/** Requests are unambiguous, and responses reach only those who may read them. */
export const WIRE: Break[] = [
  {
    name: "numbers-rounded",
    effect: "a number that a double can't hold is stored as a different one",
    patch: {
      file: "lib/wire/json-scan.ts",
      replace: "if (isExact(digits)) return;",
      by: "if (isExact(digits) || digits) return;",
    },
    killedBy: { file: EXACT, name: "in a record, in details and in a change of either" },
  },
  {
    name: "names-twice",
    effect: "a body with a duplicate name is accepted, and the last value counts",
    patch: {
      file: "lib/wire/json-scan.ts",
      replace: "if (names.has(name))",
      by: 'if (names.has(name) && name === "")',
    },
    killedBy: { file: "lib/wire/json-scan.test.ts", name: 'rejects {"a":1,"a":1}' },
  },
  {
    name: "queries-twice",
    effect: "a repeated parameter is accepted, and its last value counts",
    patch: {
      file: "lib/http/input.ts",
      replace: "if (query.has(name))",
      by: 'if (name === "")',
    },
    killedBy: { file: EDGES, name: "?q=a&%71=b is refused" },
  },
  {
    name: "known-answers-sent-again",
    effect: "If-None-Match is ignored",
    patch: {
      file: "lib/http/conditional-requests.ts",
      replace: 'return tags === "*" || ',
      by: 'return tags === "never" || false && ',
    },
    killedBy: {
      file: "e2e/api/wire/conditional-requests.test.ts",
      name: "getException returns a tag, and 304 without a body to a caller that has this version",
    },
  },
  {
    name: "open-to-every-page",
    effect: "pages of any origin may call operations that need a user",
    patch: {
      file: "lib/http/cors.ts",
      replace: "return access.publishable;",
      by: "return access.publishable || true;",
    },
    killedBy: {
      file: "e2e/api/wire/from-a-browser.test.ts",
      name: "listExceptions is not for pages of other origins",
    },
  },
  {
    name: "successor-is-another",
    effect: "a retry with a rotated key repeats the write",
    patch: {
      function: "private.set_api_key_lineage",
      replace: "where api_key.tenant_id = new.tenant_id and api_key.id = new.rotated_from),",
      by: "where false),",
    },
    killedBy: {
      file: "e2e/api/api-keys/successors.test.ts",
      name: "a retry with a successor replays, after any number of rotations",
    },
  },
];
