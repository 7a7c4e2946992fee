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
      meaning: "The Supabase project. Set all five, or none for a local stack.",
    },
    {
      names: ["REQUEST_DATABASE_URL"],
      meaning:
        "Sends calls straight to Postgres, as a role that owns nothing. A pooler in " +
        "transaction mode works. Without it, calls go through the Data API, which is several " +
        "times slower ([why](decisions/0015-direct-calls.md)). The local stack sets it; set it " +
        "to an empty value to use the Data API there.",
    },
    {
      names: ["REPLICA_DATABASE_URL"],
      meaning:
        "A read replica, with the role of `REQUEST_DATABASE_URL`. Searches and exports read " +
        "from it and can lag ([which](growth.md#reads-that-may-lag)). If it doesn't respond, " +
        "they read from the database.",
    },
    {
      names: ["DIRECT_URL"],
      meaning:
        "Required if `DATABASE_URL` goes through a pooler in transaction mode: the same " +
        "database directly, or through a pooler in session mode (port 5432 at Supabase, not " +
        "6543). Migrations, jobs and notifications use it. The start fails if notifications " +
        "get lost on it.",
    },
    {
      names: ["DATABASE_MAX_BYTES"],
      meaning:
        "The maximum size of the database. Files that wouldn't fit are refused before they are " +
        "read. Default 0: no limit.",
    },
    {
      names: ["DATABASE_DISK"],
      meaning:
        "A path on the database's disk, if that disk is on this machine. Its free space is " +
        "checked before a file is accepted. The local stack sets it.",
    },
    {
      names: ["EVIDENCE_BUCKET"],
      meaning:
        "A private bucket in the project's Storage for new files of evidence. Without it, they " +
        "are stored in the database, up to 10 MiB each.",
    },
  ],
  "Identity providers and sessions": [
    {
      names: ["AUTH_JWT_SECRET"],
      meaning: "The identity provider's HS256 secret, at least 32 bytes.",
    },
    {
      names: ["AUTH_JWT_JWKS_URL", "AUTH_JWT_PUBLIC_KEY"],
      meaning: "The identity provider's RS256 keys: a JWKS, or one key as PEM.",
    },
    {
      names: ["AUTH_JWT_ISSUER", "AUTH_JWT_AUDIENCE"],
      meaning:
        "Checked if set. Required with RS256 keys, because such a provider also signs tokens " +
        "for other applications.",
    },
    {
      names: ["AUTH_JWT_TENANTS"],
      meaning:
        "The tenants that the identity provider can sign for, comma-separated. Unset or `*`: " +
        "all tenants.",
    },
    {
      names: ["AUTH_JWT_TENANTS_CLAIM", "AUTH_JWT_ROLES_CLAIM"],
      meaning:
        "The names of the claims, if they aren't `tenants` and `roles`, such as " +
        "`https://acme.example/tenants`.",
    },
    {
      names: ["AUTH_JWT_MAX_AGE_SECONDS"],
      meaning: "The maximum time from a token's `iat` to its `exp`. Default 86400.",
    },
    {
      names: ["AUTH_REQUIRED_AAL"],
      meaning:
        "`aal2` requires a second factor (`aal` from Supabase Auth, `mfa` in another " +
        "provider's `amr`).",
    },
    {
      names: ["NEXTAUTH_URL", "NEXTAUTH_SECRET"],
      meaning:
        "The dashboard's origin, which must be https with a hosted project, and the secret of " +
        "its sessions.",
    },
    {
      names: ["OIDC_PROVIDERS"],
      meaning:
        "Names of providers, comma-separated. For each, set `OIDC_<NAME>_ISSUER` (https), " +
        "`_CLIENT_ID`, `_CLIENT_SECRET`, `_NAME`, `_TENANTS_CLAIM`, `_ROLES_CLAIM` and " +
        "`_TENANTS`, which is required with several providers.",
    },
    {
      names: ["SESSION_CHECK_SECONDS"],
      meaning:
        "How soon every process respects a sign-out, a change of roles, a ban or a removal. " +
        "Default 60.",
    },
    {
      names: ["SESSION_IDLE_MINUTES"],
      meaning:
        "Ends a session after this time without activity. Default 60. With 0, it lasts its " +
        "full eight hours.",
    },
    {
      names: ["OIDC_SESSION_MINUTES"],
      meaning:
        "How long the roles in an identity provider's ID token are trusted before the provider " +
        "is asked again. Default 60.",
    },
  ],
  Keys: [
    {
      names: ["ENCRYPTION_KEYS"],
      meaning: "Keys that encrypt stored secrets: base64 of 32 bytes each, newest first.",
    },
    {
      names: ["AUDIT_SIGNING_KEY", "AUDIT_PUBLIC_KEYS"],
      meaning:
        "Keys that sign the audit log: base64 of 32 bytes each. The newest comes first and " +
        "signs; older ones verify ([why](decisions/0009-audit-trail.md)). A process that only " +
        "verifies has `AUDIT_PUBLIC_KEYS` instead.",
    },
    {
      names: ["SERVICE_ROLE_REASON"],
      meaning:
        "`required` refuses service-role calls without `X-Audit-Reason` with 400. Default " +
        "`optional`.",
    },
  ],
  Limits: [
    {
      names: ["RATE_LIMIT_PER_MINUTE", "AUTH_FAILURES_PER_MINUTE"],
      meaning:
        "Calls a minute for each credential (default 1200), and failed credentials a minute " +
        "from each address (default 100). 0 switches a limit off.",
    },
    {
      names: ["RATE_LIMIT_PER_ADDRESS"],
      meaning:
        "Requests a minute from one address (for IPv6, one /64). Default: ten times " +
        "`RATE_LIMIT_PER_MINUTE`. All limits count across the web processes of one machine. " +
        "With several machines, give each its share.",
    },
    {
      names: ["TRUSTED_PROXY_HOPS"],
      meaning:
        "How many of your own proxies append to `X-Forwarded-For`. 0: the socket's address " +
        "counts.",
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
        "How many a tenant can have: 1,000 active keys, 250 webhooks, 10,000 reconciliations, " +
        "1,000 sources, 1,000,000 records, 5,000,000 open exceptions, 100,000,000 lines, 1,000 " +
        "members and open invitations, 10,240 MiB of evidence. 0: no quota. Beyond a quota, " +
        "calls return 409 and name it.",
    },
  ],
  "Webhooks and mail": [
    {
      names: ["WEBHOOK_ALLOW_HOSTS"],
      meaning:
        "Exact host names of local receivers and of connections' servers, comma-separated. Any " +
        "port is allowed, and http too ([webhooks](guides/webhooks.md), " +
        "[files](guides/bank-files.md)).",
    },
    {
      names: ["SMTP_URL", "MAIL_FROM", "MAIL_DIR"],
      meaning:
        "How mail is sent: `smtp://user:password@host:587`, or `smtps://` for TLS from the " +
        "first byte, and the sender's address. Without `SMTP_URL`, each mail is written to " +
        "`DATA_DIR/mail` as text and HTML ([people](guides/people.md)).",
    },
    {
      names: ["INBOX_DOMAIN", "INBOX_PORT"],
      meaning:
        "The domain of connections by mail, and the port on which the worker receives it by " +
        "SMTP ([files](guides/bank-files.md)). Without them, no mail is received.",
    },
    {
      names: ["INBOX_TLS_CERT", "INBOX_TLS_KEY"],
      meaning:
        "Paths of that port's certificate and key, as PEM. Without them it offers no STARTTLS, " +
        "which is fine behind your own mail relay.",
    },
  ],
  Monitoring: [
    {
      names: ["METRICS_TOKEN"],
      meaning:
        "The bearer token for `GET /metrics` (Prometheus text), at least 32 bytes. Without it, " +
        "there are no metrics.",
    },
    {
      names: ["METRICS_PORT"],
      meaning:
        "The port on which the first background process serves `/metrics`, with " +
        "`METRICS_TOKEN`, and `/healthz`. Each further process uses the next port.",
    },
    {
      names: ["OTEL_EXPORTER_OTLP_ENDPOINT"],
      meaning:
        "Where each process sends its traces, metrics and logs by OTLP/HTTP. A request's trace " +
        "has the request's ID and includes its jobs (imports, runs) and the deliveries to " +
        "webhooks. Metrics are those of `/metrics`, sent each minute " +
        "(`OTEL_METRIC_EXPORT_INTERVAL`, in milliseconds). A request's log lines belong to its " +
        "trace. `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, `…_METRICS_ENDPOINT` and " +
        "`…_LOGS_ENDPOINT` send one of the three elsewhere, or only that one. " +
        "`OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_SERVICE_NAME` work as " +
        "[usual](https://opentelemetry.io/docs/specs/otel/protocol/exporter/). Without an " +
        "endpoint, no OpenTelemetry code is loaded.",
    },
  ],
  Processes: [
    {
      names: ["WEB_CONCURRENCY", "WORKER_CONCURRENCY", "MATCHER_CONCURRENCY"],
      meaning:
        "The number of web processes on the port, of workers, and of matchers, which read " +
        "imports and run the rules. Default 1. `SIGUSR2` replaces them one by one. 0: none of " +
        "that kind on this machine, because others run them with the same secrets.",
    },
    {
      names: ["PORT", "HOST", "DATA_DIR"],
      meaning: "Default 3000; all interfaces, or only this machine with the local stack; `.data`.",
    },
  ],
};
