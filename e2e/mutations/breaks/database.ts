import type { Break } from "../break.ts";

const DATA_API = "e2e/api/database/data-api.test.ts";
const ACCESS = "e2e/api/database/access.test.ts";
const DIRECT = "e2e/api/database/direct-calls.test.ts";
const LINTS = "e2e/api/database/lints.test.ts";
const RIGHTS = "bin/dev/migration/rights.test.ts";
const RECORDS = "e2e/api/records/row-level-security.test.ts";

/** Who may see and do what, as the database decides last. */
export const DATABASE: Break[] = [
  {
    name: "role-outlives-its-call",
    effect: "the next caller on a connection keeps the role of the previous one",
    patch: {
      file: "lib/db/direct/call-directly.ts",
      replace: "set_config('role', $1, true)",
      by: "set_config('role', $1, false)",
      rebuild: false,
    },
    killedBy: {
      file: DIRECT,
      name: "a call leaves nothing to the next on its connection that was answered",
    },
  },
  {
    name: "direct-calls-of-the-server",
    effect: "a key's call is made with the server's rights",
    patch: {
      file: "lib/db/direct/call-directly.ts",
      replace: "values: [claims.role, JSON.stringify(claims)",
      by: 'values: [claims.scopes?.length ? "service_role" : claims.role, JSON.stringify(claims)',
      rebuild: false,
    },
    killedBy: {
      file: DIRECT,
      name:
        "policies and refusals are the same on both ways " +
        "to the database for a key that reads exceptions",
    },
  },
  {
    name: "names-kept-behind-a-pooler",
    effect: "a pooler in transaction mode loses calls",
    patch: {
      file: "lib/db/direct/call-directly.ts",
      replace: "naming().on = false;",
      by: "throw error;",
      rebuild: false,
    },
    killedBy: {
      file: "e2e/api/database/pooled-calls.test.ts",
      name: "a pooler in transaction mode that keeps no track of prepared statements",
    },
  },
  {
    name: "any-role-for-requests",
    effect: "requests come in as the owner",
    patch: {
      file: "supervisor/request-role.ts",
      replace:
        'if (others.length > 0) return `${name} may become ${others.join(", ")}`;\n    return powers.length > 0 ? `${name} ${powers.join(" and ")}` : null;',
      by: "return others.length + powers.length < 0 ? name : null;",
      rebuild: false,
    },
    killedBy: {
      file: "e2e/api/database/request-role.test.ts",
      name: "the start detects a role for requests with more rights",
    },
  },
  {
    name: "money-never-taken-off",
    effect: "an exception that changes or closes stays in the overview's counts and money",
    patch: {
      function: "private.update_counters",
      replace: "where counted_change.status in ('open', 'in_review');",
      by: "where counted_change.status in ('open', 'in_review') and counted_change.sign > 0;",
    },
    killedBy: {
      file: "e2e/api/overview.test.ts",
      name: "money and deadlines follow every change of an exception",
    },
  },
  {
    name: "policy-of-exceptions-dropped",
    effect: "every tenant reads everybody's exceptions",
    patch: { statement: "alter policy exceptions_read on public.exceptions using (true)" },
    killedBy: {
      file: DATA_API,
      name:
        "another tenant's admin directly at the Data API " +
        "reads only its own rows of exceptions",
    },
  },
  {
    name: "policy-of-tenants-dropped",
    effect: "the publishable key lists all tenants",
    patch: { statement: "alter policy tenants_read on public.tenants using (true)" },
    killedBy: {
      file: DATA_API,
      name: "the publishable key, straight at the Data API reads nothing of tenants",
    },
  },
  {
    name: "policy-of-security-events-without-role",
    effect: "an analyst reads the audit trail past the functions",
    patch: {
      statement: `alter policy security_events_read on public.security_events using (tenant_id
          = (select private.tenant_id()))`,
    },
    killedBy: { file: "e2e/api/database/row-security.test.ts", name: "security_events" },
  },
  {
    name: "policy-of-webhooks-without-role",
    effect: "an analyst reads webhooks past the functions",
    patch: {
      statement: `alter policy webhooks_read on public.webhooks using (tenant_id
          = (select private.tenant_id()))`,
    },
    killedBy: { file: "e2e/api/database/row-security.test.ts", name: "webhooks" },
  },
  {
    name: "write-granted",
    effect: "rows are changed past the functions",
    patch: { statement: "grant update (name) on public.views to authenticated" },
    killedBy: { file: LINTS, name: "grants no API role a write of any table" },
  },
  {
    name: "row-level-security-off",
    effect: "a table has no row-level security",
    patch: { statement: "alter table public.webhook_deliveries disable row level security" },
    killedBy: { file: LINTS, name: "has row-level security on every table" },
  },
  {
    name: "truncate-granted",
    effect: "a role may do what no policy stops",
    patch: { statement: "grant truncate on public.exceptions to authenticated" },
    killedBy: {
      file: LINTS,
      name: "grants no API role a privilege that row-level security doesn't restrict",
    },
  },
  {
    name: "function-open-to-everybody",
    effect: "anybody may purge",
    patch: { statement: "grant execute on function private.purge_records(integer) to public" },
    killedBy: { file: LINTS, name: "lets PUBLIC execute no function" },
  },
  {
    name: "search-path-open",
    effect: "a function finds its tables where the caller says",
    patch: { statement: "alter function public.get_me(jsonb, jsonb) reset search_path" },
    killedBy: { file: LINTS, name: "has no function that depends on a search_path" },
  },
  {
    name: "function-with-owners-rights-exposed",
    effect: "an exposed function passes by every policy",
    patch: { statement: "alter function public.get_me(jsonb, jsonb) security definer" },
    killedBy: {
      file: LINTS,
      name: "only functions that write for a caller run with their owner's rights",
    },
  },
  {
    name: "statement-without-tenant",
    effect: "a function changes the rows of every tenant",
    patch: {
      file: "supabase/schemas/tenants/first_steps.sql",
      replace:
        "delete from public.first_steps_dismissals dismissal\n" +
        "    where dismissal.tenant_id = private.tenant_id()\n      and ",
      by: "delete from public.first_steps_dismissals dismissal\n    where ",
      rebuild: false,
    },
    killedBy: {
      file: RIGHTS,
      name: "every statement that a request reaches binds each table's rows to the tenant",
    },
  },
  {
    name: "bin-open-to-leads",
    effect: "a lead sees what is deleted",
    patch: {
      statement: `alter policy records_read on public.records using (tenant_id
          = (select private.tenant_id())
        and surface = any ((select private.permitted('read', 'write'))::text[]))`,
    },
    killedBy: { file: RECORDS, name: "a lead sees its own rows" },
  },
  {
    name: "kind-of-principal-not-asked",
    effect: "who is no user, no key and no service has what needs no role",
    patch: {
      function: "private.holds",
      replace: "claims ->> 'principal_type' = any (needed.principals) and ",
      by: "",
    },
    killedBy: {
      file: ACCESS,
      name: "list_exceptions admits for listExceptions exactly the callers that the contract names",
    },
  },
  {
    name: "search-of-lines-without-tenant",
    effect: "a search finds lines of every tenant",
    patch: {
      function: "private.find_lines_of_caller",
      replace: "where %s = $1 and line_text.source_no",
      by: "where %s is not null and line_text.source_no",
    },
    killedBy: {
      file: "e2e/api/database/row-security.test.ts",
      name: "a lead finds its own tenant's lines alone, whatever sources are named",
    },
  },
  {
    name: "function-serves-others",
    effect: "a function is called for another's operation, with what that one needs",
    patch: {
      function: "private.begin_request",
      replace: "operations.verb = begin_request.verb and operations.operation",
      by: "operations.operation",
    },
    killedBy: { file: ACCESS, name: "list_webhooks serves only its own operation" },
  },
  {
    name: "integrations-published",
    effect: "the publishable key may read integrations",
    patch: {
      statement: `update private.permissions set principals = principals || '{publishable_key}'
        where permission = 'read:integrations'`,
    },
    killedBy: {
      file: ACCESS,
      name: "list_records admits for listIntegrations exactly the callers that the contract names",
    },
  },
  {
    name: "tenant-filter-of-restore-lost",
    effect: "a record of another tenant is restored",
    patch: {
      function: "public.restore_record",
      replace: "records.tenant_id = private.tenant_id() and records.id = input ->> 'id'",
      by: "records.id = input ->> 'id'",
    },
    killedBy: {
      file: "e2e/api/contracts/bad-requests.test.ts",
      name: "restoreIntegration another tenant's record is the same 404 as an unknown one",
    },
  },
  {
    name: "tenant-filter-of-summary-lost",
    effect: "the summary counts everybody's exceptions",
    patch: {
      function: "private.sla_summary",
      replace: "from private.sla_counts where tenant_id = private.tenant_id()",
      by: "from private.sla_counts",
    },
    killedBy: {
      file: "e2e/api/sla/monitor.test.ts",
      name: "shows a deadline in 59 min 30 s as medium",
    },
  },
  {
    name: "unknown-tenant-let-in",
    effect: "the service-role key works for a tenant that does not exist",
    patch: {
      function: "private.begin_request",
      replace:
        "not exists (select from public.tenants tenant where tenant.id = private.tenant_id())",
      by: "false",
    },
    killedBy: {
      file: "e2e/api/credentials.test.ts",
      name: "do not open a tenant that does not exist",
    },
  },
  {
    name: "service-call-not-recorded",
    effect: "the service-role key leaves no trace",
    patch: {
      function: "private.begin_request",
      replace: "if private.principal_type() = 'service_role' then",
      by: "if false then",
    },
    killedBy: {
      file: "e2e/api/security-events/service-role.test.ts",
      name: "records exactly one event per call: reads, changes, recorded changes and failures",
    },
  },
  {
    name: "export-not-recorded",
    effect: "data leaves without an event",
    patch: {
      function: "private.begin_request",
      replace: "if jsonb_typeof(request -> 'export') = 'object' then",
      by: "if false then",
    },
    killedBy: {
      file: "e2e/api/security-events/sources.test.ts",
      name: "exports are recorded with their filters",
    },
  },
  {
    name: "audit-trail-writable",
    effect: "the owner rewrites events",
    patch: {
      function: "private.guard_security_events",
      replace: "if tg_op = 'UPDATE' and old.hash is null then",
      by: "if tg_op = 'UPDATE' then",
    },
    killedBy: {
      file: "e2e/api/security-events/chain.test.ts",
      name: "the strongest role can't update, delete, truncate or choose a position",
    },
  },
  {
    name: "chain-not-linked",
    effect: "an event does not carry the hash of the one before it",
    patch: {
      function: "private.chain_security_event",
      replace: "event.prev_hash := head.hash;",
      by: "event.prev_hash := null;",
    },
    killedBy: {
      file: "e2e/api/security-events/chain.test.ts",
      name: "each tenant's chain is complete, and no call waits for another tenant",
    },
  },
  {
    name: "quota-by-guess",
    effect: "creations at the same time do not see one another, and pass the quota",
    patch: {
      function: "private.enforce_quota",
      replace: "perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));",
      by: "null;",
    },
    killedBy: {
      file: "e2e/stack/quotas.test.ts",
      name: "concurrent creations never exceed the quota",
    },
  },
  {
    name: "facets-of-everybody",
    effect: "a tenant's facets count every tenant's exceptions",
    patch: {
      function: "private.grouped_by_facet",
      replace: "e.tenant_id = %7$L",
      by: "true",
    },
    killedBy: {
      file: "e2e/api/sla/monitor.test.ts",
      name: "counts each filter's values under the other filters only",
    },
  },
  {
    name: "views-count-everybody",
    effect: "a view counts every tenant's exceptions",
    patch: {
      function: "private.count_of_view",
      replace: "e.tenant_id = %L and e.status",
      by: "%L is not null and e.status",
    },
    killedBy: {
      file: "e2e/api/sla/views.test.ts",
      name: "a view counts the exceptions visible to its reader",
    },
  },
  {
    name: "views-changed-by-anyone",
    effect: "everyone changes what another shared",
    patch: {
      function: "private.find_view",
      replace: "views.shared and auth.jwt() -> 'roles' ? 'tenant_admin'",
      by: "views.shared",
    },
    killedBy: {
      file: "e2e/api/sla/views.test.ts",
      name: "a shared view can be changed by its author and admins",
    },
  },
];
