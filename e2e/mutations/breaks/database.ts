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
    is: "the next caller on a connection keeps the role of the previous one",
    how: {
      file: "lib/db/direct/call-directly.ts",
      replace: "set_config('role', $1, true)",
      by: "set_config('role', $1, false)",
      rebuild: false,
    },
    caught: {
      file: DIRECT,
      name: "a call leaves nothing to the next on its connection that was answered",
    },
  },
  {
    name: "direct-calls-of-the-server",
    is: "a key's call is made with the server's rights",
    how: {
      file: "lib/db/direct/call-directly.ts",
      replace: "values: [claims.role, JSON.stringify(claims)",
      by: 'values: [claims.scopes?.length ? "service_role" : claims.role, JSON.stringify(claims)',
      rebuild: false,
    },
    caught: {
      file: DIRECT,
      name:
        "policies and refusals are the same on both ways " +
        "to the database for a key that reads exceptions",
    },
  },
  {
    name: "names-kept-behind-a-pooler",
    is: "a pooler in transaction mode loses calls",
    how: {
      file: "lib/db/direct/call-directly.ts",
      replace: "naming().on = false;",
      by: "throw error;",
      rebuild: false,
    },
    caught: {
      file: "e2e/api/database/pooled-calls.test.ts",
      name: "a pooler in transaction mode that keeps no track of prepared statements",
    },
  },
  {
    name: "any-role-for-requests",
    is: "requests come in as the owner",
    how: {
      file: "supervisor/request-role.ts",
      replace:
        'if (others.length > 0) return `${name} may become ${others.join(", ")}`;\n    return powers.length > 0 ? `${name} ${powers.join(" and ")}` : null;',
      by: "return others.length + powers.length < 0 ? name : null;",
      rebuild: false,
    },
    caught: {
      file: "e2e/api/database/request-role.test.ts",
      name: "the start detects a role for requests with more rights",
    },
  },
  {
    name: "money-counted-once-only",
    is: "the overview's money stays what it was when amounts, currencies and deadlines change",
    how: {
      function: "private.keep_counters",
      replace: "where x.status in ('open', 'in_review');",
      by: "where x.status in ('open', 'in_review') and x.id is null;",
    },
    caught: {
      file: "e2e/api/overview.test.ts",
      name: "money and deadlines follow every change of an exception",
    },
  },
  {
    name: "policy-of-exceptions-dropped",
    is: "every tenant reads everybody's exceptions",
    how: { statement: "alter policy exceptions_read on public.exceptions using (true)" },
    caught: {
      file: DATA_API,
      name:
        "another tenant's admin directly at the Data " +
        "API reads nothing of exceptions but its own",
    },
  },
  {
    name: "policy-of-tenants-dropped",
    is: "the publishable key lists all tenants",
    how: { statement: "alter policy tenants_read on public.tenants using (true)" },
    caught: {
      file: DATA_API,
      name: "the publishable key, straight at the Data API reads nothing of tenants",
    },
  },
  {
    name: "policy-of-security-events-without-role",
    is: "an analyst reads the audit trail past the functions",
    how: {
      statement: `alter policy security_events_read on public.security_events using (tenant_id
          = (select private.tenant_id()))`,
    },
    caught: { file: "e2e/api/database/row-security.test.ts", name: "security_events" },
  },
  {
    name: "policy-of-webhooks-without-role",
    is: "an analyst reads webhooks past the functions",
    how: {
      statement: `alter policy webhooks_read on public.webhooks using (tenant_id
          = (select private.tenant_id()))`,
    },
    caught: { file: "e2e/api/database/row-security.test.ts", name: "webhooks" },
  },
  {
    name: "write-granted",
    is: "rows are changed past the functions",
    how: { statement: "grant update (name) on public.views to authenticated" },
    caught: { file: LINTS, name: "grants no API role a write of any table" },
  },
  {
    name: "row-level-security-off",
    is: "a table has no row-level security",
    how: { statement: "alter table public.webhook_deliveries disable row level security" },
    caught: { file: LINTS, name: "has row-level security on every table" },
  },
  {
    name: "truncate-granted",
    is: "a role may do what no policy stops",
    how: { statement: "grant truncate on public.exceptions to authenticated" },
    caught: { file: LINTS, name: "grants no API role what row-level security does not stop" },
  },
  {
    name: "function-open-to-everybody",
    is: "anybody may purge",
    how: { statement: "grant execute on function private.purge_records(integer) to public" },
    caught: { file: LINTS, name: "grants nothing to everybody" },
  },
  {
    name: "search-path-open",
    is: "a function finds its tables where the caller says",
    how: { statement: "alter function public.get_me(jsonb, jsonb) reset search_path" },
    caught: { file: LINTS, name: "has no function that depends on a search_path" },
  },
  {
    name: "function-with-owners-rights-exposed",
    is: "an exposed function passes by every policy",
    how: { statement: "alter function public.get_me(jsonb, jsonb) security definer" },
    caught: {
      file: LINTS,
      name: "only functions that write for a caller run with their owner's rights",
    },
  },
  {
    name: "statement-without-tenant",
    is: "a function changes the rows of every tenant",
    how: {
      file: "supabase/schemas/tenants/first_steps.sql",
      replace:
        "delete from public.first_steps_dismissals d\n" +
        "    where d.tenant_id = private.tenant_id() and ",
      by: "delete from public.first_steps_dismissals d\n    where ",
      rebuild: false,
    },
    caught: {
      file: RIGHTS,
      name: "every statement that a request reaches binds each table's rows to the tenant",
    },
  },
  {
    name: "bin-open-to-leads",
    is: "a lead sees what is deleted",
    how: {
      statement: `alter policy records_read on public.records using (tenant_id
          = (select private.tenant_id())
        and surface = any ((select private.permitted('read', 'write'))::text[]))`,
    },
    caught: { file: RECORDS, name: "a lead sees its own rows" },
  },
  {
    name: "kind-of-principal-not-asked",
    is: "who is no user, no key and no service has what needs no role",
    how: {
      function: "private.holds",
      replace: "claims ->> 'principal_type' = any (needed.principals) and ",
      by: "",
    },
    caught: {
      file: ACCESS,
      name: "list_exceptions admits for listExceptions exactly the callers that the contract names",
    },
  },
  {
    name: "search-of-lines-without-tenant",
    is: "a search finds lines of every tenant",
    how: {
      function: "private.find_lines_of_caller",
      replace: "where %s = $1 and t.source_no",
      by: "where %s is not null and t.source_no",
    },
    caught: {
      file: "e2e/api/database/row-security.test.ts",
      name: "a lead finds its own tenant's lines alone, whatever sources are named",
    },
  },
  {
    name: "function-serves-others",
    is: "a function is called for another's operation, with what that one needs",
    how: {
      function: "private.begin_request",
      replace: "o.verb = begin_request.verb and o.operation",
      by: "o.operation",
    },
    caught: { file: ACCESS, name: "list_webhooks serves no operation but its own" },
  },
  {
    name: "integrations-published",
    is: "the publishable key may read integrations",
    how: {
      statement: `update private.permissions set principals = principals || '{publishable_key}'
        where permission = 'read:integrations'`,
    },
    caught: {
      file: ACCESS,
      name: "list_records admits for listIntegrations exactly the callers that the contract names",
    },
  },
  {
    name: "tenant-filter-of-restore-lost",
    is: "a record of another tenant is restored",
    how: {
      function: "public.restore_record",
      replace: "x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and",
      by: "x.id = input ->> 'id' and",
    },
    caught: {
      file: "e2e/api/contracts/bad-requests.test.ts",
      name: "restoreIntegration another tenant's record is the same 404 as an unknown one",
    },
  },
  {
    name: "tenant-filter-of-summary-lost",
    is: "the summary counts everybody's exceptions",
    how: {
      function: "private.sla_summary",
      replace: "from private.sla_counts where tenant_id = private.tenant_id()",
      by: "from private.sla_counts",
    },
    caught: { file: "e2e/api/sla/monitor.test.ts", name: "has due in 59 min 30 s as medium" },
  },
  {
    name: "unknown-tenant-let-in",
    is: "the service-role key works for a tenant that does not exist",
    how: {
      function: "private.begin_request",
      replace: "not exists (select from public.tenants t where t.id = private.tenant_id())",
      by: "false",
    },
    caught: {
      file: "e2e/api/credentials.test.ts",
      name: "do not open a tenant that does not exist",
    },
  },
  {
    name: "service-call-not-recorded",
    is: "the service-role key leaves no trace",
    how: {
      function: "private.begin_request",
      replace: "if private.principal_type() = 'service_role' then",
      by: "if false then",
    },
    caught: {
      file: "e2e/api/security-events/service-role.test.ts",
      name: "records exactly one event per call: reads, changes, recorded changes and failures",
    },
  },
  {
    name: "export-not-recorded",
    is: "data leaves without an event",
    how: {
      function: "private.begin_request",
      replace: "if jsonb_typeof(request -> 'export') = 'object' then",
      by: "if false then",
    },
    caught: {
      file: "e2e/api/security-events/sources.test.ts",
      name: "exports are recorded with their filters",
    },
  },
  {
    name: "audit-trail-writable",
    is: "the owner rewrites events",
    how: {
      function: "private.guard_security_events",
      replace: "if tg_op = 'UPDATE' and old.hash is null then",
      by: "if tg_op = 'UPDATE' then",
    },
    caught: {
      file: "e2e/api/security-events/chain.test.ts",
      name: "the strongest role can't update, delete, truncate or choose a position",
    },
  },
  {
    name: "chain-not-linked",
    is: "an event does not carry the hash of the one before it",
    how: {
      function: "private.chain_security_event",
      replace: "e.prev_hash := head.hash;",
      by: "e.prev_hash := null;",
    },
    caught: {
      file: "e2e/api/security-events/chain.test.ts",
      name: "each tenant's chain is complete, and no call waits for another tenant",
    },
  },
  {
    name: "quota-by-guess",
    is: "creations at the same time do not see one another, and pass the quota",
    how: {
      function: "private.enforce_quota",
      replace: "perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));",
      by: "null;",
    },
    caught: {
      file: "e2e/stack/quotas.test.ts",
      name: "concurrent creations never exceed the quota",
    },
  },
  {
    name: "facets-of-everybody",
    is: "a tenant's facets count every tenant's exceptions",
    how: {
      function: "private.grouped_by_facet",
      replace: "e.tenant_id = %7$L",
      by: "true",
    },
    caught: {
      file: "e2e/api/sla/monitor.test.ts",
      name: "counts each filter's values under the other filters only",
    },
  },
  {
    name: "views-count-everybody",
    is: "a view counts every tenant's exceptions",
    how: {
      function: "private.count_of_view",
      replace: "e.tenant_id = %L and e.status",
      by: "%L is not null and e.status",
    },
    caught: {
      file: "e2e/api/sla/views.test.ts",
      name: "a view counts the exceptions visible to its reader",
    },
  },
  {
    name: "views-changed-by-anyone",
    is: "everyone changes what another shared",
    how: {
      function: "private.find_view",
      replace: "x.shared and auth.jwt() -> 'roles' ? 'tenant_admin'",
      by: "x.shared",
    },
    caught: {
      file: "e2e/api/sla/views.test.ts",
      name: "a shared view is changed by its maker and admins",
    },
  },
];
