import type { Tests } from "../required-tests.ts";

/**
 * A way to abuse the service, and the tests that prove it is prevented, each by its file and a part
 * of its name.
 */
export type Attack = { name: string; tests: Tests };

const CREDENTIALS = "e2e/api/credentials.test.ts";
const REFUSALS = "e2e/api/contracts/refusals.test.ts";
const BAD_REQUESTS = "e2e/api/contracts/bad-requests.test.ts";
const FUZZ = "e2e/api/contracts/fuzz.test.ts";
const VERIFY = "e2e/api/api-keys/verify.test.ts";
const ISSUE = "e2e/api/api-keys/issue.test.ts";
const SUCCESSORS = "e2e/api/api-keys/successors.test.ts";
const LIFECYCLE = "e2e/api/api-keys/lifecycle.test.ts";
const ANCHORS = "e2e/api/trust-anchors.test.ts";
const EXACT = "e2e/api/wire/exact-values.test.ts";
const EDGES = "e2e/api/wire/http-edges.test.ts";
const LIMITS = "e2e/api/rate-limits.test.ts";
const SIGN_IN = "e2e/api/sign-in.test.ts";
const SESSIONS = "e2e/api/sessions.test.ts";
const INVITATIONS = "e2e/api/members/invitations.test.ts";
const MEMBERS = "e2e/api/members/managing.test.ts";
const PASSWORDS = "e2e/api/members/passwords.test.ts";
const MESSAGE = "worker/mail/message.test.ts";
const PEOPLE = "e2e/api/security-events/people.test.ts";
const ACCESS = "e2e/api/database/access.test.ts";
const QUOTAS = "e2e/stack/quotas.test.ts";
const START = "e2e/stack/start.test.ts";
const RECEIVER = "lib/webhooks/receiver-address.test.ts";
const CONNECTOR = "lib/webhooks/connector.test.ts";
const RETRY = "e2e/api/webhooks/retry.test.ts";
const STACK_WEBHOOKS = "e2e/stack/webhooks.test.ts";
const HOSTILE = "lib/imports/formats/hostile.test.ts";

