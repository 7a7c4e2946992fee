import { CONFLICTS } from "#lib/wire/conflicts.ts";
import type { ErrorCode, FieldError } from "#lib/wire/errors.ts";
import { PRODUCT_ID } from "#lib/wire/product.ts";

/** The content of each error's page, in Markdown. A code without an entry doesn't compile. */
export type Entry = {
  means: string;
  when: string[];
  todo: string[];
  /** Whether a retry of the same request may succeed. */
  retry: "never" | "changed" | "later" | "after_header";
  detail: string;
  /** Further fields of the example. */
  fields?: Record<string, unknown>;
  errors?: FieldError[];
  headers?: Record<string, string>;
};

export const CATALOGUE: Record<ErrorCode, Entry> = {
  invalid_request: {
    means:
      "The query, headers or body aren't valid for this operation. " +
      "`errors` lists each problem and what to send instead.",
    when: [
      "A required field is missing, has the wrong type or exceeds a limit.",
      "A field or query parameter is unknown, or a query parameter is sent twice. " +
        "Nothing is silently ignored.",
      "A time isn't ISO 8601 in UTC: `2026-11-20T09:30:00Z` and `2026-11-20T09:30+00:00` are " +
        "valid, `2026-11-20T10:30:00+01:00` isn't.",
      "A `cursor` was modified or comes from a list with different filters.",
      "The idempotency key is sent in two places, and the two differ.",
      "A number would lose precision: an integer beyond " +
        "±9007199254740991, or more digits than a double holds.",
      "A JSON object has the same name twice, or the body has more than 20,000 values.",
      "The body isn't a well-formed JSON object in UTF-8.",
    ],
    todo: [
      "Read `errors`: `path` is the field in dot notation (`patch.severity`, `ids.0`); " +
        "`message` says what it accepts.",
      "Compare your request with the operation's page in the [reference](/docs/reference).",
      "Don't retry unchanged: the response stays the same.",
    ],
    retry: "changed",
    detail: "The request is invalid. See errors for details.",
    errors: [{ path: "limit", message: "Must be an integer." }],
  },
  tenant_required: {
    means: "Every call is for exactly one tenant, and this one didn't say which.",
    when: [
      "The header `X-Tenant-Id` is missing or empty.",
      "It's sent twice or lists several tenants separated by commas.",
    ],
    todo: [
      "Send `X-Tenant-Id` once, with the tenant's ID.",
      "A proxy between you and us may have added or removed the header. " +
        "Check what leaves your network.",
    ],
    retry: "changed",
    detail: "Send the X-Tenant-Id header exactly once, with one tenant.",
  },
  idempotency_key_required: {
    means:
      "Creating a record requires an idempotency key so that a retry never creates a duplicate.",
    when: [
      "A `POST` to a record surface, such as `/v1/integrations`, has no key in the body " +
        "(`idempotencyKey`) or header (`Idempotency-Key`).",
    ],
    todo: [
      "Generate a random key, such as a UUID, for each " +
        "new record and send the same key with every retry.",
      "[Idempotency](/docs/guides/idempotency) has an example.",
    ],
    retry: "changed",
    detail: "Send idempotencyKey in the body or an Idempotency-Key header.",
    errors: [
      {
        path: "idempotencyKey",
        message: "Required: any string of up to 255 characters, unique to this request.",
      },
    ],
  },
  unauthenticated: {
    means:
      "The credential is missing or invalid. The response is the same for every kind of invalid " +
      "credential, except that it names an expired or revoked API key as such.",
    when: [
      "`Authorization: Bearer …` is missing, misspelled or sent twice.",
      "A JWT has expired, has no `exp`, or has a key, " +
        "issuer or audience that this service doesn't trust.",
      "An API key is incomplete (the format is `<key_id>.<key_secret>`, including the period), unknown, expired or revoked.",
      "A session cookie is sent from another site's page.",
    ],
    todo: [
      "For a JWT, get a new token and try again.",
      "For an API key, check its status in the dashboard. " +
        "A rotated key stops working when its grace period ends: use its successor.",
      "Don't retry in a loop: failed credentials are rate limited per address " +
        "([`rate_limited`](/docs/errors/rate_limited)).",
      "[Credentials](/docs/guides/credentials) shows each kind.",
    ],
    retry: "changed",
    detail: "Send a valid credential: Authorization: Bearer <JWT, API key or Supabase key>.",
    headers: { "WWW-Authenticate": `Bearer realm="${PRODUCT_ID}"` },
  },
  tenant_forbidden: {
    means:
      "The credential is valid, but not for this tenant. " +
      "The response is the same whether or not the tenant exists.",
    when: [
      "The user isn't a member of the tenant in `X-Tenant-Id`, " +
        "or the API key belongs to another tenant.",
      "The tenant in the path or `tenantId` in the body differs from `X-Tenant-Id`.",
      "The token's `tenants` claim isn't in one of the [two supported " +
        "formats](/docs/guides/credentials).",
    ],
    todo: [
      "Check the spelling of the tenant ID: lowercase, as in the dashboard URL.",
      "Call `GET /v1/me` with the same credential and " +
        "another tenant to see which of the two is wrong.",
      "Ask an admin of that tenant to add you.",
    ],
    retry: "changed",
    detail: "This credential does not belong to the tenant named by X-Tenant-Id.",
  },
  role_required: {
    means: "The caller belongs to the tenant but isn't allowed to do this.",
    when: [
      "The user has none of the required roles; each operation's page lists them.",
      "An API key calls a users-only operation: only admins manage API keys, and the SLA " +
        "monitor requires a role.",
      "The publishable or service-role key calls an operation it isn't allowed to use.",
    ],
    todo: [
      "Ask a tenant admin for the role or to do it for you.",
      "For the SLA monitor, use a user's JWT instead of an API key.",
    ],
    retry: "changed",
    detail: "This requires one of the roles tenant_admin. Ask a tenant admin.",
  },
  scope_required: {
    means: "The API key is valid but doesn't have the scope this operation requires.",
    when: [
      "The key lacks the scope named in `detail`.",
      "The key has only the write scope: `write:exceptions` doesn't include `read:exceptions`.",
    ],
    todo: [
      "Ask a tenant admin to add the scope. " +
        "The secret stays the same, so nothing needs to be redeployed.",
      "Give each key only the scopes it needs.",
    ],
    retry: "changed",
    detail: "This requires an API key with the scope read:exceptions.",
  },
  ip_not_allowed: {
    means: "The API key has an address allowlist, and the call came from another address.",
    when: [
      "The server moved or got a new outgoing address.",
      "The call uses IPv6 but the list has only IPv4 addresses, or the other way round.",
      "Someone who shouldn't have the key is using it.",
    ],
    todo: [
      "Check the key's page in the dashboard for the addresses seen and refused calls.",
      "If the address is yours, add it to the key.",
      "If it isn't, [rotate the key](/docs/guides/key-rotation): it has leaked.",
    ],
    retry: "changed",
    detail: "This API key can't be used from this address.",
  },
  browser_forbidden: {
    means:
      "The service-role key was sent with browser-only headers, " +
      "so it's exposed on a page where anyone can read it.",
    when: [
      "One of your pages calls the API with the service-role key.",
      "A server forwards a browser's `Origin` or `Sec-Fetch-Site` header and adds the key.",
    ],
    todo: [
      "Replace the key now: anyone who opened the page may have it. " +
        "Every attempt is in the [security events](/docs/reference/security-events).",
      "On a page, use your users' session, or the [publishable " +
        "key](/docs/guides/supabase-keys) for public data.",
      "On a server, don't forward the browser's headers.",
    ],
    retry: "changed",
    detail:
      "The service-role key was sent by a browser, where others can read it. " +
      "Replace it now, and call from a server or as a user.",
  },
  not_found: {
    means:
      "No such resource in this tenant. The response is identical for another tenant's resources.",
    when: [
      "The ID is wrong or of another type: `exc_…` is an exception, `whk_…` a webhook.",
      "The record was deleted.",
      "It belongs to a tenant other than the one in `X-Tenant-Id`.",
      "The path doesn't exist.",
    ],
    todo: [
      "Check the ID and the tenant.",
      "A deleted record can be restored by a tenant admin for 30 days.",
    ],
    retry: "never",
    detail: "There is no such exception.",
  },
  method_not_allowed: {
    means: "The path exists but doesn't support this method.",
    when: ["For example, `PUT` where changes use `PATCH`."],
    todo: ["The `Allow` response header lists the supported methods."],
    retry: "never",
    detail: "This path supports GET, HEAD, POST.",
    headers: { Allow: "GET, HEAD, POST" },
  },
  conflict: {
    means:
      "The request is valid, but the current state doesn't allow it. " +
      "`reason` says why to your program, and `detail` to people.",
    when: Object.entries(CONFLICTS).map(
      ([reason, { means, retryAfterSeconds }]) =>
        `\`${reason}\`: ${means}${retryAfterSeconds === null ? "" : " It resolves by itself."}`,
    ),
    todo: [
      "If `retryable` is true, wait for the seconds in `Retry-After` and repeat the same call.",
      "Otherwise do what `detail` says, or get the resource again and decide.",
      "Treat a `reason` that you don't know like any other that isn't retryable: we may add more.",
    ],
    retry: "after_header",
    detail: "This API key has already been rotated. Rotate its successor.",
    fields: { reason: "already_rotated", retryable: false },
  },
  invalid_transition: {
    means: "The status can't change that way.",
    when: [
      "Exceptions move between open and in review, from either to resolved or dismissed, and " +
        "back to open. Nothing else is allowed.",
      "Reconciliations move between open and in progress, between in progress and completed, " +
        "and from any status to archived, which is final.",
      "Someone else was faster: what you saw as open is already resolved.",
    ],
    todo: [
      "Get it again and decide based on its current status.",
      "Reopen a resolved exception (`status: open`) before anything else.",
    ],
    retry: "changed",
    detail: "An exception cannot move from resolved to in_review.",
  },
  precondition_failed: {
    means:
      "`If-Match` allows the change only if the resource hasn't changed since you read it. It has.",
    when: ["Someone changed it between your read and your write."],
    todo: [
      "Get it again, apply your change to the current version, and send it with the new `ETag`.",
    ],
    retry: "changed",
    detail: "It has changed since the version in If-Match. Read it again and repeat your change.",
  },
  payload_too_large: {
    means: "The body is larger than this operation accepts.",
    when: ["A body is over 1 MiB, a record's over 64 kB, an imported file over 64 MiB."],
    todo: [
      "Send less per request.",
      "For many exceptions, use the [import](/docs/reference/exceptions/import-exceptions).",
      "Store files elsewhere and keep a link in the record.",
    ],
    retry: "never",
    detail: "The body can be at most 1024 KiB.",
  },
  uri_too_long: {
    means: "The URL, including its query, is too long.",
    when: [
      "A filter has a text that belongs in a body.",
      "IDs were joined into one query parameter.",
    ],
    todo: [
      "Shorten the query: a URL can have at most 8192 characters.",
      "Request a page at a time and filter the results.",
    ],
    retry: "never",
    detail: "A URL can have at most 8192 characters.",
  },
  unsupported_media_type: {
    means: "The operation doesn't accept this media type.",
    when: [
      "`Content-Type` is missing: `curl --data` sends " +
        "`application/x-www-form-urlencoded` unless told otherwise.",
      "An imported file isn't sent as CSV or NDJSON.",
    ],
    todo: [
      "Send `Content-Type: application/json`. `PATCH` also accepts `application/merge-patch+json`.",
    ],
    retry: "changed",
    detail: "Send the body as application/json.",
  },
  idempotency_mismatch: {
    means: "This idempotency key was already used with a different request. Nothing was changed.",
    when: [
      "A key is used for a second, different request within 24 hours.",
      "A retry was rebuilt and differs: a new timestamp, a list in another order.",
    ],
    todo: [
      "Generate a new key for each new request, and send retries unchanged.",
      "If you meant the first request, send it again unchanged to get its original response.",
    ],
    retry: "changed",
    detail:
      "This idempotency key was used with a different request. Use a new key for a new request.",
  },
  rate_limited: {
    means:
      "Too many calls per minute for one credential, or " +
      "too many failed credentials from one address.",
    when: [
      "A credential exceeded the limit in `RateLimit-Policy`.",
      "An address sent too many invalid credentials. Valid ones from the same address still work.",
    ],
    todo: [
      "Wait the number of seconds in `Retry-After`, then continue.",
      "Watch `RateLimit` on every response and slow down before it runs out.",
      "Request more at once: lists return up to 250 " +
        "items, and one call can change many exceptions.",
    ],
    retry: "later",
    detail: "Too many calls with this credential. Try again in 12 s.",
    headers: {
      "Retry-After": "12",
      "RateLimit-Policy": '"calls";q=1200;w=60',
      RateLimit: '"calls";r=0;t=12',
    },
  },
  headers_too_large: {
    means: "The request's headers are too large.",
    when: [
      "A JWT has more claims than it needs.",
      "The browser sends cookies of other applications on the same domain.",
    ],
    todo: ["Send fewer or shorter headers: the limit is 16 KiB in total."],
    retry: "never",
    detail: "A request's headers can have at most 16 KiB.",
  },
  internal: {
    means: "Something went wrong on our side. It's logged with its cause under this request ID.",
    when: ["Rarely, we hope."],
    todo: [
      "Try again once. A write with an idempotency key is safe to repeat.",
      "If it happens again, send us the `request_id`.",
    ],
    retry: "later",
    detail: "Something went wrong on our side. It was logged under this request ID.",
  },
  unavailable: {
    means:
      "The service can't reach its database or is at capacity. " +
      "Your request was carried out completely or not at all.",
    when: [
      "The database is restarting, failing over or out of connections.",
      "Two concurrent changes to the same resource blocked each other.",
      "The call took the database too long, or waited 10 s for its turn behind your tenant's " +
        "other calls. `detail` says which.",
    ],
    todo: [
      "Wait as long as `Retry-After` says and send the same request again. " +
        "[Errors and retries](/docs/guides/errors-and-limits) has code to copy.",
      "Send writes with an idempotency key so that a retry never runs twice.",
      "If it took too long, ask for less: longer search words, more filters or fewer records. " +
        "If it waited, make fewer calls at once.",
    ],
    retry: "later",
    detail: "The database is unavailable right now. Try again shortly.",
    headers: { "Retry-After": "2" },
  },
};
