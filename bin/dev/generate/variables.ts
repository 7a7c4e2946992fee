/**
 * Every environment variable with its meaning: `npm run generate` writes docs/configuration.md and
 * .env.example from it. A test compares the names with the schema that parses the environment.
 */
export type Variable = { names: readonly string[]; meaning: string };

export const VARIABLES: Record<string, readonly Variable[]> = {
  "The Supabase project": [
    {
      names: [
        "SUPABASE_URL",
        "SUPABASE_PUBLISHABLE_KEY",
        "SUPABASE_SECRET_KEY",
        "SUPABASE_JWT_SECRET",
        "DATABASE_URL",
      ],
      meaning: "The project; all five, or none for a local stack.",
    },
    {
      names: ["REQUEST_DATABASE_URL"],
      meaning:
        "Calls go straight to Postgres, as a role that owns nothing; a pooler in transaction " +
        "mode will do. Without it they go by the Data API, several times slower " +
        "([why](decisions/0015-direct-calls.md)). The local stack has one; given empty, it has " +
        "none.",
    },
    {
      names: ["REPLICA_DATABASE_URL"],
      meaning:
        "A read replica, as the role of `REQUEST_DATABASE_URL`: searches and exports are read " +
        "from it, and may lag ([which](growth.md#reads-that-may-lag)). Where it doesn't " +
        "answer, they go to the database.",
    },
    {
      names: ["DIRECT_URL"],
      meaning:
        "Needed where `DATABASE_URL` goes through a pooler in transaction mode: the same " +
        "database directly, or through one in session mode (at Supabase port 5432, not 6543). " +
        "Migrations, jobs and notifications use it; the start refuses one that loses " +
        "notifications.",
    },
    {
      names: ["DATABASE_MAX_BYTES"],
      meaning:
        "What the database may grow to; a file that would not fit is refused before it is " +
        "taken in (default 0: no such bound).",
    },
    {
      names: ["DATABASE_DISK"],
      meaning:
        "A path on the disk that the database lies on, where it is one of this machine: looked " +
        "at before a file is taken in (set by the local stack).",
    },
    {
      names: ["EVIDENCE_BUCKET"],
      meaning:
        "A private bucket of the project's Storage that new files of evidence are kept in; " +
        "without it they lie in the database, up to 10 MiB each.",
    },
  ],
  "Identity providers and sessions": [
    {
      names: ["AUTH_JWT_SECRET"],
      meaning: "HS256 secret of the identity provider, 32 bytes or more.",
    },
    {
      names: ["AUTH_JWT_JWKS_URL", "AUTH_JWT_PUBLIC_KEY"],
      meaning: "RS256 keys: a JWKS, or one key as PEM.",
    },
    {
      names: ["AUTH_JWT_ISSUER", "AUTH_JWT_AUDIENCE"],
      meaning:
        "Checked where set; required with RS256 keys, whose provider signs tokens for other " +
        "applications too.",
    },
    {
      names: ["AUTH_JWT_TENANTS"],
      meaning:
        "The tenants that the identity provider can sign for, comma-separated; not set or `*`: " +
        "every tenant.",
    },
    {
      names: ["AUTH_JWT_TENANTS_CLAIM", "AUTH_JWT_ROLES_CLAIM"],
      meaning: "Names of the claims, if not `tenants` and `roles`: `https://acme.example/tenants`.",
    },
    {
      names: ["AUTH_JWT_MAX_AGE_SECONDS"],
      meaning: "86400: the longest time from a token's `iat` to its `exp`.",
    },
    {
      names: ["AUTH_REQUIRED_AAL"],
      meaning:
        "`aal2`: requires a second factor (`aal` of Supabase Auth, `mfa` in another provider's " +
        "`amr`).",
    },
    {
      names: ["NEXTAUTH_URL", "NEXTAUTH_SECRET"],
      meaning: "The dashboard's origin, https with a hosted project, and its session secret.",
    },
    {
      names: ["OIDC_PROVIDERS"],
      meaning:
        "Names, comma-separated; for each `OIDC_<NAME>_ISSUER` (https), `_CLIENT_ID`, " +
        "`_CLIENT_SECRET`, `_NAME`, `_TENANTS_CLAIM`, `_ROLES_CLAIM`, and `_TENANTS`, required " +
        "where there are several.",
    },
    {
      names: ["SESSION_CHECK_SECONDS"],
      meaning:
        "60: how soon every process follows a sign-out, and sessions and tokens of Supabase " +
        "Auth a change of roles, a ban or a removal.",
    },
    {
      names: ["SESSION_IDLE_MINUTES"],
      meaning:
        "60: a session ends after so long without an act of its person; 0: never before its " +
        "eight hours.",
    },
    {
      names: ["OIDC_SESSION_MINUTES"],
      meaning:
        "60: how long the roles in an identity provider's ID token hold before it is asked again.",
    },
  ],
  Keys: [
    {
      names: ["ENCRYPTION_KEYS"],
      meaning: "Base64 of 32 bytes each, newest first.",
    },
    {
      names: ["AUDIT_SIGNING_KEY", "AUDIT_PUBLIC_KEYS"],
      meaning:
        "Base64 of 32 bytes each, newest first: signs the audit trail; older ones verify " +
        "([why](decisions/0009-audit-trail.md)). A process that only verifies has " +
        "`AUDIT_PUBLIC_KEYS` instead.",
    },
    {
      names: ["SERVICE_ROLE_REASON"],
      meaning: "`optional`; `required`: a service-role call without `X-Audit-Reason` is 400.",
    },
  ],
  Limits: [
    {
      names: ["RATE_LIMIT_PER_MINUTE", "AUTH_FAILURES_PER_MINUTE"],
      meaning:
        "1200 calls a minute per credential, 100 failed credentials per address; 0 switches " +
        "one off.",
    },
    {
      names: ["RATE_LIMIT_PER_ADDRESS"],
      meaning:
        "Requests a minute of any kind from one address (of IPv6, one /64): ten times " +
        "`RATE_LIMIT_PER_MINUTE`. All limits count over the web processes of one machine; " +
        "behind several machines, give each its share.",
    },
    {
      names: ["TRUSTED_PROXY_HOPS"],
      meaning:
        "How many proxies of ours append to `X-Forwarded-For`; 0: the socket's address counts.",
    },
    {
      names: [
        "QUOTA_API_KEYS",
        "QUOTA_WEBHOOKS",
        "QUOTA_RECONCILIATIONS",
        "QUOTA_SOURCES",
        "QUOTA_RECORDS",
        "QUOTA_EXCEPTIONS",
        "QUOTA_LINES",
        "QUOTA_MEMBERS",
        "QUOTA_EVIDENCE_MIB",
      ],
      meaning:
        "How many a tenant can have: 1,000 active keys, 250 webhooks, 10,000 " +
        "reconciliations, 1,000 sources, 1,000,000 records, 5,000,000 open " +
        "exceptions, 100,000,000 lines, 1,000 members and open invitations, " +
        "10,240 MiB of evidence; 0: no quota. Beyond one, 409 names it.",
    },
  ],
  "Webhooks and mail": [
    {
      names: ["WEBHOOK_ALLOW_HOSTS"],
      meaning:
        "Hosts of local receivers and of connections' servers, exact, comma-separated; any port, " +
        "http too ([webhooks](guides/webhooks.md), [files](guides/bank-files.md)).",
    },
    {
      names: ["SMTP_URL", "MAIL_FROM", "MAIL_DIR"],
      meaning:
        "How mail leaves: `smtp://user:password@host:587`, or `smtps://` for TLS from the " +
        "first byte, and the address it comes from. Without `SMTP_URL`, each mail is written " +
        "to `DATA_DIR/mail` as text and HTML ([people](guides/people.md)).",
    },
    {
      names: ["INBOX_DOMAIN", "INBOX_PORT"],
      meaning:
        "The domain whose mail comes to the worker, and the port that it listens on by SMTP, for " +
        "connections by mail ([files](guides/bank-files.md)). Without them, none is received.",
    },
    {
      names: ["INBOX_TLS_CERT", "INBOX_TLS_KEY"],
      meaning:
        "The paths of the certificate and the key of that port, as PEM; without them it offers " +
        "no STARTTLS, as behind a mail relay of your own.",
    },
  ],
  Monitoring: [
    {
      names: ["METRICS_TOKEN"],
      meaning:
        "The bearer token of `GET /metrics` (Prometheus text), 32 bytes or more; without it " +
        "there is none.",
    },
    {
      names: ["METRICS_PORT"],
      meaning:
        "Where the first background process serves its own `/metrics`, for `METRICS_TOKEN`, " +
        "and `/healthz`; each further one has the next port.",
    },
    {
      names: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
      meaning:
        "Sends traces, metrics and logs of each process there by OTLP/HTTP. A request's trace " +
        "has its ID, and leads over its jobs (imports, runs) to the receipts of webhooks; " +
        "metrics are those of `/metrics`, sent each minute (`OTEL_METRIC_EXPORT_INTERVAL`, in " +
        "milliseconds); log lines of a request belong to its trace. " +
        "`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, `…_METRICS_ENDPOINT`, `…_LOGS_ENDPOINT` send " +
        "one of the three elsewhere or alone; `OTEL_EXPORTER_OTLP_HEADERS`, " +
        "`OTEL_SERVICE_NAME` as " +
        "[usual](https://opentelemetry.io/docs/specs/otel/protocol/exporter/); without it " +
        "nothing of OpenTelemetry is loaded.",
    },
  ],
  Processes: [
    {
      names: ["WEB_CONCURRENCY", "WORKER_CONCURRENCY", "MATCHER_CONCURRENCY"],
      meaning:
        "1: web processes on the port, workers, and matchers, which read imports and run the " +
        "rules. `SIGUSR2` replaces them one by one. 0: none of that kind on this machine, " +
        "whose others run elsewhere with the same secrets.",
    },
    {
      names: ["PORT", "HOST", "DATA_DIR"],
      meaning: "3000; all interfaces, on the local stack this machine alone; `.data`.",
    },
  ],
};
