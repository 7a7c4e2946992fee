import type { ErrorCode, FieldError } from "#lib/wire/errors.ts";

/** What the page of an error says. Sentences are Markdown. A code without an entry does not compile. */
export type Entry = {
  means: string;
  when: string[];
  todo: string[];
  /** Whether the same request, sent again, may succeed. */
  retry: "never" | "changed" | "later";
  detail: string;
  errors?: FieldError[];
  headers?: Record<string, string>;
};

export const CATALOGUE: Record<ErrorCode, Entry> = {
  invalid_request: {
    means:
      "Something in the query, the headers or the body is not what the operation takes. `errors` names each place and says what to give instead.",
    when: [
      "A required field is missing, has another type, or breaks a limit.",
      "A field or query parameter is unknown, or a query parameter is given twice: nothing is ignored silently.",
      "A time is not ISO 8601 in UTC: `2026-11-20T09:30:00Z` and `2026-11-20T09:30+00:00` are, `2026-11-20T10:30:00+01:00` is not.",
      "A `cursor` was changed, or comes from a list with other filters.",
      "The idempotency key comes in two places, and the two differ.",
      "A number would be changed on its way: an integer beyond ±9007199254740991, or more digits than a double holds. Send it as a text.",
      "A name comes twice in one JSON object, or there are more than 20,000 values in it.",
      "The body is not one well-formed JSON object in UTF-8.",
    ],
    todo: [
      "Read `errors`: `path` is the field, dotted (`patch.severity`, `ids.0`), `message` says what is taken there.",
      "Compare your call with the operation's page in the [reference](/docs/reference).",
      "Sending the same again gives the same answer.",
    ],
    retry: "changed",
    detail: "The request is not valid: see errors for each place.",
    errors: [{ path: "limit", message: "Give a whole number." }],
  },
  tenant_required: {
    means: "Every call is about exactly one tenant, and this one did not say which.",
    when: ["The header `X-Tenant-Id` is missing or empty.", "It is sent twice, or holds several tenants separated by commas."],
    todo: [
      "Send `X-Tenant-Id` once, with the tenant's id.",
      "A proxy between you and us may have added or dropped the header: look at what leaves your network.",
    ],
    retry: "changed",
    detail: "Send the header X-Tenant-Id once, with one tenant.",
  },
  idempotency_key_required: {
    means: "Creating a record takes an idempotency key, so that a retry never creates a second one.",
    when: [
      "A `POST` to a record surface, such as `/v1/integrations`, carries a key neither in the body (`idempotencyKey`) nor in the header (`Idempotency-Key`).",
    ],
    todo: [
      "Make a new random key for each new record, such as a UUID, and send the same key with each retry of it.",
      "[Idempotency](/docs/guides/idempotency) has an example.",
    ],
    retry: "changed",
    detail: "Send idempotencyKey in the body, or the header Idempotency-Key.",
    errors: [{ path: "idempotencyKey", message: "Required: any text of up to 255 characters, new for each new request." }],
  },
  unauthenticated: {
    means:
      "No credential came with the call, or none that we believe. For every way in which a credential can be wrong the answer is the same; only the holder of an expired or revoked API key is told so.",
    when: [
      "`Authorization: Bearer …` is missing, misspelled, or sent twice.",
      "A JWT has expired, has no `exp`, or is signed with a key, an issuer or an audience that this service does not trust.",
      "An API key is incomplete (it is `<key_id>.<key_secret>`, with the period), unknown, expired or revoked.",
      "A session cookie comes from another site's page.",
    ],
    todo: [
      "For a JWT, fetch a new token and try again.",
      "For an API key, look at its status in the dashboard. A rotated key stops working when its grace period ends: use its successor.",
      "Don't retry in a loop: failed credentials are limited per address, and the limit answers [`rate_limited`](/docs/errors/rate_limited).",
      "[Credentials](/docs/guides/credentials) shows each kind.",
    ],
    retry: "changed",
    detail: "Send a valid credential: Authorization: Bearer <JWT, API key or Supabase key>.",
    headers: { "WWW-Authenticate": 'Bearer realm="tieout"' },
  },
  tenant_forbidden: {
    means:
      "The credential is good, but not for the tenant that the call names. Whether that tenant exists makes no difference to the answer.",
    when: [
      "The user is no member of the tenant in `X-Tenant-Id`, or the API key belongs to another one.",
      "The tenant in the path or the `tenantId` in the body is not the one in `X-Tenant-Id`.",
      "The token's claim `tenants` has another form than the [two that are read](/docs/guides/credentials).",
    ],
    todo: [
      "Check the spelling of the tenant's id: lower case, as in the dashboard's address.",
      "`GET /v1/me` with the same credential and another tenant tells which of the two is wrong.",
      "Ask an admin of that tenant to let you in.",
    ],
    retry: "changed",
    detail: "This credential does not belong to the tenant named by X-Tenant-Id.",
  },
  role_required: {
    means: "The caller belongs to the tenant, but what it is may not do this.",
    when: [
      "The user has none of the roles that the operation asks for; each operation's page lists them.",
      "An API key calls what only people may do: API keys are managed by admins, and the SLA monitor needs a role.",
      "The publishable or the service-role key calls an operation that is not open to it.",
    ],
    todo: ["Ask a tenant admin for the role, or to do it for you.", "For the SLA monitor, use a user's JWT in place of an API key."],
    retry: "changed",
    detail: "This needs one of the roles tenant_admin. Ask a tenant admin.",
  },
  scope_required: {
    means: "The API key is good, but was not given the scope that this operation asks for.",
    when: [
      "The key lacks the scope named in `detail`.",
      "The key has the write scope and reads: `write:exceptions` does not include `read:exceptions`.",
    ],
    todo: [
      "A tenant admin adds the scope to the key; the secret stays the same and nothing has to be deployed.",
      "Give a key no more scopes than its job needs.",
    ],
    retry: "changed",
    detail: "This needs an API key with the scope read:exceptions.",
  },
  ip_not_allowed: {
    means: "The API key has an allow-list of addresses, and the call came from another one.",
    when: [
      "The server moved, or its provider gave it a new outgoing address.",
      "The call goes out by IPv6 and the list names IPv4 addresses only, or the other way round.",
      "The key is used by somebody who should not have it.",
    ],
    todo: [
      "The key's page in the dashboard lists the addresses seen and the refused calls.",
      "Add the address or range to the key, if it is yours.",
      "If it is not yours, [rotate the key](/docs/guides/key-rotation): somebody has it.",
    ],
    retry: "changed",
    detail: "This API key may not be used from this address.",
  },
  browser_forbidden: {
    means: "The service-role key came with headers that only browsers send, so it is in a page, where anybody can read it.",
    when: [
      "A page of yours calls the API with the service-role key.",
      "A server passes on a browser's request with its `Origin` or `Sec-Fetch-Site` header, and adds the key.",
    ],
    todo: [
      "Replace the key now: whoever opened the page may have it. Each try is among the [security events](/docs/reference/security-events).",
      "In a page, use the session of your users, or the [publishable key](/docs/guides/supabase-keys) for what is public.",
      "On a server, send headers of your own and not the browser's.",
    ],
    retry: "changed",
    detail: "The service-role key was sent by a browser, where others can read it. Replace it now, and call from a server, or as a user.",
  },
  not_found: {
    means: "There is no such resource in this tenant. Another tenant's give exactly the same answer.",
    when: [
      "The id is mistyped, or of another kind: `exc_…` names an exception, `whk_…` a webhook.",
      "The record was deleted.",
      "It belongs to another tenant than the one in `X-Tenant-Id`.",
      "The path does not exist.",
    ],
    todo: ["Check the id and the tenant.", "A deleted record can be restored by a tenant admin for 30 days."],
    retry: "never",
    detail: "There is no such exception.",
  },
  method_not_allowed: {
    means: "The path exists, but does not take this method.",
    when: ["For example `PUT` where changes are made with `PATCH`."],
    todo: ["The answer's header `Allow` lists the methods of this path."],
    retry: "never",
    detail: "This path takes GET, HEAD, POST.",
    headers: { Allow: "GET, HEAD, POST" },
  },
  conflict: {
    means: "The request is sound, but what it is about is in a state that does not allow it. `detail` says which.",
    when: [
      "An API key is changed or rotated that is revoked, expired or has been rotated before.",
      "A test or a resend goes to a webhook that is disabled, or while the delivery is being sent.",
      "A tenant has as many webhooks as it may have.",
    ],
    todo: [
      "Read the thing again and look at its `status`.",
      "Rotate the newest key of a chain: `rotated_to` names it.",
      "Enable the webhook first.",
    ],
    retry: "changed",
    detail: "This API key has been rotated already. Rotate its successor.",
  },
  invalid_transition: {
    means: "The status cannot move there from where it is.",
    when: [
      "An exception moves between open and in review, from either to resolved or dismissed, and back to open. Everything else is refused.",
      "A reconciliation moves between open and in progress, from in progress to completed and back, and from anywhere to archived, which is the end.",
      "Somebody else was faster: what you saw as open is resolved by now.",
    ],
    todo: ["Read it again, and decide on what is there now.", "Reopen a resolved exception (`status: open`) before anything else."],
    retry: "changed",
    detail: "An exception cannot move from resolved to in_review.",
  },
  precondition_failed: {
    means: "You asked to change it only where it is still what you read, by `If-Match`. It is not.",
    when: ["Somebody changed the record between your read and your write."],
    todo: ["Read it again, apply your change to what is there now, and send it with the new `ETag`."],
    retry: "changed",
    detail: "It is not as If-Match says: it has changed since. Get it again, and repeat your change on what you find.",
  },
  payload_too_large: {
    means: "The body has more bytes than the operation takes.",
    when: ["A body is over 1 MiB, a record's over 64 kB, an imported file over 64 MiB."],
    todo: [
      "Send less at once.",
      "For many exceptions there is [an import](/docs/reference/exceptions/import-exceptions).",
      "Keep files elsewhere, and their address in the record.",
    ],
    retry: "never",
    detail: "This body may have at most 1024 KiB.",
  },
  uri_too_long: {
    means: "The address, with its query, has more characters than we read.",
    when: ["A filter was given a text that belongs in a body.", "Ids were joined into one query parameter."],
    todo: ["Shorten the query: an address may have 8192 characters.", "Ask for a page at a time, and filter what comes."],
    retry: "never",
    detail: "An address may have at most 8192 characters.",
  },
  unsupported_media_type: {
    means: "The body comes as something the operation does not read.",
    when: [
      "`Content-Type` is missing: `curl --data` sends `application/x-www-form-urlencoded` unless told otherwise.",
      "A file is imported as something else than CSV or NDJSON.",
    ],
    todo: ["Send `Content-Type: application/json`. `PATCH` takes `application/merge-patch+json` as well."],
    retry: "changed",
    detail: "Send the body as application/json.",
  },
  idempotency_mismatch: {
    means: "This idempotency key came before, with another request. Nothing was done.",
    when: [
      "A key is used for a second, different request within 24 hours.",
      "A retry was built anew and differs: another timestamp, another order of a list.",
    ],
    todo: [
      "Make a new key for each new request, and keep the request as it is for its retries.",
      "If the first request was the one you meant, send it again exactly: its first answer comes back.",
    ],
    retry: "changed",
    detail: "This idempotency key was used with a different request. Use a new key for a new request.",
  },
  rate_limited: {
    means: "Too many calls in a minute: of one credential, or of failed credentials from one address.",
    when: [
      "A credential made more calls than `RateLimit-Policy` says.",
      "An address sent too many credentials that are not valid. The valid ones from there go on.",
    ],
    todo: [
      "Wait as many seconds as `Retry-After` says, then go on.",
      "Look at `RateLimit` on every answer, and slow down before it is spent.",
      "Ask for more at once: lists give up to 250 items, and many exceptions can be changed in one call.",
    ],
    retry: "later",
    detail: "Too many calls with this credential. Try again in 12 s.",
    headers: { "Retry-After": "12", "RateLimit-Policy": '"calls";q=1200;w=60', RateLimit: '"calls";r=0;t=12' },
  },
  headers_too_large: {
    means: "The request's headers together have more bytes than we read.",
    when: ["A JWT carries more claims than it needs.", "Cookies of other applications on the same domain come along."],
    todo: ["Send fewer or shorter headers: 16 KiB together is the limit."],
    retry: "never",
    detail: "The headers of a request may have at most 16 KiB.",
  },
  internal: {
    means: "We made a mistake. It has been logged with its cause under this request id.",
    when: ["Never, we hope."],
    todo: ["Try again once; a write with an idempotency key is safe to repeat.", "If it happens again, tell us the `request_id`."],
    retry: "later",
    detail: "Something went wrong on our side. It has been logged under this request id.",
  },
  unavailable: {
    means: "The service cannot reach its database, or is full. What you sent was done completely or not at all.",
    when: ["The database restarts, fails over, or is out of connections.", "Two changes of the same thing waited for each other."],
    todo: [
      "Wait as `Retry-After` says and send the same again. [Errors and retries](/docs/guides/errors-and-limits) has a loop to copy.",
      "Send writes with an idempotency key: the repetition then cannot do it twice.",
    ],
    retry: "later",
    detail: "The database cannot answer right now. Try again shortly.",
    headers: { "Retry-After": "2" },
  },
};