/** The attacks by target. */
export const CLASSES: Record<string, readonly Attack[]> = {
  credentials: [
    {
      name: "alg none, the public key as a secret",
      tests: [
        [CREDENTIALS, "is refused with alg none"],
        [ANCHORS, "refuse an HS256 token signed with the RS256 public key"],
      ],
    },
    {
      name: "headers that lead to a key: jwk, jku, x5u, kid",
      tests: [[CREDENTIALS, "never makes the server fetch a key"]],
    },
    {
      name: "no exp, expired, nbf ahead, wrong iss or aud, 1e99",
      tests: [
        [CREDENTIALS, "is refused without exp, expired", "is refused if it lasts more than a day"],
        [ANCHORS, "check issuer and audience"],
      ],
    },
    {
      name: "tenant claims of every wrong form",
      tests: [
        [
          CREDENTIALS,
          "grants no tenant if the claim is %s",
          "reads tenants as an array next to roles, and never in user_metadata",
        ],
        [REFUSALS, "a missing membership is 403"],
      ],
    },
    {
      name: "X-Tenant-Id missing, repeated, joined, another's",
      tests: [
        [
          REFUSALS,
          "a call without exactly one tenant is 400",
          "another tenant is 403, whether or not it exists",
        ],
        [BAD_REQUESTS, "a path tenant other than the header's is 403"],
      ],
    },
    {
      name: "bearer values malformed in every way",
      tests: [
        [CREDENTIALS, "never causes a 500, however malformed it is"],
        ["lib/api-keys/credential-format.test.ts", "rejects any other text without throwing"],
      ],
    },
    {
      name: "secrets guessed: checksum, body and time",
      tests: [
        [
          VERIFY,
          "queries the database only when cold, never for a wrong checksum",
          "returns byte-identical responses for an unknown ID and a wrong",
          "takes the same time for an unknown ID and a wrong secret",
        ],
        ["lib/api-keys/verify-api-key.test.ts", "an unknown ID costs one database query"],
      ],
    },
    {
      name: "our own database token, a key in the query, two Authorization headers",
      tests: [
        [
          CREDENTIALS,
          "is refused if the server signed it for its own database client",
          "sent twice is refused",
        ],
        [VERIFY, "ignores a key in the query string"],
      ],
    },
    {
      name: "cookies of another site, JSON as text/plain",
      tests: [
        ["e2e/api/wire/from-a-browser.test.ts", "is not for pages of other origins"],
        [BAD_REQUESTS, "of an unsupported media type is 415"],
        [SIGN_IN, "is accepted only from our own pages"],
      ],
    },
    {
      name: "secrets found where they are kept",
      tests: [
        [ISSUE, "never shows the secret again", "keeps nothing from which the secret can be read"],
        ["e2e/api/webhooks/registration.test.ts", "is nowhere in the database"],
        ["e2e/api/api-keys/usage.test.ts", "never writes the secret to the log"],
      ],
    },
  ],
  tenants: [
    {
      name: "every table and verb straight at the Data API",
      tests: [
        [
          "e2e/api/database/data-api.test.ts",
          "reads only its own rows of $name",
          "gets none of its data from $name",
        ],
        ["e2e/api/database/lints.test.ts", "grants no API role a write of any table"],
        ["e2e/api/database/row-security.test.ts", "row-level security: %s"],
      ],
    },
    {
      name: "every operation as every principal",
      tests: [
        [
          REFUSALS,
          "a call without a credential is 401",
          "only users with one of its roles may call it",
          "only API keys with its scope may call it",
        ],
        [BAD_REQUESTS, "another tenant's record is the same 404 as an unknown one"],
        [ACCESS, "$name admits for $operationId exactly the callers that the contract names"],
      ],
    },
    {
      name: "the server's own fields in a body",
      tests: [
        [BAD_REQUESTS, "with a field that only the server sets is 400"],
        [LIFECYCLE, "refuses the fields of the server, in the body and in the database"],
        ["e2e/api/database/lints.test.ts", "grants no API role a write of any table"],
      ],
    },
    {
      name: "another's data by way of the request log",
      tests: [
        [
          "e2e/api/request-log/request-log.test.ts",
          "shows an API key bodies only of operations that it may call",
          "never shows personal data, or event payloads beyond a key's",
        ],
      ],
    },
    {
      name: "gaps in the schema's access rules",
      tests: [
        [
          "e2e/api/database/lints.test.ts",
          "has nothing at ERROR or WARN",
          "only functions that write for a caller run with their owner's rights",
          "grants no API role a privilege that row-level security doesn't restrict",
        ],
        [
          "bin/dev/migration/rights.test.ts",
          "every statement that a request reaches binds each table's rows to the tenant",
          "callers execute only inner functions that policies or their verbs call",
        ],
      ],
    },
    {
      name: "pages without a session: RSC, prefetch, middleware headers",
      tests: [
        [
          "e2e/api/pages/access.test.ts",
          "no form of request gets a tenant's data without a session",
        ],
      ],
    },
  ],
  input: [
    {
      name: "every operation, valid and nearly valid",
      tests: [[FUZZ, "$operationId never returns 500, each response fits OpenAPI, and"]],
    },
    {
      name: "query values repeated, blank, without bounds; invalid times",
      tests: [
        [BAD_REQUESTS, "an unknown query parameter is 400"],
        ["e2e/api/sla/monitor.test.ts", "refuses %s=%s"],
        ["lib/wire/schema.test.ts", "rejects %s"],
      ],
    },
    {
      name: "30 s either side of a boundary",
      tests: [
        [
          "e2e/api/sla/monitor.test.ts",
          "shows a deadline in %i min %i s as %s in the list, the summary and the event",
        ],
      ],
    },
    {
      name: "addresses and ranges in every spelling",
      tests: [
        ["lib/wire/ip-range.test.ts", "normalises %s to %s", "rejects the ambiguous range"],
        [VERIFY, "compares IPv4-mapped addresses as IPv4"],
      ],
    },
    {
      name: "numbers beyond 2⁵³, double names, 20,001 values, invisible titles",
      tests: [
        [
          EXACT,
          "two numbers that are equal as doubles never replay each other",
          "%s is refused",
          "20,000 values are accepted, and no more",
          "is refused",
        ],
        ["lib/wire/json-scan.test.ts", "20,000 values are accepted and 20,001 are not"],
      ],
    },
    {
      name: "files with DTDs, bombs, endless lines, 40,000 columns",
      tests: [
        [
          HOSTILE,
          "%s is refused quickly, long before its end",
          "before they fill the memory",
          "never blocks the event loop for long, for any chunk size",
        ],
        [
          "lib/exceptions/import/read-lines.test.ts",
          "rejects a header with %s",
          "reports a CSV line as long as a file",
          "reports an endless CSV row of empty cells",
        ],
      ],
    },
    {
      name: "a bank's server that is private, redirects, changes its key or names paths",
      tests: [
        [
          "e2e/api/connections/connections.test.ts",
          "which isn't public, is refused",
          "is tested without fetching it, and its credential is never shown",
          "moves to another address only with its credential",
        ],
        ["e2e/api/connections/night.test.ts", "another host key"],
        ["lib/connections/address.test.ts", "nothing is fetched from %s"],
        ["lib/connections/remote/remote.test.ts", "from a server is refused as the name of a file"],
        [
          "lib/connections/file-glob.test.ts",
          "a glob with many stars rejects a long name without delay",
        ],
      ],
    },
    {
      name: "a file that a browser runs on our origin, as evidence",
      tests: [
        [
          "e2e/api/evidence/evidence.test.ts",
          "as a download that no browser runs",
          "that could run in a browser is refused, and not stored",
        ],
        ["lib/evidence/evidence-type.test.ts", "can't be %s"],
      ],
    },
    {
      name: "a bank's text that is a formula, or another row, in a file for a ledger",
      tests: [
        [
          "lib/entries/files/entry-files.test.ts",
          "a formula and quotes are escaped",
          "no tab or line end from a text",
        ],
      ],
    },
    {
      name: "the same file many times at once",
      tests: [["e2e/api/lines/imports.test.ts", "sent twice concurrently is stored once"]],
    },
  ],
  "one caller against the others": [
    {
      name: "searches, exports and pages, as many as allowed",
      tests: [
        [LIMITS, "with %s, other tenants are served"],
        [
          "lib/runtime/tenant-limiter.test.ts",
          "one tenant's searches leave room",
          "one tenant's calls never fill the whole limit",
        ],
        ["lib/db/priority.test.ts", "a bulk change of what words find", "views, each counted"],
        [
          "e2e/api/database/people-plans.test.ts",
          "reads the accounts of the tenant, not everybody's",
        ],
        [MEMBERS, "than one call can hand over"],
      ],
    },
    {
      name: "refused calls without end",
      tests: [
        [
          LIMITS,
          "are not looked up any more",
          "an address has a limit on requests, refusals and pages, and not on scripts",
          "several web processes on a port count together",
        ],
      ],
    },
    {
      name: "rows without end",
      tests: [[QUOTAS, "a tenant has at most its quota of a kind, and the refusal names"]],
    },
    {
      name: "a public key's visitors, a scanner, a storm of sign-ins",
      tests: [
        [
          LIMITS,
          "the publishable key has a limit of calls per address",
          "count IPv6 addresses by network",
        ],
        [SIGN_IN, "are limited to ten failures a minute per account and a limit per address"],
      ],
    },
  ],
  "sessions and identity": [
    {
      name:
        "links of mails: used twice or at once, guessed, " +
        "revoked, expired, from a dump, by another's account",
      tests: [
        [
          INVITATIONS,
          "works once",
          "to a person with an account needs their sign-in, and keeps",
          "resent has a new link that replaces the old one; revoked or",
          "nowhere but in the mail",
        ],
        [
          PASSWORDS,
          "a link that works once",
          "accepts a reset link once, even concurrently",
          "has a link that expires after an hour",
          "are limited like sign-in attempts",
        ],
      ],
    },
    {
      name: "mails that fill a stranger's mailbox",
      tests: [
        [
          INVITATIONS,
          "never floods a mailbox: an address is invited at most five",
          "never floods a mailbox: it is resent at most 5 times an hour",
        ],
        [PASSWORDS, "are limited like sign-in attempts"],
      ],
    },
    {
      name: "asking who has an account: by invitation, by reset, by time",
      tests: [
        [INVITATIONS, "never reveals whether an account exists, and invites nobody"],
        [
          PASSWORDS,
          "for an unknown address returns the same response, and sends no",
          "takes the same time for an existing account",
        ],
      ],
    },
    {
      name: "headers and markup through addresses, names and titles of a mail",
      tests: [
        [INVITATIONS, "accepts exactly one address: %j", "shows the tenant's name as plain text"],
        [MESSAGE, "keeps the subject on one line", "escapes a tenant's name in HTML"],
      ],
    },
    {
      name: "an unknown role, the last admin, a removed member's cookie and token",
      tests: [
        [
          MEMBERS,
          "can't be given invalid roles",
          "keep an admin",
          "are removed: access ends at once, and their exceptions are reassigned",
        ],
      ],
    },
    {
      name: "a password set by another site, or in a browser left open",
      tests: [[PASSWORDS, "from a page of %s origin", "needs the current one to be changed"]],
    },
    {
      name: "a cookie or bearer that outlives its person",
      tests: [
        [SESSIONS, "ends the session in this process at once, and soon in every other"],
        [CREDENTIALS, "a user who may no longer sign in at Supabase Auth", "has its current roles"],
        [SIGN_IN, "covers only the provider's tenants, and ends when the provider loses trust"],
      ],
    },
    {
      name: "a name that is another's too",
      tests: [
        [
          PEOPLE,
          "people with the same name are distinguished in events, history and the ledger",
          "people with the same name don't share idempotency keys",
        ],
        [
          "components/people/namesakes.test.ts",
          "people with the same name are distinguished, and others stay",
        ],
      ],
    },
    {
      name: "forms read two ways, callbacks in every spelling",
      tests: [
        [
          SIGN_IN,
          "rejects a form with two of %s, which parsers read differently",
          "reads a form with any content-type parameters: %s",
        ],
        [
          "lib/auth/callback-path.test.ts",
          "keeps the browser on our origin for every combination of URL parts",
        ],
        ["e2e/api/redirects.test.ts", "never redirects to another host"],
      ],
    },
    {
      name: "a provider that speaks for another's tenant",
      tests: [
        [ANCHORS, "speak for the tenants that they are bound to"],
        [SIGN_IN, "covers only the provider's tenants, and ends when the provider loses trust"],
      ],
    },
  ],
  "webhook receivers": [
    {
      name: "private addresses in every spelling, at every moment",
      tests: [
        [RECEIVER, "in %s is not public"],
        [
          CONNECTOR,
          "to the literal %s is not made",
          "to a name that resolves to %s is not made",
          "sends no request if the socket's address isn't the checked one",
        ],
      ],
    },
    {
      name: "redirects, floods, bombs, drips, bad TLS",
      tests: [
        [
          RETRY,
          "which is not followed",
          "of 10 MB is truncated to 16 kB",
          "that is a gzip bomb is not inflated",
        ],
        ["e2e/api/webhooks/patience.test.ts", "an endless response is cut off; its status counts"],
        ["lib/webhooks/send.test.ts", "sends nothing to a server with an untrusted certificate"],
      ],
    },
  ],
  faults: [
    {
      name: "Postgres stopped under load",
      tests: [
        ["e2e/stack/data-api.test.ts", "Postgres killed under load loses no acknowledged write"],
        [STACK_WEBHOOKS, "whose Postgres stops immediately"],
      ],
    },
    {
      name: "a worker killed or frozen in mid-delivery",
      tests: [
        [
          STACK_WEBHOOKS,
          "that is killed has its delivery taken over within 30 s",
          "that froze and wakes up late changes nothing",
        ],
      ],
    },
    {
      name: "SIGTERM in mid-request and mid-delivery",
      tests: [
        ["e2e/stack/stop.test.ts", "a request under way during a stop is completed"],
        [STACK_WEBHOOKS, "finishes and records deliveries under way"],
      ],
    },
    {
      name: "receivers that hang",
      tests: [
        [
          "e2e/api/webhooks/isolation.test.ts",
          "of which one tenant has 50 never delay another tenant or receiver",
        ],
      ],
    },
    {
      name: "100 identical POSTs over two processes, 100 bodies under one key",
      tests: [
        [
          ISSUE,
          "gives one key, audit row and secret to 100 identical creates in two processes",
          "accepts one of 100 different bodies with one idempotency key",
        ],
      ],
    },
    {
      name: "clocks ten minutes off, workers down for half an hour",
      tests: [
        [
          "e2e/stack/sla-clock.test.ts",
          "are reported once and on time by workers with wrong clocks",
          "while nothing runs are reported once each after the next start",
        ],
      ],
    },
    {
      name: "connections cut, audit row that cannot be written",
      tests: [
        [STACK_WEBHOOKS, "continues after all of its database connections are cut"],
        [ISSUE, "changes nothing if the audit row can't be written, and hides"],
      ],
    },
    {
      name: "a database that cannot be reached",
      tests: [
        ["e2e/api/health.test.ts", "is not ready if the database can't be reached %s, while the"],
      ],
    },
  ],
};

/** The review's findings, by number. */
export const FINDINGS: readonly (Attack & { item: number })[] = [
  {
    item: 1,
    name: "parsing holds the process",
    tests: [
      ["lib/exceptions/import/read-lines.test.ts", "rejects a header with %s"],
      ["lib/wire/json-scan.test.ts", "20,000 values are accepted and 20,001 are not"],
      [
        HOSTILE,
        "never blocks the event loop for long, for any chunk size",
        "the format of a file is detected quickly: %s",
        "an amount of blanks",
      ],
      ["lib/http/input.test.ts", "reports the first 100 errors"],
    ],
  },
  {
    item: 2,
    name: "searches and exports crowd others out",
    tests: [
      [LIMITS, "with %s, other tenants are served"],
      ["lib/runtime/tenant-limiter.test.ts", "rejects a call when too many of the tenant wait"],
      ["bin/dev/migration/exception-search.test.ts", "finds rare words by their index"],
      [
        "e2e/stack/data-api.test.ts",
        "a function's own time limit applies from the start of its call",
      ],
    ],
  },
  {
    item: 3,
    name: "calls and rows without a limit",
    tests: [
      [
        LIMITS,
        "an address has a limit on requests, refusals and pages, and not on scripts",
        "several web processes on a port count together",
      ],
      [QUOTAS, "a tenant has at most its quota of a kind, and the refusal names"],
    ],
  },
  {
    item: 4,
    name: "a record whose words no query could read",
    tests: [["e2e/api/records/lists.test.ts", "the indexed words of a record are limited"]],
  },
  {
    item: 5,
    name: "a form that two readers read as two",
    tests: [
      [
        SIGN_IN,
        "rejects a form with two of %s, which parsers read differently",
        "reads a form with any content-type parameters: %s",
      ],
    ],
  },
  {
    item: 6,
    name: "an actor by a name that a token chooses",
    tests: [
      [PEOPLE, "people with the same name are distinguished in events, history"],
      [
        "components/people/namesakes.test.ts",
        "people with the same name are distinguished, and others stay",
      ],
      ["e2e/api/security-events/tampering.test.ts", "a person added to an event without one"],
    ],
  },
  {
    item: 7,
    name: "callbacks that lead elsewhere",
    tests: [
      ["lib/auth/callback-path.test.ts", "redirects %j to the start page"],
      ["e2e/api/redirects.test.ts", "by the path %s"],
    ],
  },
  {
    item: 8,
    name: "sessions and tokens that outlive their end",
    tests: [
      [SESSIONS, "ends the session", "end everywhere at once", "an idle session"],
      [
        CREDENTIALS,
        "is refused if it lasts more than a day",
        "accepts tokens with a second factor, and tells others what they",
      ],
      ["e2e/ui/session.spec.ts", "a person sees where they are signed in"],
    ],
  },
  {
    item: 9,
    name: "providers that speak for every tenant",
    tests: [
      [
        ANCHORS,
        "speak for the tenants that they are bound to",
        "are read by the claim that is configured",
      ],
      ["lib/runtime/auth-config.test.ts", "refuses %s at the start"],
    ],
  },
  {
    item: 10,
    name: "a webhook key that reads exceptions",
    tests: [
      [
        "e2e/api/webhooks/scopes.test.ts",
        "is refused with the missing scope",
        "never reads exception data in a delivery or an echoed response",
        "is listed when the key is revoked, and disabled with it on",
      ],
    ],
  },
  {
    item: 11,
    name: "cookies and addresses open to others",
    tests: [
      ["lib/auth/cookies.test.ts", "on https, every session cookie is bound to its host"],
      [START, "it listens on this machine alone", "settings that stop the start"],
      ["e2e/stack/database.test.ts", "a database that wasn't set up for demo users refuses them"],
    ],
  },
  {
    item: 12,
    name: "secrets where they are not needed",
    tests: [
      [START, "each process has only the secrets that it needs"],
      ["lib/api-keys/verify-api-key.test.ts", "a wrong secret of a known ID costs one query"],
      ["e2e/api/records/publishable-key.test.ts", "never sees who created a record"],
      ["e2e/api/wire/content-security-policy.test.ts", "runs and loads nothing"],
      ["lib/http/export.test.ts", "escapes %j, which a spreadsheet would read"],
    ],
  },
  {
    item: 13,
    name: "numbers changed silently",
    tests: [
      [
        EXACT,
        "in a record, in details and in a change of either",
        "two numbers that are equal as doubles never replay each other",
      ],
    ],
  },
  {
    item: 14,
    name: "headers and keys read too narrowly",
    tests: [
      ["server/encoding.test.ts", "picks the best encoding for %s: %s"],
      ["lib/wire/schema.test.ts", "normalises %s to UTC"],
      [
        SUCCESSORS,
        "a retry with a successor replays, after any number of rotations",
        "the impact of a change accepts every spelling of an idempotency",
      ],
      ["lib/http/idempotency.test.ts", "reads an idempotency key for every POST"],
    ],
  },
  {
    item: 15,
    name: "secrets and lives that are the caller's choice",
    tests: [
      [
        "e2e/api/webhooks/own-secret.test.ts",
        "a webhook's secret is the caller's choice",
        "of 32 random bytes is shown in one response only",
      ],
      [SUCCESSORS, "a key lives up to ten years"],
    ],
  },
  {
    item: 16,
    name: "keys that end without notice",
    tests: [
      [
        LIFECYCLE,
        "reports the end of the grace period once, as a security event",
        "gives the successor the same lifetime, and never extends the",
      ],
      [
        "e2e/api/records/deletion.test.ts",
        "a record is gone 30 days after its deletion, even before the",
      ],
    ],
  },
  {
    item: 17,
    name: "the edges of HTTP",
    tests: [
      [
        "e2e/api/wire/conditional-requests.test.ts",
        "is applied only to the version in If-Match",
        "returns a tag, and 304",
      ],
      [
        EDGES,
        "a query is read strictly",
        "refuses with a reason what is too long",
        "a request target is accepted",
        "only without dot segments: %s",
        "a wrong base path",
      ],
      ["lib/http/idempotency.test.ts", "unescapes a quoted header"],
      ["lib/wire/json-scan.test.ts", "a duplicate name in an object is rejected"],
    ],
  },
  {
    item: 18,
    name: "texts that look alike or like nothing",
    tests: [
      [
        EXACT,
        "NFC and NFD of one name are one",
        "NFC and NFD of one operation",
        "a title of %j is refused",
        "money is in a currency of ISO 4217",
      ],
      [EDGES, "an audit reason is UTF-8 and stored as sent"],
    ],
  },
  {
    item: 19,
    name: "a description that misleads",
    tests: [
      ["lib/openapi/owasp.test.ts", "Spectral's OWASP rules"],
      ["lib/openapi/client.test.ts", "a client generated from the document"],
      ["lib/openapi/consistent-examples.test.ts", "shows what its request asks for"],
      ["e2e/api/wire/openapi-served.test.ts", "a client that has it already receives 304"],
    ],
  },
  {
    item: 20,
    name: "the publishable key in a browser",
    tests: [
      [
        "e2e/api/wire/from-a-browser.test.ts",
        "pages of any origin may call what the publishable key may",
      ],
    ],
  },
  {
    item: 21,
    name: "tenants told by the public key",
    tests: [
      ["e2e/api/wire/from-a-browser.test.ts", "existing and unknown tenants are indistinguishable"],
    ],
  },
  {
    item: 22,
    name: "a worker that lives and does nothing",
    tests: [
      ["e2e/stack/worker.test.ts", "a worker whose first poll fails ends, and its successor works"],
      ["e2e/stack/processes.test.ts", "readiness counts the workers"],
    ],
  },
  {
    item: 23,
    name: "parts that outlive their supervisor",
    tests: [
      [
        "e2e/stack/stop.test.ts",
        "a supervisor killed with -9 leaves no process, and the next start succeeds",
      ],
    ],
  },
  {
    item: 24,
    name: "poolers",
    tests: [
      [
        "e2e/stack/database.test.ts",
        "keeps no lock of migrations",
        "is refused without an additional direct connection",
        "serves migrations and background work if listeners connect directly",
      ],
    ],
  },
  {
    item: 25,
    name: "a key that its revoker still accepts",
    tests: [
      ["e2e/api/api-keys/revoked-at-once.test.ts", "is refused by the process that changed it"],
    ],
  },
  {
    item: 26,
    name: "frozen workers and full connections",
    tests: [
      [STACK_WEBHOOKS, "that froze beyond the deadline blames no receiver"],
      [
        "e2e/stack/worker.test.ts",
        "the job of a killed worker is taken over within 30 s",
        "a database without a free connection is logged, and used once it has one",
      ],
    ],
  },
];
