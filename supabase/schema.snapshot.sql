-- What the migrations make, as the catalogue has it: `npm run generate` writes this file, a test compares it.

create schema private authorization postgres;
grant usage on schema private to anon;
grant usage on schema private to authenticated;
grant usage on schema private to service_role;

create schema public authorization pg_database_owner;
grant usage on schema public to anon;
grant usage on schema public to authenticated;
grant usage on schema public to postgres;
grant usage on schema public to public;
grant usage on schema public to service_role;

-- new functions of postgres: the owner alone

-- new sequences of postgres in schema public: the owner alone

-- new functions of postgres in schema public: the owner alone

-- new tables of postgres in schema public: the owner alone

create table private.api_key_secrets (
  api_key_id text not null,
  digest text not null
);
alter table private.api_key_secrets enable row level security;
alter table private.api_key_secrets add constraint api_key_secrets_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text));
alter table private.api_key_secrets add constraint api_key_secrets_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;
alter table private.api_key_secrets add constraint api_key_secrets_pkey PRIMARY KEY (api_key_id);

create table private.exception_clocks (
  exception_id text not null,
  tenant_id text not null,
  due_at timestamp(3) with time zone not null,
  "position" integer not null,
  next_at timestamp(3) with time zone
) with (fillfactor=80);
alter table private.exception_clocks enable row level security;
alter table private.exception_clocks add constraint exception_clocks_pkey PRIMARY KEY (exception_id);
CREATE INDEX exception_clocks_next ON private.exception_clocks USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX exception_clocks_next_of_tenant ON private.exception_clocks USING btree (tenant_id, next_at) WHERE (next_at IS NOT NULL);

create table private.idempotency_keys (
  tenant_id text not null,
  principal text not null,
  operation text not null,
  key_hash text not null,
  fingerprint text not null,
  answer jsonb,
  created_at timestamp(3) with time zone not null default now()
);
alter table private.idempotency_keys enable row level security;
alter table private.idempotency_keys add constraint idempotency_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table private.idempotency_keys add constraint idempotency_keys_pkey PRIMARY KEY (tenant_id, principal, operation, key_hash);
CREATE INDEX idempotency_keys_by_age ON private.idempotency_keys USING btree (created_at);

create table private.security_event_checkpoints (
  chain text not null,
  kind text not null,
  seq bigint not null,
  hash text not null,
  at timestamp(3) with time zone not null,
  key_id text not null,
  signature text not null
);
alter table private.security_event_checkpoints enable row level security;
alter table private.security_event_checkpoints add constraint security_event_checkpoints_kind_check CHECK ((kind = ANY (ARRAY['head'::text, 'prefix'::text])));
alter table private.security_event_checkpoints add constraint security_event_checkpoints_pkey PRIMARY KEY (chain, kind, seq);
CREATE TRIGGER security_event_checkpoints_guard BEFORE DELETE OR UPDATE ON private.security_event_checkpoints FOR EACH ROW EXECUTE FUNCTION private.guard_security_event_checkpoints(); -- enabled: A
CREATE TRIGGER security_event_checkpoints_guard_truncate BEFORE TRUNCATE ON private.security_event_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION private.guard_security_event_checkpoints(); -- enabled: A

create table private.security_event_counts (
  chain text not null,
  bucket text not null,
  minute timestamp with time zone not null,
  count bigint not null,
  first jsonb not null,
  operations text[] not null,
  targets text[] not null,
  addresses text[] not null
);
alter table private.security_event_counts enable row level security;
alter table private.security_event_counts add constraint security_event_counts_pkey PRIMARY KEY (chain, bucket, minute);
CREATE INDEX security_event_counts_by_age ON private.security_event_counts USING btree (minute);

create table private.security_event_heads (
  chain text not null,
  seq bigint not null default 0,
  hash text
) with (fillfactor=50);
alter table private.security_event_heads enable row level security;
alter table private.security_event_heads add constraint security_event_heads_pkey PRIMARY KEY (chain);

create table private.sla_counts (
  tenant_id text not null,
  shard integer not null,
  breached bigint not null default 0,
  at_risk bigint not null default 0,
  on_track bigint not null default 0
) with (fillfactor=50);
alter table private.sla_counts enable row level security;
alter table private.sla_counts add constraint sla_counts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table private.sla_counts add constraint sla_counts_pkey PRIMARY KEY (tenant_id, shard);

create table private.usage_batches (
  id uuid not null,
  at timestamp(3) with time zone not null default now()
);
alter table private.usage_batches enable row level security;
alter table private.usage_batches add constraint usage_batches_pkey PRIMARY KEY (id);
CREATE INDEX usage_batches_by_age ON private.usage_batches USING btree (at);

create table private.webhook_secrets (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  sealed text not null,
  created_at timestamp(3) with time zone not null default now(),
  expires_at timestamp(3) with time zone
);
alter table private.webhook_secrets enable row level security;
alter table private.webhook_secrets add constraint webhook_secrets_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES public.webhooks(tenant_id, id) ON DELETE CASCADE;
alter table private.webhook_secrets add constraint webhook_secrets_pkey PRIMARY KEY (id);
CREATE INDEX webhook_secrets_by_webhook ON private.webhook_secrets USING btree (tenant_id, webhook_id);
CREATE UNIQUE INDEX webhook_secrets_current ON private.webhook_secrets USING btree (webhook_id) WHERE (expires_at IS NULL);

create table private.worker_heartbeats (
  pool text not null,
  beat_at timestamp(3) with time zone not null default now()
);
alter table private.worker_heartbeats enable row level security;
alter table private.worker_heartbeats add constraint worker_heartbeats_pkey PRIMARY KEY (pool);
grant select on private.worker_heartbeats to service_role;

create table public.api_key_totals (
  api_key_id text not null,
  tenant_id text not null,
  request_count bigint not null,
  last_used_at timestamp(3) with time zone not null,
  last_used_ip inet
);
alter table public.api_key_totals enable row level security;
alter table public.api_key_totals add constraint api_key_totals_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;
alter table public.api_key_totals add constraint api_key_totals_pkey PRIMARY KEY (api_key_id);
CREATE INDEX api_key_totals_by_tenant ON public.api_key_totals USING btree (tenant_id);
create policy api_key_totals_read on public.api_key_totals as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
grant select on public.api_key_totals to authenticated;
grant select on public.api_key_totals to service_role;

create table public.api_key_usage_daily (
  api_key_id text not null,
  tenant_id text not null,
  day date not null,
  operation text not null,
  outcome text not null,
  calls bigint not null
);
alter table public.api_key_usage_daily enable row level security;
alter table public.api_key_usage_daily add constraint api_key_usage_daily_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;
alter table public.api_key_usage_daily add constraint api_key_usage_daily_pkey PRIMARY KEY (api_key_id, day, operation, outcome);
CREATE INDEX api_key_usage_daily_by_age ON public.api_key_usage_daily USING btree (day);
CREATE INDEX api_key_usage_daily_by_tenant ON public.api_key_usage_daily USING btree (tenant_id);
create policy api_key_usage_daily_read on public.api_key_usage_daily as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
grant select on public.api_key_usage_daily to authenticated;
grant select on public.api_key_usage_daily to service_role;

create table public.api_key_usage_hourly (
  api_key_id text not null,
  tenant_id text not null,
  hour timestamp with time zone not null,
  operation text not null,
  address inet not null,
  outcome text not null,
  calls bigint not null,
  last_seen_at timestamp(3) with time zone not null
);
alter table public.api_key_usage_hourly enable row level security;
alter table public.api_key_usage_hourly add constraint api_key_usage_hourly_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;
alter table public.api_key_usage_hourly add constraint api_key_usage_hourly_pkey PRIMARY KEY (api_key_id, hour, operation, address, outcome);
CREATE INDEX api_key_usage_hourly_by_age ON public.api_key_usage_hourly USING btree (hour);
CREATE INDEX api_key_usage_hourly_by_tenant ON public.api_key_usage_hourly USING btree (tenant_id);
create policy api_key_usage_hourly_read on public.api_key_usage_hourly as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
grant select on public.api_key_usage_hourly to authenticated;
grant select on public.api_key_usage_hourly to service_role;

create table public.api_keys (
  id text not null default private.new_id('key'::text),
  tenant_id text not null default private.tenant_id(),
  key_id text not null,
  name text not null,
  description text,
  scopes text[] not null,
  ip_allowlist text[] not null default '{}'::text[],
  expires_at timestamp(3) with time zone,
  grace_expires_at timestamp(3) with time zone,
  rotated_from text,
  rotated_to text,
  revoked_at timestamp(3) with time zone,
  revoked_by text,
  revoke_reason text,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default now(),
  lineage_id text not null
);
alter table public.api_keys enable row level security;
alter table public.api_keys add constraint api_keys_check CHECK (((rotated_to IS NULL) = (grace_expires_at IS NULL)));
alter table public.api_keys add constraint api_keys_description_check CHECK ((length(description) <= 1000));
alter table public.api_keys add constraint api_keys_ip_allowlist_check CHECK ((cardinality(ip_allowlist) <= 50));
alter table public.api_keys add constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120)));
alter table public.api_keys add constraint api_keys_revoke_reason_check CHECK ((length(revoke_reason) <= 500));
alter table public.api_keys add constraint api_keys_scopes_check CHECK ((cardinality(scopes) >= 1));
alter table public.api_keys add constraint api_keys_rotated_from_fkey FOREIGN KEY (rotated_from) REFERENCES public.api_keys(id);
alter table public.api_keys add constraint api_keys_rotated_to_fkey FOREIGN KEY (rotated_to) REFERENCES public.api_keys(id);
alter table public.api_keys add constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.api_keys add constraint api_keys_pkey PRIMARY KEY (id);
alter table public.api_keys add constraint api_keys_key_id_key UNIQUE (key_id);
CREATE INDEX api_keys_by_expiry ON public.api_keys USING btree (expires_at) WHERE ((revoked_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX api_keys_by_rotated_from ON public.api_keys USING btree (rotated_from) WHERE (rotated_from IS NOT NULL);
CREATE INDEX api_keys_by_rotated_to ON public.api_keys USING btree (rotated_to) WHERE (rotated_to IS NOT NULL);
CREATE INDEX api_keys_by_tenant ON public.api_keys USING btree (tenant_id, id DESC);
create policy api_keys_insert on public.api_keys as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
create policy api_keys_read on public.api_keys as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
create policy api_keys_update on public.api_keys as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
CREATE TRIGGER set_lineage BEFORE INSERT ON public.api_keys FOR EACH ROW EXECUTE FUNCTION private.set_api_key_lineage();
grant insert (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from) on public.api_keys to authenticated;
grant select on public.api_keys to authenticated;
grant update (name, description, scopes, ip_allowlist, expires_at, grace_expires_at, rotated_to, revoked_at, revoked_by, revoke_reason, updated_at) on public.api_keys to authenticated;
grant select on public.api_keys to service_role;

create table public.events (
  id text not null default private.new_id('evt'::text),
  tenant_id text not null,
  type text not null,
  at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, now()),
  data jsonb not null,
  once_key text
);
alter table public.events enable row level security;
alter table public.events add constraint events_type_check CHECK ((type ~ '^[a-z_]+(\.[a-z_]+)+$'::text));
alter table public.events add constraint events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.events add constraint events_pkey PRIMARY KEY (id);
alter table public.events add constraint events_tenant_id_type_once_key_key UNIQUE (tenant_id, type, once_key);
CREATE INDEX events_by_age ON public.events USING brin (at);
CREATE INDEX events_by_tenant ON public.events USING btree (tenant_id, id DESC);
create policy events_read on public.events as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{read:webhooks}'::text[]) AS allows)));
CREATE TRIGGER fan_out AFTER INSERT ON public.events REFERENCING NEW TABLE AS emitted FOR EACH STATEMENT EXECUTE FUNCTION private.fan_out_events();
grant select on public.events to authenticated;
grant select on public.events to service_role;

create table public.exception_history (
  id bigint not null generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamp(3) with time zone not null default now(),
  actor text not null default private.actor(),
  request_id text default NULLIF(current_setting('tieout.request_id'::text, true), ''::text),
  kind text not null,
  changes jsonb not null
);
alter table public.exception_history enable row level security;
alter table public.exception_history add constraint exception_history_kind_check CHECK ((kind = ANY (ARRAY['created'::text, 'updated'::text])));
alter table public.exception_history add constraint exception_history_pkey PRIMARY KEY (id);
CREATE INDEX exception_history_by_exception ON public.exception_history USING btree (tenant_id, exception_id, id DESC);
create policy exception_history_read on public.exception_history as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.works_with_exceptions() AS works_with_exceptions)));
CREATE TRIGGER tell AFTER INSERT ON public.exception_history REFERENCING NEW TABLE AS happened FOR EACH STATEMENT EXECUTE FUNCTION private.tell_exception_history();
grant select on public.exception_history to authenticated;
grant select on public.exception_history to service_role;

create table public.exception_ledger (
  id bigint not null generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamp(3) with time zone not null default now(),
  kind text not null,
  due_at timestamp(3) with time zone not null,
  threshold_minutes integer,
  actor text not null default private.actor(),
  request_id text default NULLIF(current_setting('tieout.request_id'::text, true), ''::text)
);
alter table public.exception_ledger enable row level security;
alter table public.exception_ledger add constraint exception_ledger_kind_check CHECK ((kind = ANY (ARRAY['set'::text, 'moved'::text, 'crossed'::text, 'resolved'::text, 'dismissed'::text, 'reopened'::text])));
alter table public.exception_ledger add constraint exception_ledger_pkey PRIMARY KEY (id);
CREATE INDEX exception_ledger_by_exception ON public.exception_ledger USING btree (tenant_id, exception_id, at, id);
CREATE INDEX exception_ledger_by_time ON public.exception_ledger USING btree (tenant_id, at);
create policy exception_ledger_read on public.exception_ledger as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.works_with_exceptions() AS works_with_exceptions)));
grant select on public.exception_ledger to authenticated;
grant select on public.exception_ledger to service_role;

create table public.exceptions (
  id text not null default private.new_id('exc'::text),
  tenant_id text not null default private.tenant_id(),
  title text not null,
  severity text not null,
  assigned_to text,
  due_at timestamp(3) with time zone not null,
  status text not null default 'open'::text,
  reason_code text,
  amount_minor bigint,
  currency text,
  reconciliation_id text,
  details jsonb not null default '{}'::jsonb,
  resolution text,
  created_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, now()),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, now()),
  closed_at timestamp(3) with time zone,
  severity_rank smallint not null generated always as (
CASE severity
    WHEN 'critical'::text THEN 0
    WHEN 'high'::text THEN 1
    WHEN 'medium'::text THEN 2
    ELSE 3
END) stored,
  due_from_policy boolean not null default false
);
alter table public.exceptions enable row level security;
alter table public.exceptions add constraint exceptions_amount_minor_check CHECK ((amount_minor >= 0));
alter table public.exceptions add constraint exceptions_assigned_to_check CHECK ((assigned_to ~ '^user:[^[:space:]]{1,120}$'::text));
alter table public.exceptions add constraint exceptions_check CHECK (((amount_minor IS NULL) = (currency IS NULL)));
alter table public.exceptions add constraint exceptions_check1 CHECK (((status = ANY (ARRAY['resolved'::text, 'dismissed'::text])) = (resolution IS NOT NULL)));
alter table public.exceptions add constraint exceptions_check2 CHECK (((status = ANY (ARRAY['resolved'::text, 'dismissed'::text])) = (closed_at IS NOT NULL)));
alter table public.exceptions add constraint exceptions_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
alter table public.exceptions add constraint exceptions_details_check CHECK (((jsonb_typeof(details) = 'object'::text) AND (octet_length((details)::text) <= 24576)));
alter table public.exceptions add constraint exceptions_reason_code_check CHECK (((length(reason_code) >= 1) AND (length(reason_code) <= 64)));
alter table public.exceptions add constraint exceptions_resolution_check CHECK (((length(resolution) >= 1) AND (length(resolution) <= 1000)));
alter table public.exceptions add constraint exceptions_severity_check CHECK ((severity = ANY (ARRAY['critical'::text, 'high'::text, 'medium'::text, 'low'::text])));
alter table public.exceptions add constraint exceptions_status_check CHECK ((status = ANY (ARRAY['open'::text, 'in_review'::text, 'resolved'::text, 'dismissed'::text])));
alter table public.exceptions add constraint exceptions_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200)));
alter table public.exceptions add constraint exceptions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.exceptions add constraint exceptions_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.exceptions add constraint exceptions_pkey PRIMARY KEY (id);
alter table public.exceptions add constraint exceptions_tenant_id_id_key UNIQUE (tenant_id, id);
CREATE INDEX exceptions_by_assignee ON public.exceptions USING btree (tenant_id, COALESCE(('0'::text || assigned_to), '1'::text), due_at, id) WHERE (status = ANY (ARRAY['open'::text, 'in_review'::text]));
CREATE INDEX exceptions_by_deadline ON public.exceptions USING btree (tenant_id, due_at, id) WHERE (status = ANY (ARRAY['open'::text, 'in_review'::text]));
CREATE INDEX exceptions_by_reconciliation ON public.exceptions USING btree (tenant_id, reconciliation_id) WHERE (reconciliation_id IS NOT NULL);
CREATE INDEX exceptions_by_severity ON public.exceptions USING btree (tenant_id, severity_rank, due_at, id) WHERE (status = ANY (ARRAY['open'::text, 'in_review'::text]));
CREATE INDEX exceptions_in_review ON public.exceptions USING btree (tenant_id, due_at, id) WHERE (status = 'in_review'::text);
CREATE INDEX exceptions_of_assignee ON public.exceptions USING btree (tenant_id, assigned_to, id) WHERE (assigned_to IS NOT NULL);
CREATE INDEX exceptions_open_by_reconciliation ON public.exceptions USING btree (tenant_id, reconciliation_id) WHERE ((reconciliation_id IS NOT NULL) AND (status = ANY (ARRAY['open'::text, 'in_review'::text])));
create policy exceptions_insert on public.exceptions as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin,tenant_analyst,tenant_lead}'::text[], '{write:exceptions}'::text[]) AS allows)));
create policy exceptions_read on public.exceptions as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.works_with_exceptions() AS works_with_exceptions)));
create policy exceptions_update on public.exceptions as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin,tenant_analyst,tenant_lead}'::text[], '{write:exceptions}'::text[]) AS allows)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
CREATE TRIGGER clock_inserted AFTER INSERT ON public.exceptions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.clock_inserted_exceptions();
CREATE TRIGGER clock_updated AFTER UPDATE ON public.exceptions REFERENCING OLD TABLE AS before_update NEW TABLE AS after_update FOR EACH STATEMENT EXECUTE FUNCTION private.clock_updated_exceptions();
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON public.exceptions FOR EACH ROW EXECUTE FUNCTION private.guard_exception();
CREATE TRIGGER history_inserted AFTER INSERT ON public.exceptions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.record_inserted_exceptions();
CREATE TRIGGER history_updated AFTER UPDATE ON public.exceptions REFERENCING OLD TABLE AS before_update NEW TABLE AS after_update FOR EACH STATEMENT EXECUTE FUNCTION private.record_updated_exceptions();
grant insert (title, severity, assigned_to, due_at, status, reason_code, amount_minor, currency, reconciliation_id, details, due_from_policy) on public.exceptions to authenticated;
grant select on public.exceptions to authenticated;
grant update (title, severity, assigned_to, due_at, status, reason_code, amount_minor, currency, reconciliation_id, details, resolution, due_from_policy) on public.exceptions to authenticated;
grant select on public.exceptions to service_role;

create table public.first_steps_dismissals (
  tenant_id text not null default private.tenant_id(),
  principal_id text not null default (auth.jwt() ->> 'principal_id'::text),
  dismissed_at timestamp(3) with time zone not null default now()
);
alter table public.first_steps_dismissals enable row level security;
alter table public.first_steps_dismissals add constraint first_steps_dismissals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.first_steps_dismissals add constraint first_steps_dismissals_pkey PRIMARY KEY (tenant_id, principal_id);
create policy first_steps_dismissals_delete on public.first_steps_dismissals as permissive for delete to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (principal_id = (( SELECT auth.jwt() AS jwt) ->> 'principal_id'::text)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
create policy first_steps_dismissals_insert on public.first_steps_dismissals as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (principal_id = (( SELECT auth.jwt() AS jwt) ->> 'principal_id'::text)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
create policy first_steps_dismissals_read on public.first_steps_dismissals as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (principal_id = (( SELECT auth.jwt() AS jwt) ->> 'principal_id'::text)) AND ( SELECT private.is_tenant_admin() AS is_tenant_admin)));
grant delete on public.first_steps_dismissals to authenticated;
grant insert (tenant_id, principal_id) on public.first_steps_dismissals to authenticated;
grant select on public.first_steps_dismissals to authenticated;

create table public.reconciliations (
  id text not null default private.new_id('rcn'::text),
  tenant_id text not null default private.tenant_id(),
  name text not null,
  status text not null default 'open'::text,
  period_start date not null,
  period_end date not null,
  left_source text not null,
  right_source text not null,
  matched_count bigint not null default 0,
  unmatched_count bigint not null default 0,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default now()
);
alter table public.reconciliations enable row level security;
alter table public.reconciliations add constraint reconciliations_check CHECK ((period_end >= period_start));
alter table public.reconciliations add constraint reconciliations_matched_count_check CHECK ((matched_count >= 0));
alter table public.reconciliations add constraint reconciliations_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
alter table public.reconciliations add constraint reconciliations_status_check CHECK ((status = ANY (ARRAY['open'::text, 'in_progress'::text, 'completed'::text, 'archived'::text])));
alter table public.reconciliations add constraint reconciliations_unmatched_count_check CHECK ((unmatched_count >= 0));
alter table public.reconciliations add constraint reconciliations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.reconciliations add constraint reconciliations_pkey PRIMARY KEY (id);
alter table public.reconciliations add constraint reconciliations_tenant_id_id_key UNIQUE (tenant_id, id);
CREATE INDEX reconciliations_by_tenant ON public.reconciliations USING btree (tenant_id, id DESC);
create policy reconciliations_insert on public.reconciliations as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin,tenant_lead}'::text[], '{write:reconciliations}'::text[]) AS allows)));
create policy reconciliations_read on public.reconciliations as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.works_with_exceptions() AS works_with_exceptions)));
create policy reconciliations_update on public.reconciliations as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin,tenant_lead}'::text[], '{write:reconciliations}'::text[]) AS allows)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON public.reconciliations FOR EACH ROW EXECUTE FUNCTION private.guard_reconciliation();
grant insert (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count) on public.reconciliations to authenticated;
grant select on public.reconciliations to authenticated;
grant update (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count) on public.reconciliations to authenticated;
grant select on public.reconciliations to service_role;

create table public.records (
  id text not null default private.new_id('rec'::text),
  tenant_id text not null default private.tenant_id(),
  surface text not null,
  data jsonb not null,
  version bigint not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone,
  operation text generated always as ((data ->> 'operation'::text)) stored,
  published boolean not null generated always as (COALESCE(((data -> 'published'::text) = 'true'::jsonb), false)) stored,
  search tsvector not null generated always as (private.record_search(tenant_id, surface, data)) stored
);
alter table public.records enable row level security;
alter table public.records add constraint records_data_check CHECK (((jsonb_typeof(data) = 'object'::text) AND (NOT (data ?| '{id,tenant_id,created_at,created_by,updated_at,soft_delete,deleted_at,purge_at}'::text[]))));
alter table public.records add constraint records_operation_check CHECK ((length(operation) <= 200));
alter table public.records add constraint records_surface_check CHECK ((surface ~ '^[a-z][a-z0-9-]{0,62}$'::text));
alter table public.records add constraint records_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.records add constraint records_pkey PRIMARY KEY (id);
CREATE INDEX records_by_deletion ON public.records USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX records_by_operation ON public.records USING btree (tenant_id, surface, operation, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX records_by_surface ON public.records USING btree (tenant_id, surface, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX records_by_update ON public.records USING btree (tenant_id, surface, updated_at) WHERE (deleted_at IS NULL);
CREATE INDEX records_by_words ON public.records USING gin (search);
CREATE INDEX records_deleted ON public.records USING btree (tenant_id, surface, id DESC) WHERE (deleted_at IS NOT NULL);
CREATE INDEX records_published ON public.records USING btree (tenant_id, surface, id DESC) WHERE (published AND (deleted_at IS NULL));
create policy records_insert on public.records as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (deleted_at IS NULL) AND (( SELECT private.allows('{tenant_admin,tenant_lead}'::text[], '{}'::text[]) AS allows) OR (surface = ANY (( SELECT private.scoped_surfaces('{write}'::text[]) AS scoped_surfaces)::text[])))));
create policy records_read on public.records as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.allows('{tenant_admin,tenant_analyst,tenant_lead}'::text[], '{}'::text[]) AS allows) OR (surface = ANY (( SELECT private.scoped_surfaces('{read,write}'::text[]) AS scoped_surfaces)::text[]))) AND ((deleted_at IS NULL) OR ( SELECT private.allows('{tenant_admin}'::text[], '{}'::text[]) AS allows))));
create policy records_read_published on public.records as permissive for select to anon
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (( SELECT private.principal_type() AS principal_type) = 'publishable_key'::text) AND private.is_public_surface(surface) AND published AND (deleted_at IS NULL)));
create policy records_update on public.records as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (deleted_at IS NULL) AND (( SELECT private.allows('{tenant_admin,tenant_lead}'::text[], '{}'::text[]) AS allows) OR (surface = ANY (( SELECT private.scoped_surfaces('{write}'::text[]) AS scoped_surfaces)::text[])))))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
CREATE TRIGGER guard_purge BEFORE DELETE ON public.records FOR EACH ROW EXECUTE FUNCTION private.guard_record_purge();
CREATE TRIGGER guard_update BEFORE UPDATE ON public.records FOR EACH ROW EXECUTE FUNCTION private.guard_record_update();
grant select on public.records to anon;
grant insert (surface, data) on public.records to authenticated;
grant select on public.records to authenticated;
grant update (data) on public.records to authenticated;
grant select on public.records to service_role;

create table public.security_events (
  id text not null default private.new_id('sev'::text),
  tenant_id text,
  at timestamp(3) with time zone not null default now(),
  type text not null,
  actor text not null,
  operation text,
  target text,
  address inet,
  request_id text,
  reason text,
  details jsonb not null default '{}'::jsonb,
  credential text not null,
  home_tenant_id text,
  cross_tenant boolean not null default false,
  seq bigint,
  prev_hash text,
  hash text
);
alter table public.security_events enable row level security;
alter table public.security_events add constraint security_events_type_check CHECK ((type ~ '^[a-z_]+(\.[a-z_]+)+$'::text));
alter table public.security_events add constraint security_events_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.security_events add constraint security_events_pkey PRIMARY KEY (id);
CREATE INDEX security_events_across ON public.security_events USING btree (tenant_id, at, seq) WHERE ((seq IS NOT NULL) AND cross_tenant);
CREATE INDEX security_events_by_actor ON public.security_events USING btree (tenant_id, actor, at, seq) WHERE (seq IS NOT NULL);
CREATE INDEX security_events_by_target ON public.security_events USING btree (tenant_id, target, at, seq) WHERE ((seq IS NOT NULL) AND (target IS NOT NULL));
CREATE INDEX security_events_by_time ON public.security_events USING btree (tenant_id, at, seq) WHERE (seq IS NOT NULL);
CREATE INDEX security_events_by_type ON public.security_events USING btree (tenant_id, type, at, seq) WHERE (seq IS NOT NULL);
CREATE UNIQUE INDEX security_events_chain ON public.security_events USING btree (COALESCE(tenant_id, '*'::text), seq) WHERE (seq IS NOT NULL);
CREATE INDEX security_events_unchained ON public.security_events USING btree (id) WHERE (seq IS NULL);
create policy security_events_read on public.security_events as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{}'::text[]) AS allows)));
CREATE CONSTRAINT TRIGGER security_events_chain AFTER INSERT ON public.security_events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.chain_security_event(); -- enabled: A
CREATE TRIGGER security_events_complete BEFORE INSERT ON public.security_events FOR EACH ROW EXECUTE FUNCTION private.complete_security_event(); -- enabled: A
CREATE TRIGGER security_events_guard BEFORE DELETE OR UPDATE ON public.security_events FOR EACH ROW EXECUTE FUNCTION private.guard_security_events(); -- enabled: A
CREATE TRIGGER security_events_guard_truncate BEFORE TRUNCATE ON public.security_events FOR EACH STATEMENT EXECUTE FUNCTION private.guard_security_events(); -- enabled: A
grant select on public.security_events to authenticated;
grant select on public.security_events to service_role;

create table public.sla_policies (
  tenant_id text not null,
  critical_minutes integer not null default 240,
  high_minutes integer not null default 480,
  medium_minutes integer not null default 1440,
  low_minutes integer not null default 4320,
  at_risk_thresholds integer[] not null default '{240,60}'::integer[],
  updated_at timestamp(3) with time zone not null default now(),
  updated_by text not null default private.actor(),
  version integer not null default 1
);
alter table public.sla_policies enable row level security;
alter table public.sla_policies add constraint sla_policies_at_risk_thresholds_check CHECK ((((cardinality(at_risk_thresholds) >= 1) AND (cardinality(at_risk_thresholds) <= 10)) AND (0 < ALL (at_risk_thresholds)) AND (525600 >= ALL (at_risk_thresholds))));
alter table public.sla_policies add constraint sla_policies_critical_minutes_check CHECK (((critical_minutes >= 1) AND (critical_minutes <= 525600)));
alter table public.sla_policies add constraint sla_policies_high_minutes_check CHECK (((high_minutes >= 1) AND (high_minutes <= 525600)));
alter table public.sla_policies add constraint sla_policies_low_minutes_check CHECK (((low_minutes >= 1) AND (low_minutes <= 525600)));
alter table public.sla_policies add constraint sla_policies_medium_minutes_check CHECK (((medium_minutes >= 1) AND (medium_minutes <= 525600)));
alter table public.sla_policies add constraint sla_policies_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.sla_policies add constraint sla_policies_pkey PRIMARY KEY (tenant_id);
create policy sla_policies_read on public.sla_policies as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.works_with_exceptions() AS works_with_exceptions)));
create policy sla_policies_update on public.sla_policies as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin,tenant_lead}'::text[], '{}'::text[]) AS allows)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
grant select on public.sla_policies to authenticated;
grant update (critical_minutes, high_minutes, medium_minutes, low_minutes, at_risk_thresholds, updated_at, updated_by, version) on public.sla_policies to authenticated;
grant select on public.sla_policies to service_role;

create table public.tenants (
  id text not null,
  name text not null,
  created_at timestamp(3) with time zone not null default now(),
  security_event_retention_days integer not null default 400
);
alter table public.tenants enable row level security;
alter table public.tenants add constraint tenants_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text));
alter table public.tenants add constraint tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 120)));
alter table public.tenants add constraint tenants_security_event_retention_days_check CHECK (((security_event_retention_days >= 30) AND (security_event_retention_days <= 3660)));
alter table public.tenants add constraint tenants_pkey PRIMARY KEY (id);
create policy tenants_read on public.tenants as permissive for select to anon, authenticated
  using ((id = ( SELECT private.tenant_id() AS tenant_id)));
grant select on public.tenants to anon;
grant select on public.tenants to authenticated;
grant select on public.tenants to service_role;

create table public.webhook_answer_times (
  webhook_id text not null,
  tenant_id text not null,
  hour timestamp with time zone not null,
  succeeded boolean not null,
  bucket smallint not null,
  attempts bigint not null
);
alter table public.webhook_answer_times enable row level security;
alter table public.webhook_answer_times add constraint webhook_answer_times_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;
alter table public.webhook_answer_times add constraint webhook_answer_times_pkey PRIMARY KEY (webhook_id, hour, succeeded, bucket);
CREATE INDEX webhook_answer_times_by_age ON public.webhook_answer_times USING btree (hour);
CREATE INDEX webhook_answer_times_by_tenant ON public.webhook_answer_times USING btree (tenant_id);
create policy webhook_answer_times_read on public.webhook_answer_times as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{read:webhooks,write:webhooks}'::text[]) AS allows)));
grant select on public.webhook_answer_times to authenticated;
grant select on public.webhook_answer_times to service_role;

create table public.webhook_attempts (
  id bigint not null generated by default as identity,
  tenant_id text not null,
  delivery_id text not null,
  number integer not null,
  cause text not null,
  status text not null default 'in_flight'::text,
  failure_kind text,
  started_at timestamp(3) with time zone not null default now(),
  duration_ms integer,
  status_code integer,
  detail text,
  response_headers jsonb,
  response_body text,
  response_truncated boolean
);
alter table public.webhook_attempts enable row level security;
alter table public.webhook_attempts add constraint webhook_attempts_cause_check CHECK ((cause = ANY (ARRAY['event'::text, 'retry'::text, 'resend'::text, 'recover'::text])));
alter table public.webhook_attempts add constraint webhook_attempts_check CHECK (((status = 'failed'::text) = (failure_kind IS NOT NULL)));
alter table public.webhook_attempts add constraint webhook_attempts_failure_kind_check CHECK ((failure_kind = ANY (ARRAY['signature_failed'::text, 'stale_secret'::text, 'timeout'::text, 'connection_failed'::text, 'blocked_address'::text, 'http_error'::text])));
alter table public.webhook_attempts add constraint webhook_attempts_status_check CHECK ((status = ANY (ARRAY['in_flight'::text, 'succeeded'::text, 'failed'::text, 'interrupted'::text])));
alter table public.webhook_attempts add constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries(id) ON DELETE CASCADE;
alter table public.webhook_attempts add constraint webhook_attempts_pkey PRIMARY KEY (id);
alter table public.webhook_attempts add constraint webhook_attempts_delivery_id_number_key UNIQUE (delivery_id, number);
CREATE INDEX webhook_attempts_by_tenant ON public.webhook_attempts USING btree (tenant_id);
create policy webhook_attempts_read on public.webhook_attempts as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{read:webhooks,write:webhooks}'::text[]) AS allows)));
grant select on public.webhook_attempts to authenticated;
grant select on public.webhook_attempts to service_role;

create table public.webhook_deliveries (
  id text not null default private.new_id('dlv'::text),
  tenant_id text not null,
  webhook_id text not null,
  event_id text not null,
  type text not null,
  status text not null,
  failure_kind text,
  cause text not null default 'event'::text,
  attempt_count integer not null default 0,
  failure_count integer not null default 0,
  next_attempt_at timestamp with time zone,
  lease bigint,
  created_at timestamp(3) with time zone not null default now(),
  delivered_at timestamp(3) with time zone
);
alter table public.webhook_deliveries enable row level security;
alter table public.webhook_deliveries add constraint webhook_deliveries_cause_check CHECK ((cause = ANY (ARRAY['event'::text, 'retry'::text, 'resend'::text, 'recover'::text])));
alter table public.webhook_deliveries add constraint webhook_deliveries_check CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL)));
alter table public.webhook_deliveries add constraint webhook_deliveries_check1 CHECK (((lease IS NULL) OR (status = 'pending'::text)));
alter table public.webhook_deliveries add constraint webhook_deliveries_check2 CHECK (((status = 'failed'::text) = (failure_kind IS NOT NULL)));
alter table public.webhook_deliveries add constraint webhook_deliveries_failure_kind_check CHECK ((failure_kind = ANY (ARRAY['retries_exhausted'::text, 'webhook_disabled'::text])));
alter table public.webhook_deliveries add constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])));
alter table public.webhook_deliveries add constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
alter table public.webhook_deliveries add constraint webhook_deliveries_tenant_id_webhook_id_fkey FOREIGN KEY (tenant_id, webhook_id) REFERENCES public.webhooks(tenant_id, id) ON DELETE CASCADE;
alter table public.webhook_deliveries add constraint webhook_deliveries_pkey PRIMARY KEY (id);
alter table public.webhook_deliveries add constraint webhook_deliveries_event_id_webhook_id_key UNIQUE (event_id, webhook_id);
CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING brin (created_at);
CREATE INDEX webhook_deliveries_by_webhook ON public.webhook_deliveries USING btree (tenant_id, webhook_id, id DESC);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX webhook_deliveries_leased ON public.webhook_deliveries USING btree (lease) WHERE (lease IS NOT NULL);
CREATE INDEX webhook_deliveries_missed ON public.webhook_deliveries USING btree (webhook_id, id DESC) WHERE (status = 'failed'::text);
CREATE INDEX webhook_deliveries_under_way ON public.webhook_deliveries USING btree (tenant_id, webhook_id) INCLUDE (next_attempt_at) WHERE (lease IS NOT NULL);
create policy webhook_deliveries_read on public.webhook_deliveries as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{read:webhooks,write:webhooks}'::text[]) AS allows)));
grant select on public.webhook_deliveries to authenticated;
grant select on public.webhook_deliveries to service_role;

create table public.webhooks (
  id text not null default private.new_id('whk'::text),
  tenant_id text not null default private.tenant_id(),
  url text not null,
  description text,
  events text[] not null,
  status text not null default 'active'::text,
  disabled_at timestamp(3) with time zone,
  disabled_by text,
  disabled_reason text,
  disabled_detail text,
  secret_changed_at timestamp(3) with time zone,
  previous_secret_expires_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  last_success_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default now(),
  deleted_at timestamp(3) with time zone
);
alter table public.webhooks enable row level security;
alter table public.webhooks add constraint webhooks_check CHECK (((status = 'disabled'::text) = (disabled_at IS NOT NULL)));
alter table public.webhooks add constraint webhooks_check1 CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL)));
alter table public.webhooks add constraint webhooks_description_check CHECK ((length(description) <= 1000));
alter table public.webhooks add constraint webhooks_disabled_detail_check CHECK ((length(disabled_detail) <= 500));
alter table public.webhooks add constraint webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['manual'::text, 'failing'::text, 'gone'::text])));
alter table public.webhooks add constraint webhooks_events_check CHECK (((cardinality(events) >= 1) AND (cardinality(events) <= 50)));
alter table public.webhooks add constraint webhooks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'disabled'::text])));
alter table public.webhooks add constraint webhooks_url_check CHECK (((length(url) <= 2048) AND (url ~ '^https?://'::text)));
alter table public.webhooks add constraint webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.webhooks add constraint webhooks_pkey PRIMARY KEY (id);
alter table public.webhooks add constraint webhooks_tenant_id_id_key UNIQUE (tenant_id, id);
CREATE INDEX webhooks_by_tenant ON public.webhooks USING btree (tenant_id, id DESC) WHERE (deleted_at IS NULL);
create policy webhooks_insert on public.webhooks as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{write:webhooks}'::text[]) AS allows)));
create policy webhooks_read on public.webhooks as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{read:webhooks,write:webhooks}'::text[]) AS allows)));
create policy webhooks_update on public.webhooks as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.allows('{tenant_admin}'::text[], '{write:webhooks}'::text[]) AS allows)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
grant insert (url, description, events) on public.webhooks to authenticated;
grant select on public.webhooks to authenticated;
grant update (url, description, events, status, disabled_at, disabled_by, disabled_reason, disabled_detail, secret_changed_at, previous_secret_expires_at, failing_since, updated_at, deleted_at) on public.webhooks to authenticated;
grant select on public.webhooks to service_role;

CREATE OR REPLACE FUNCTION private.actor()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN COALESCE((auth.jwt() ->> 'actor'::text), 'system'::text);
grant execute on function private.actor() to anon;
grant execute on function private.actor() to authenticated;
grant execute on function private.actor() to service_role;

CREATE OR REPLACE FUNCTION private.admit_member(tenant_id text, email text, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  account auth.users;
  claims jsonb;
  tenants jsonb;
begin
  if not exists (select from public.tenants t where t.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  end if;
  select * into account from auth.users u where lower(u.email) = lower($2) and u.deleted_at is null for no key update;
  if not found then
    perform private.refuse('not_found', format('Nobody of Supabase Auth has the address %s. Create the account there first.', $2));
  end if;
  claims := coalesce(account.raw_app_meta_data, '{}');
  if jsonb_typeof(claims -> 'tenants') = 'array' then
    claims := claims - 'roles' || jsonb_build_object('tenants', coalesce((
      select jsonb_object_agg(t, coalesce(claims -> 'roles', '[]')) from jsonb_array_elements_text(claims -> 'tenants') t
    ), '{}'));
  end if;
  tenants := case jsonb_typeof(claims -> 'tenants') when 'object' then claims -> 'tenants' else '{}' end;
  update auth.users u set raw_app_meta_data = claims || jsonb_build_object('tenants', tenants || jsonb_build_object($1, to_jsonb($3)))
  where u.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system', 'target', 'user:' || split_part(account.email, '@', 1),
    'details', jsonb_build_object('roles', jsonb_build_object('from', coalesce(tenants -> $1, '[]'), 'to', to_jsonb($3)))
  ));
end $function$;

CREATE OR REPLACE FUNCTION private.advance_clocks(ids text[], shard integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved record;
  crossed record;
begin
  with old as (
    select c.exception_id, c.tenant_id, c.due_at, c.position from private.exception_clocks c
    where c.exception_id = any (ids) and c.next_at <= now()
    order by c.exception_id for update
  ), boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct tenant_id from old))
  ), fresh as (
    select o.*, b.position as new_position, b.next_boundary
    from old o cross join lateral (
      select coalesce(min(boundary) filter (where o.due_at - make_interval(mins => boundary) <= now()), private.no_boundary()) as position,
        max(boundary) filter (where o.due_at - make_interval(mins => boundary) > now()) as next_boundary
      from boundaries where tenant_id = o.tenant_id
    ) b
  ), written as (
    update private.exception_clocks c
    set position = f.new_position, next_at = f.due_at - make_interval(mins => f.next_boundary)
    from fresh f where c.exception_id = f.exception_id
  )
  select
    array_agg(f.exception_id) as ids, array_agg(f.tenant_id) as tenants,
    array_agg(f.position) as old_positions, array_agg(f.new_position) as new_positions, array_agg(f.due_at) as due_ats
  into moved from fresh f;
  if moved.ids is null then
    return;
  end if;
  perform private.count_positions(shard, moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
  select array_agg(m.exception_id) as ids, array_agg(b.boundary) as boundaries, array_agg(m.due_at) as due_ats into crossed
  from unnest(moved.ids, moved.tenants, moved.old_positions, moved.new_positions, moved.due_ats)
    as m (exception_id, tenant_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) b
    on b.tenant_id = m.tenant_id and b.announced and b.boundary < m.old_position and b.boundary >= m.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.ids, crossed.boundaries, crossed.due_ats);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.allows(roles text[], scopes text[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN CASE private.principal_type() WHEN 'user'::text THEN COALESCE(((auth.jwt() -> 'roles'::text) ?| roles), false) WHEN 'api_key'::text THEN COALESCE(((auth.jwt() -> 'scopes'::text) ?| scopes), false) WHEN 'service_role'::text THEN true ELSE false END;
grant execute on function private.allows(text[],text[]) to anon;
grant execute on function private.allows(text[],text[]) to authenticated;
grant execute on function private.allows(text[],text[]) to service_role;

CREATE OR REPLACE FUNCTION private.announce_crossings(ids text[], boundaries integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  with crossed as (
    select e, e.id as exception_id, e.tenant_id, c.boundary, c.due_at
    from unnest(ids, boundaries, due_ats) as c (exception_id, boundary, due_at)
    join public.exceptions e on e.id = c.exception_id
  ), announced as materialized (
    select b.tenant_id, b.boundary, lead(b.boundary) over (partition by b.tenant_id order by b.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) b where b.announced
  ), crossing as materialized (
    select c.*, a.next_boundary, concat_ws(':', c.exception_id, private.iso(c.due_at), c.boundary) as once_key
    from crossed c left join announced a on a.tenant_id = c.tenant_id and a.boundary = c.boundary
  ), told as (
    insert into public.events (tenant_id, type, data, once_key)
    select x.tenant_id, case when x.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(x.e), 'due_at', private.iso(x.due_at))
        || case when x.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', x.boundary, 'next_threshold_minutes', x.next_boundary) end,
      x.once_key
    from crossing x
    order by x.due_at - make_interval(mins => x.boundary)
    on conflict on constraint events_tenant_id_type_once_key_key do nothing
    returning once_key
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, actor, request_id)
  select x.tenant_id, x.exception_id, now(), 'crossed', x.due_at, x.boundary, 'system', null
  from crossing x join told t on t.once_key = x.once_key
  order by x.due_at - make_interval(mins => x.boundary);
$function$;

CREATE OR REPLACE FUNCTION private.announce_expiring_api_keys()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  announced integer := 0;
  k record;
begin
  for k in
    select a.id, a.tenant_id, a.name, a.key_id, a.expires_at,
      (select min(d) from unnest('{1,3,14}'::integer[]) d where a.expires_at <= now() + make_interval(days => d)) as days
    from public.api_keys a
    where a.revoked_at is null and a.rotated_to is null and a.expires_at > now() and a.expires_at <= now() + interval '14 days'
  loop
    perform private.emit(k.tenant_id, 'api_key.expiring',
      jsonb_build_object('id', k.id, 'name', k.name, 'key_id', k.key_id, 'expires_at', private.iso(k.expires_at), 'days_before', k.days),
      format('%s:%s:%s', k.id, private.iso(k.expires_at), k.days));
    announced := announced + 1;
  end loop;
  return announced;
end $function$;
grant execute on function private.announce_expiring_api_keys() to service_role;

CREATE OR REPLACE FUNCTION private.api_key_json(k public.api_keys)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'id', k.id, 'name', k.name, 'description', k.description, 'key_id', k.key_id, 'scopes', k.scopes,
    'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'created_at', private.iso(k.created_at),
    'created_by', k.created_by,
    'status', case
      when k.revoked_at is not null or k.grace_expires_at <= now() then 'revoked'
      when k.expires_at <= now() then 'expired'
      when k.rotated_to is not null then 'rotating'
      else 'active'
    end,
    'last_used_at', private.iso(t.last_used_at), 'request_count', coalesce(t.request_count, 0), 'last_used_ip', host(t.last_used_ip),
    'grace_expires_at', private.iso(k.grace_expires_at), 'rotated_from', k.rotated_from, 'rotated_to', k.rotated_to,
    'revoked_at', private.iso(coalesce(k.revoked_at, case when k.grace_expires_at <= now() then k.grace_expires_at end)),
    'revoked_by', coalesce(k.revoked_by, case when k.grace_expires_at <= now() then 'system' end),
    'revoke_reason', coalesce(k.revoke_reason, case when k.grace_expires_at <= now() then 'The grace period of its rotation elapsed.' end),
    'rotation_recommended_at', private.iso(k.created_at + interval '90 days'),
    'as_of', private.iso(now()),
    'operations_used', coalesce((
      select jsonb_agg(distinct u.operation) from public.api_key_usage_daily u
      where u.api_key_id = k.id and u.outcome like 'accepted%' and u.day > (now() at time zone 'UTC')::date - 30
    ), '[]'),
    'calls_by_day', (
      select jsonb_agg(coalesce(u.calls, 0) order by ago.days desc)
      from generate_series(0, 6) as ago (days)
      left join lateral (
        select sum(d.calls) as calls from public.api_key_usage_daily d
        where d.api_key_id = k.id and d.day = (now() at time zone 'UTC')::date - ago.days and d.outcome like 'accepted%'
      ) u on true
    )
  )
  from (select) one left join public.api_key_totals t on t.api_key_id = k.id;
$function$;
grant execute on function private.api_key_json(public.api_keys) to authenticated;

CREATE OR REPLACE FUNCTION private.api_key_version(k public.api_keys)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select private.version_of(jsonb_build_array(
    k.name, k.description, k.scopes, k.ip_allowlist, private.iso(k.expires_at), k.rotated_to, private.iso(k.grace_expires_at),
    private.iso(k.revoked_at)
  ));
$function$;
grant execute on function private.api_key_version(public.api_keys) to authenticated;

CREATE OR REPLACE FUNCTION private.append_security_event(event jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into public.security_events
    (tenant_id, type, actor, credential, home_tenant_id, cross_tenant, operation, target, address, request_id, reason, details)
  values (
    event ->> 'tenant_id', event ->> 'type', event ->> 'actor', event ->> 'credential', event ->> 'home_tenant_id',
    coalesce((event ->> 'cross_tenant')::boolean, false), event ->> 'operation', event ->> 'target', (event ->> 'address')::inet,
    event ->> 'request_id', event ->> 'reason', coalesce(nullif(event -> 'details', 'null'), '{}')
  );
$function$;

CREATE OR REPLACE FUNCTION private.attempt_json(a public.webhook_attempts)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN jsonb_build_object('number', (a).number, 'cause', (a).cause, 'status', (a).status, 'failure_kind', (a).failure_kind, 'detail', (a).detail, 'started_at', private.iso((a).started_at), 'duration_ms', (a).duration_ms, 'status_code', (a).status_code);
grant execute on function private.attempt_json(public.webhook_attempts) to authenticated;

CREATE OR REPLACE FUNCTION private.beat(pool text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into private.worker_heartbeats (pool) values ($1)
  on conflict on constraint worker_heartbeats_pkey do update set beat_at = now();
$function$;
grant execute on function private.beat(text) to service_role;

CREATE OR REPLACE FUNCTION private.bin_record(id text)
 RETURNS public.records
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.records;
begin
  update public.records x set deleted_at = now()
  where x.id = $1 and x.tenant_id = private.tenant_id() and x.deleted_at is null
    and private.allows('{tenant_admin,tenant_lead}', array['write:' || x.surface])
  returning * into r;
  return r;
end $function$;
grant execute on function private.bin_record(text) to authenticated;

CREATE OR REPLACE FUNCTION private.breach_risk(minutes_to_breach bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN CASE WHEN (minutes_to_breach <= 0) THEN 'breached'::text WHEN (minutes_to_breach < 60) THEN 'high'::text WHEN (minutes_to_breach <= 240) THEN 'medium'::text ELSE 'low'::text END;
grant execute on function private.breach_risk(bigint) to authenticated;

CREATE OR REPLACE FUNCTION private.bury_silent_pools()
 RETURNS SETOF text
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.worker_heartbeats where beat_at < now() - interval '30 seconds' returning pool;
$function$;
grant execute on function private.bury_silent_pools() to service_role;

CREATE OR REPLACE FUNCTION private.chain_security_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  own_chain constant text := coalesce(new.tenant_id, '*');
  head private.security_event_heads;
  e public.security_events;
begin
  select * into head from private.security_event_heads h where h.chain = own_chain for no key update;
  if not found then
    insert into private.security_event_heads (chain) values (own_chain) on conflict do nothing;
    select * into head from private.security_event_heads h where h.chain = own_chain for no key update;
  end if;
  select * into e from public.security_events s where s.id = new.id;
  e.seq := head.seq + 1;
  e.prev_hash := head.hash;
  e.hash := private.security_event_hash(e);
  update public.security_events s set seq = e.seq, prev_hash = e.prev_hash, hash = e.hash where s.id = e.id;
  update private.security_event_heads h set seq = e.seq, hash = e.hash where h.chain = own_chain;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.chain_state(chain text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN jsonb_build_object('chain', chain, 'as_of', private.iso(now()), 'head', (SELECT jsonb_build_object('seq', h.seq, 'hash', h.hash) AS jsonb_build_object FROM private.security_event_heads h WHERE ((h.chain = chain_state.chain) AND (h.seq > 0))), 'unchained', (SELECT min(e.id) AS min FROM public.security_events e WHERE ((COALESCE(e.tenant_id, '*'::text) = chain_state.chain) AND ((e.seq IS NULL) OR (e.seq < 1) OR (e.seq > COALESCE((SELECT h.seq FROM private.security_event_heads h WHERE (h.chain = chain_state.chain)), (0)::bigint))))), 'checkpoints', (SELECT COALESCE(jsonb_agg(jsonb_build_object('kind', c.kind, 'seq', c.seq, 'hash', c.hash, 'at', private.iso(c.at), 'key_id', c.key_id, 'signature', c.signature) ORDER BY c.seq), '[]'::jsonb) AS "coalesce" FROM private.security_event_checkpoints c WHERE (c.chain = chain_state.chain)));

CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], room integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  inactive text[];
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('tieout.claim_webhook_deliveries', 0));

  perform private.interrupt_lapsed_attempts(webhook_ids);
  inactive := array(select w.id from public.webhooks w where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;

  return query
  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap
    from public.webhooks w
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now() and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.next_attempt_at,
      coalesce(b.deliveries, 0) + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at limit greatest(0, a.cap - coalesce(b.deliveries, 0))
      for no key update skip locked
    ) d
  ), ranked as (
    select *, coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place, next_attempt_at, id) as beyond_the_first
    from due
  ), chosen as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  ), leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'), next_attempt_at = now() + interval '30 seconds', attempt_count = d.attempt_count + 1
    from chosen c where d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url, c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,"data":%s}', to_json(e.type), to_json(private.iso(e.at)), e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed) order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint
  from leased l join public.events e on e.id = l.event_id
  order by l.place;
end $function$;
grant execute on function private.claim_webhook_deliveries(text[],integer) to service_role;

CREATE OR REPLACE FUNCTION private.clock_inserted_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  a record;
begin
  insert into public.exception_ledger (tenant_id, exception_id, kind, due_at)
  select tenant_id, id, 'set', due_at from added where status in ('open', 'in_review');
  select array_agg(id) as ids, array_agg(tenant_id) as tenants, array_agg(due_at) as due_ats into a
  from added where status in ('open', 'in_review');
  if a.ids is not null then
    perform private.start_clocks(a.ids, a.tenants, a.due_ats);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.clock_updated_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  select
    array_agg(id) filter (where was_open and not is_open) as closed_ids,
    array_agg(id) filter (where not was_open and is_open) as reopened_ids,
    array_agg(tenant_id) filter (where not was_open and is_open) as reopened_tenants,
    array_agg(due_at) filter (where not was_open and is_open) as reopened_due_ats,
    array_agg(id) filter (where was_open and is_open) as moved_ids,
    array_agg(due_at) filter (where was_open and is_open) as moved_due_ats
  into c
  from (
    select n.id, n.tenant_id, n.due_at, o.status in ('open', 'in_review') as was_open, n.status in ('open', 'in_review') as is_open
    from after_update n join before_update o on o.id = n.id
    where n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'))
  ) changed;

  perform from private.exception_clocks where exception_id = any (c.closed_ids || c.moved_ids) order by exception_id for update;
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, kind, due_at)
  select n.tenant_id, n.id,
    case
      when o.status in ('open', 'in_review') and n.status not in ('open', 'in_review') then n.status
      when o.status not in ('open', 'in_review') and n.status in ('open', 'in_review') then 'reopened'
      else 'moved'
    end, n.due_at
  from after_update n join before_update o on o.id = n.id
  where n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'));
  if c.moved_ids is not null then
    perform private.move_clocks(c.moved_ids, c.moved_due_ats);
  end if;
  if c.reopened_ids is not null then
    perform private.start_clocks(c.reopened_ids, c.reopened_tenants, c.reopened_due_ats);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.complete_security_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  call_id text := nullif(current_setting('tieout.call_event', true), '');
begin
  new.credential := coalesce(new.credential, private.principal_type(), 'system');
  new.cross_tenant := new.cross_tenant or new.credential = 'service_role';
  new.seq := null;
  new.prev_hash := null;
  new.hash := null;
  if call_id is null or new.id = call_id then
    return new;
  end if;
  perform set_config('tieout.call_event', '', true);
  update public.security_events e set
    type = new.type, target = new.target, details = e.details || new.details || case
      when e.reason is not null and new.reason is not null then jsonb_build_object('reason', new.reason) else '{}' end,
    reason = coalesce(e.reason, new.reason)
  where e.id = call_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_positions(shard integer, tenants text[], positions integer[], signs integer[])
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  insert into private.sla_counts as c (tenant_id, shard, breached, at_risk, on_track)
  select d.tenant_id, $1,
    coalesce(sum(d.sign) filter (where d.position <= 0), 0), coalesce(sum(d.sign) filter (where d.position between 1 and 240), 0),
    coalesce(sum(d.sign) filter (where d.position > 240), 0)
  from unnest(tenants, positions, signs) as d (tenant_id, position, sign)
  group by 1 order by 1
  on conflict (tenant_id, shard) do update set
    breached = c.breached + excluded.breached, at_risk = c.at_risk + excluded.at_risk, on_track = c.on_track + excluded.on_track;
$function$;

CREATE OR REPLACE FUNCTION private.create_tenant(id text, name text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if id !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform private.refuse('invalid_request', 'An id is 1 to 63 lower-case letters, digits, - and _, and begins with a letter or digit.');
  elsif id in ('api', 'design', 'docs', 'healthz', 'metrics', 'readyz', 'sign-in') or id ~ '^v[0-9]+$' then
    perform private.refuse('invalid_request', format('The id %s is reserved. Choose another one.', id));
  end if;
  insert into public.tenants (id, name) values ($1, $2);
  insert into public.sla_policies (tenant_id) values ($1);
end $function$;

CREATE OR REPLACE FUNCTION private.delivery_json(d public.webhook_deliveries)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  wire_status constant text := private.delivery_status(d);
  last_attempt public.webhook_attempts;
begin
  select * into last_attempt from public.webhook_attempts a where a.delivery_id = d.id order by a.number desc limit 1;
  return jsonb_build_object(
    'id', d.id, 'webhook_id', d.webhook_id, 'event_id', d.event_id, 'type', d.type,
    'status', wire_status, 'failure_kind', d.failure_kind,
    'reason', case
      when wire_status = 'retrying' then last_attempt.detail
      when d.failure_kind = 'retries_exhausted' then concat_ws(' ', format('All %s attempts failed.', d.attempt_count), last_attempt.detail)
      when d.failure_kind = 'webhook_disabled' then concat_ws(' ', 'The webhook was disabled.', last_attempt.detail)
    end,
    'attempt_count', d.attempt_count,
    'next_attempt_at', case when wire_status in ('pending', 'retrying') then private.iso(d.next_attempt_at) end,
    'created_at', private.iso(d.created_at), 'delivered_at', private.iso(d.delivered_at),
    'last_attempt', case when last_attempt.id is not null then private.attempt_json(last_attempt) end
  );
end $function$;
grant execute on function private.delivery_json(public.webhook_deliveries) to authenticated;

CREATE OR REPLACE FUNCTION private.delivery_status(d public.webhook_deliveries)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN CASE WHEN ((d).status <> 'pending'::text) THEN (d).status WHEN (((d).lease IS NOT NULL) AND ((d).next_attempt_at > now())) THEN 'sending'::text WHEN ((d).attempt_count > 0) THEN 'retrying'::text ELSE 'pending'::text END;
grant execute on function private.delivery_status(public.webhook_deliveries) to authenticated;

CREATE OR REPLACE FUNCTION private.disable_webhook(id text, reason text, detail text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  update public.webhooks x set
    status = 'disabled', disabled_at = now(), disabled_by = private.actor(), disabled_reason = reason, disabled_detail = left(detail, 500),
    updated_at = now()
  where x.id = $1 and x.tenant_id = coalesce(private.tenant_id(), x.tenant_id) and x.status = 'active' and x.deleted_at is null
  returning * into w;
  if not found then
    return;
  end if;
  perform private.drop_waiting_deliveries(w.id);
  insert into public.security_events (tenant_id, type, actor, operation, target, address, request_id, reason, details)
  values (
    w.tenant_id, 'webhook.disabled', private.actor(), nullif(current_setting('tieout.operation', true), ''), w.id,
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), detail,
    jsonb_build_object('reason', reason, 'url', w.url)
  );
  perform private.emit(w.tenant_id, 'webhook.disabled', jsonb_build_object(
    'id', w.id, 'url', w.url, 'reason', reason, 'detail', detail,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by
  ));
end $function$;
grant execute on function private.disable_webhook(text,text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.drop_waiting_deliveries(webhook_id text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null
  where d.webhook_id = $1 and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id) and d.status = 'pending' and d.lease is null;
$function$;
grant execute on function private.drop_waiting_deliveries(text) to authenticated;

CREATE OR REPLACE FUNCTION private.emit(tenant_id text, type text, data jsonb, once_key text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into public.events (tenant_id, type, data, once_key) values ($1, $2, $3, $4)
  on conflict on constraint events_tenant_id_type_once_key_key do nothing;
$function$;

CREATE OR REPLACE FUNCTION private.emit_own(type text, data jsonb, once_key text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.emit(private.tenant_id(), $1, $2, $3);
$function$;
grant execute on function private.emit_own(text,jsonb,text) to authenticated;

CREATE OR REPLACE FUNCTION private.enable_webhook(w public.webhooks)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if w.status = 'active' then
    return w;
  end if;
  update public.webhooks x set
    status = 'active', disabled_at = null, disabled_by = null, disabled_reason = null, disabled_detail = null, failing_since = null,
    updated_at = now()
  where x.id = w.id and x.tenant_id = w.tenant_id
  returning * into w;
  perform private.record_security_event('webhook.enabled', w.id, null, jsonb_build_object('url', w.url));
  return w;
end $function$;
grant execute on function private.enable_webhook(public.webhooks) to authenticated;

CREATE OR REPLACE FUNCTION private.enter(request jsonb, roles text[], scopes text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if private.principal_type() <> 'publishable_key' and not exists (select from public.tenants where id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  if roles is not null and not private.allows(roles, scopes) then
    perform private.refuse('role_required', 'This credential may not call this operation.');
  end if;
  if coalesce((request ->> 'continues')::boolean, false) then
    return;
  end if;
  if private.principal_type() = 'service_role' then
    perform private.record_service_call(left(request ->> 'audit_reason', 1000));
  end if;
  if jsonb_typeof(request -> 'export') = 'object' then
    perform private.record_security_event('data.exported', null, null, request -> 'export');
  elsif jsonb_typeof(request -> 'dry_run') = 'object' then
    perform private.record_security_event('dry_run.done', request -> 'dry_run' ->> 'id', null, request -> 'dry_run');
  end if;
end $function$;
grant execute on function private.enter(jsonb,text[],text[]) to anon;
grant execute on function private.enter(jsonb,text[],text[]) to authenticated;

CREATE OR REPLACE FUNCTION private.enter_records(request jsonb, surface text, action text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if action = 'read' and private.principal_type() = 'publishable_key' and private.is_public_surface(surface) then
    perform private.enter(request, null, null);
  elsif action = 'read' then
    perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', array['read:' || surface]);
  else
    perform private.enter(request, '{tenant_admin,tenant_lead}', array['write:' || surface]);
  end if;
end $function$;
grant execute on function private.enter_records(jsonb,text,text) to anon;
grant execute on function private.enter_records(jsonb,text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.exception_changes(before jsonb, after jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
  from jsonb_each(after) where value is distinct from coalesce(before -> key, 'null');
$function$;
grant execute on function private.exception_changes(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.exception_facts(e public.exceptions)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN ((to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy}'::text[]) || jsonb_build_object('due_at', private.iso((e).due_at)));

CREATE OR REPLACE FUNCTION private.exception_json(e public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  minutes bigint := case when e.status in ('open', 'in_review') then private.minutes_to_breach(e.due_at, as_of) end;
begin
  return jsonb_build_object(
    'id', e.id, 'title', e.title, 'severity', e.severity, 'assigned_to', e.assigned_to, 'due_at', private.iso(e.due_at),
    'minutes_to_breach', minutes, 'breach_risk', case when minutes is not null then private.breach_risk(minutes) end,
    'status', e.status, 'reason_code', e.reason_code, 'amount_minor', e.amount_minor, 'currency', e.currency,
    'reconciliation_id', e.reconciliation_id, 'details', e.details, 'resolution', e.resolution,
    'created_at', private.iso(e.created_at), 'created_by', e.created_by, 'updated_at', private.iso(e.updated_at),
    'closed_at', private.iso(e.closed_at)
  );
end $function$;
grant execute on function private.exception_json(public.exceptions,timestamp with time zone) to authenticated;

CREATE OR REPLACE FUNCTION private.exception_version(e public.exceptions)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select private.version_of(jsonb_build_array(
    e.title, e.severity, e.assigned_to, private.iso(e.due_at), e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    e.details, e.resolution, private.iso(e.closed_at)
  ));
$function$;
grant execute on function private.exception_version(public.exceptions) to authenticated;

CREATE OR REPLACE FUNCTION private.fan_out_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, type, status, failure_kind, next_attempt_at)
      select e.tenant_id, w.id, e.id, e.type,
        case w.status when 'active' then 'pending' else 'failed' end,
        case w.status when 'disabled' then 'webhook_disabled' end,
        case w.status when 'active' then now() end
      from emitted e join public.webhooks w on w.tenant_id = e.tenant_id
      where w.deleted_at is null and case
        when e.type = 'webhook.test' then w.id = e.data ->> 'id'
        when e.type in ('webhook.failing', 'webhook.disabled') then e.type = any (w.events) and w.id <> e.data ->> 'id'
        else e.type = any (w.events)
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.wake_webhook(awaiting.webhook_id);
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.find_api_key(key_id text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'id', k.id, 'lineage_id', k.lineage_id, 'tenant_id', k.tenant_id, 'name', k.name, 'secret_digest', s.digest, 'scopes', k.scopes,
    'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'grace_expires_at', private.iso(k.grace_expires_at),
    'revoked', k.revoked_at is not null, 'now', private.iso(clock_timestamp())
  )
  from public.api_keys k join private.api_key_secrets s on s.api_key_id = k.id
  where k.key_id = $1;
$function$;
grant execute on function private.find_api_key(text) to service_role;

CREATE OR REPLACE FUNCTION private.find_delivery(webhook_id text, id text)
 RETURNS public.webhook_deliveries
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  d public.webhook_deliveries;
begin
  select * into d from public.webhook_deliveries x where x.id = $2 and x.webhook_id = $1 and x.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such delivery.');
  end if;
  return d;
end $function$;
grant execute on function private.find_delivery(text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.find_records(input jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer + 1;
  own text := format('select * from public.records r where r.tenant_id = %L and r.surface = %L', private.tenant_id(), input ->> 'surface');
  sources text[];
  filters text := 'true';
  ids text[];
begin
  if input -> 'after' ->> 0 is not null then
    own := own || format(' and r.id < %L', input -> 'after' ->> 0);
  end if;
  sources := case input ->> 'include_deleted'
    when 'true' then array[own || ' and r.deleted_at is null', own || ' and r.deleted_at is not null']
    when 'only' then array[own || ' and r.deleted_at is not null']
    else array[own || ' and r.deleted_at is null']
  end;
  if private.principal_type() = 'publishable_key' then
    filters := filters || ' and r.published';
  end if;
  if input ->> 'operation' is not null then
    filters := filters || format(' and r.operation = %L', input ->> 'operation');
  end if;
  if input ->> 'updated_since' is not null then
    filters := filters || format(' and r.updated_at >= %L::timestamptz', input ->> 'updated_since');
  end if;
  if input ->> 'q' is not null then
    filters := filters || format(' and r.search @@ %L::tsquery', private.record_query(private.tenant_id(), input ->> 'surface', input ->> 'q'));
    -- What many records have, the newest have as well: no index of words is as fast as a look at those.
    ids := private.newest_records(array(select source || ' order by r.id desc limit 2000' from unnest(sources) source), filters, page_size);
    if cardinality(ids) = page_size then
      return ids;
    end if;
  end if;
  return private.newest_records(sources, filters, page_size);
end $function$;
grant execute on function private.find_records(jsonb) to anon;
grant execute on function private.find_records(jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.find_session_user(user_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object('app_metadata', coalesce(u.raw_app_meta_data, '{}'))
  from auth.users u
  where u.id = user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now());
$function$;
grant execute on function private.find_session_user(uuid) to service_role;

CREATE OR REPLACE FUNCTION private.find_webhook(id text)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  select * into w from public.webhooks x where x.id = $1 and x.tenant_id = private.tenant_id() and x.deleted_at is null;
  if not found then
    perform private.refuse('not_found', 'There is no such webhook.');
  end if;
  return w;
end $function$;
grant execute on function private.find_webhook(text) to authenticated;

CREATE OR REPLACE FUNCTION private.first_steps_json()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN (SELECT jsonb_build_object('steps', jsonb_build_array(jsonb_build_object('step', 'create_key', 'done', (EXISTS (SELECT FROM public.api_keys k WHERE (k.tenant_id = t.id)))), jsonb_build_object('step', 'call_api', 'done', (EXISTS (SELECT FROM public.api_key_totals u WHERE (u.tenant_id = t.id)))), jsonb_build_object('step', 'register_webhook', 'done', (EXISTS (SELECT FROM public.webhooks w WHERE (w.tenant_id = t.id)))), jsonb_build_object('step', 'receive_event', 'done', (EXISTS (SELECT FROM public.webhooks w WHERE ((w.tenant_id = t.id) AND (w.last_success_at IS NOT NULL)))))), 'key_id', (SELECT max(k.id) AS max FROM public.api_keys k WHERE ((k.tenant_id = t.id) AND (k.revoked_at IS NULL))), 'webhook_id', (SELECT max(w.id) AS max FROM public.webhooks w WHERE ((w.tenant_id = t.id) AND (w.deleted_at IS NULL))), 'dismissed', (EXISTS (SELECT FROM public.first_steps_dismissals d WHERE ((d.tenant_id = t.id) AND (d.principal_id = (auth.jwt() ->> 'principal_id'::text)))))) AS jsonb_build_object FROM (SELECT private.tenant_id() AS id) t);
grant execute on function private.first_steps_json() to authenticated;

CREATE OR REPLACE FUNCTION private.first_steps_version()
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select 1 + count(*) from public.first_steps_dismissals d
  where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id';
$function$;
grant execute on function private.first_steps_version() to authenticated;

CREATE OR REPLACE FUNCTION private.forget_security_events(chain text, through bigint, hash text, at timestamp with time zone, key_id text, signature text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.keep_security_event_checkpoint(chain, 'prefix', through, hash, at, key_id, signature);
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', nullif(chain, '*'), 'type', 'security_events.forgotten', 'actor', 'system', 'credential', 'system',
    'details', jsonb_build_object('through_seq', through)
  ));
end $function$;

CREATE OR REPLACE FUNCTION private.forget_webhook_secrets(webhook_id text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  delete from private.webhook_secrets s where s.webhook_id = $1 and s.tenant_id = private.tenant_id();
$function$;
grant execute on function private.forget_webhook_secrets(text) to authenticated;

CREATE OR REPLACE FUNCTION private.forgettable_security_events(most integer DEFAULT 50000)
 RETURNS TABLE(chain text, after bigint, through bigint, hash text, at text)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select h.chain, first.seq - 1, last.seq, last.hash, private.iso(now())
  from private.security_event_heads h
  left join public.tenants t on t.id = h.chain
  cross join lateral (select now() - make_interval(days => coalesce(t.security_event_retention_days, 400)) as moment) over
  cross join lateral (
    select e.seq, e.at from public.security_events e
    where coalesce(e.tenant_id, '*') = h.chain and e.seq is not null order by e.seq limit 1
  ) first
  left join lateral (
    select e.seq from public.security_events e
    where coalesce(e.tenant_id, '*') = h.chain and e.seq >= first.seq and (e.at >= over.moment or e.seq >= first.seq + most) order by e.seq limit 1
  ) kept on true
  cross join lateral (
    select e.seq, e.hash from public.security_events e
    where coalesce(e.tenant_id, '*') = h.chain and e.seq < coalesce(kept.seq, h.seq + 1) order by e.seq desc limit 1
  ) last
  where first.at < over.moment;
$function$;

CREATE OR REPLACE FUNCTION private.guard_exception()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  closing boolean := new.status in ('resolved', 'dismissed');
begin
  if tg_op = 'UPDATE' then
    if not private.may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('An exception cannot move from %s to %s.', old.status, new.status));
    end if;
    if old.status in ('resolved', 'dismissed') and not closing then
      new.resolution := null;
    end if;
    new.updated_at := now();
  end if;
  if closing and new.resolution is null then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "resolution", "message": "Say how it was settled: resolved and dismissed need a resolution."}]');
  end if;
  if not closing and new.resolution is not null then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "resolution", "message": "A resolution comes with status resolved or dismissed."}]');
  end if;
  if (new.amount_minor is null) <> (new.currency is null) then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "currency", "message": "amount_minor and currency come together."}]');
  end if;
  -- 16 kB as sent is at most 24 kB with the spaces that Postgres writes.
  if octet_length(new.details::text) > 24576 then
    perform private.refuse('invalid_request', 'The request is not valid.', '[{"path": "details", "message": "At most 16 kB of JSON."}]');
  end if;
  new.closed_at := case when closing then coalesce(new.closed_at, now()) end;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_reconciliation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' then
    if new.status <> old.status and (old.status, new.status) not in (
      ('open', 'in_progress'), ('in_progress', 'open'), ('in_progress', 'completed'), ('completed', 'in_progress'),
      ('open', 'archived'), ('in_progress', 'archived'), ('completed', 'archived')
    ) then
      perform private.refuse('invalid_transition', format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if new.period_end < new.period_start then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "period_end", "message": "The period cannot end before it starts."}]');
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_record_purge()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if old.deleted_at is null or private.record_purge_at(old.deleted_at) > now() then
    raise exception 'Record % may not be purged: it was not deleted 30 days ago.', old.id;
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_record_update()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.version := old.version + 1;
  new.updated_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.guard_security_event_checkpoints()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '1 hour' and exists (
    select from private.security_event_checkpoints c where c.chain = old.chain and c.kind = old.kind and c.seq > old.seq
  ) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Checkpoints are only ever added.';
end $function$;

CREATE OR REPLACE FUNCTION private.guard_security_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' and old.hash is null then
    return new;
  elsif tg_op = 'DELETE' and private.may_forget(old) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Security events are only ever added.';
end $function$;

CREATE OR REPLACE FUNCTION private.insert_api_key(input jsonb, rotated_from text DEFAULT NULL::text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created public.api_keys;
begin
  insert into public.api_keys (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from)
  values (
    input ->> 'key_id', input ->> 'name', input ->> 'description', private.text_array(input -> 'scopes'),
    private.text_array(input -> 'ip_allowlist'), (input ->> 'expires_at')::timestamptz, insert_api_key.rotated_from
  )
  returning * into created;
  perform private.keep_api_key_secret(created.id, input ->> 'secret_digest');
  return created;
end $function$;
grant execute on function private.insert_api_key(jsonb,text) to authenticated;

CREATE OR REPLACE FUNCTION private.insert_exceptions(rows jsonb)
 RETURNS SETOF public.exceptions
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  insert into public.exceptions
    (title, severity, assigned_to, due_at, due_from_policy, status, reason_code, amount_minor, currency, reconciliation_id, details)
  select
    r.title, r.severity, r.assigned_to,
    coalesce(r.due_at, date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, r.severity))),
    r.due_at is null, coalesce(r.status, 'open'), r.reason_code, r.amount_minor, r.currency, r.reconciliation_id,
    coalesce(nullif(r.details, 'null'), '{}')
  from jsonb_to_recordset(rows) as r (
    title text, severity text, assigned_to text, due_at timestamptz, status text, reason_code text, amount_minor bigint, currency text,
    reconciliation_id text, details jsonb
  )
  join public.sla_policies p on p.tenant_id = private.tenant_id()
  returning *;
$function$;
grant execute on function private.insert_exceptions(jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.interrupt_lapsed_attempts(webhook_ids text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update public.webhook_attempts a set status = 'interrupted', duration_ms = extract(epoch from now() - a.started_at) * 1000,
    detail = 'The worker that made this attempt fell silent.'
  from public.webhook_deliveries d
  where a.id = d.lease and a.status = 'in_flight' and d.next_attempt_at <= now()
    and d.webhook_id = any (webhook_ids) and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id);
$function$;

CREATE OR REPLACE FUNCTION private.is_public_surface(surface text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (surface = ANY (ARRAY['release-notes'::text, 'troubleshooting'::text]));
grant execute on function private.is_public_surface(text) to anon;
grant execute on function private.is_public_surface(text) to authenticated;

CREATE OR REPLACE FUNCTION private.is_tenant_admin()
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN ((private.principal_type() = 'user'::text) AND private.allows('{tenant_admin}'::text[], '{}'::text[]));
grant execute on function private.is_tenant_admin() to authenticated;

CREATE OR REPLACE FUNCTION private.iso(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN to_char((moment AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);
grant execute on function private.iso(timestamp with time zone) to anon;
grant execute on function private.iso(timestamp with time zone) to authenticated;
grant execute on function private.iso(timestamp with time zone) to service_role;

CREATE OR REPLACE FUNCTION private.keep_api_key_secret(api_key_id text, digest text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into private.api_key_secrets (api_key_id, digest) select k.id, $2 from public.api_keys k where k.id = $1 and k.tenant_id = private.tenant_id();
$function$;
grant execute on function private.keep_api_key_secret(text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.keep_security_event_checkpoint(chain text, kind text, seq bigint, hash text, at timestamp with time zone, key_id text, signature text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  insert into private.security_event_checkpoints values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing;
$function$;

CREATE OR REPLACE FUNCTION private.keep_webhook_secret(webhook_id text, id text, sealed text, grace interval DEFAULT '00:00:00'::interval)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  update private.webhook_secrets s set expires_at = least(s.expires_at, now() + grace)
  where s.webhook_id = $1 and s.tenant_id = private.tenant_id();
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, w.tenant_id, w.id, $3 from public.webhooks w where w.id = $1 and w.tenant_id = private.tenant_id();
$function$;
grant execute on function private.keep_webhook_secret(text,text,text,interval) to authenticated;

CREATE OR REPLACE FUNCTION private.lock_api_key(id text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  select * into k from public.api_keys a where a.id = $1 and a.tenant_id = private.tenant_id() for update;
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return k;
end $function$;
grant execute on function private.lock_api_key(text) to authenticated;

CREATE OR REPLACE FUNCTION private.lock_record(surface text, id text)
 RETURNS public.records
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.records;
begin
  select * into r from public.records x
  where x.id = $2 and x.tenant_id = private.tenant_id() and x.surface = $1 and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such record.');
  end if;
  return r;
end $function$;
grant execute on function private.lock_record(text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.lock_webhook(id text)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  select * into w from public.webhooks x where x.id = $1 and x.tenant_id = private.tenant_id() and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such webhook.');
  end if;
  return w;
end $function$;
grant execute on function private.lock_webhook(text) to authenticated;

CREATE OR REPLACE FUNCTION private.may_forget(e public.security_events)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
RETURN (((e).at < (now() - make_interval(days => COALESCE((SELECT t.security_event_retention_days FROM public.tenants t WHERE (t.id = (may_forget.e).tenant_id)), 400)))) AND (EXISTS (SELECT FROM private.security_event_checkpoints c WHERE ((c.chain = COALESCE((may_forget.e).tenant_id, '*'::text)) AND (c.kind = 'prefix'::text) AND (c.seq >= (may_forget.e).seq)))));

CREATE OR REPLACE FUNCTION private.may_move(before text, after text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ((before = after) OR (((((((((before = 'open'::text) AND (after = 'in_review'::text)) OR ((before = 'in_review'::text) AND (after = 'open'::text))) OR ((before = 'open'::text) AND (after = 'resolved'::text))) OR ((before = 'open'::text) AND (after = 'dismissed'::text))) OR ((before = 'in_review'::text) AND (after = 'resolved'::text))) OR ((before = 'in_review'::text) AND (after = 'dismissed'::text))) OR ((before = 'resolved'::text) AND (after = 'open'::text))) OR ((before = 'dismissed'::text) AND (after = 'open'::text))));
grant execute on function private.may_move(text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.members()
 RETURNS TABLE(name text, roles text[], source text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return query
  with recursive assignee (reference) as (
    -- One step of the index a name, however many exceptions each has.
    (select e.assigned_to from public.exceptions e where e.tenant_id = tenant and e.assigned_to is not null order by 1 limit 1)
    union all
    select (select e.assigned_to from public.exceptions e where e.tenant_id = tenant and e.assigned_to > a.reference order by 1 limit 1)
    from assignee a where a.reference is not null
  ), person (name, role, source) as (
    select
      left(regexp_replace(btrim(case when strpos(u.email, '@') > 1 then split_part(u.email, '@', 1) else u.id::text end), '\s+', '_', 'g'), 120),
      r.role, 'directory'
    from auth.users u
    cross join lateral (
      select case jsonb_typeof(u.raw_app_meta_data -> 'tenants')
        when 'object' then u.raw_app_meta_data -> 'tenants' -> tenant
        when 'array' then case when u.raw_app_meta_data -> 'tenants' ? tenant then coalesce(u.raw_app_meta_data -> 'roles', '[]') end
      end as roles
    ) m
    left join lateral unnest('{tenant_admin,tenant_analyst,tenant_lead}'::text[]) as r (role) on m.roles ? r.role
    where jsonb_typeof(m.roles) = 'array' and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    union all
    select substr(a.reference, 6), null, 'assignment' from assignee a where a.reference is not null
  )
  select p.name, coalesce(array_agg(distinct p.role) filter (where p.role is not null), '{}'), max(p.source)
  from person p group by p.name;
end $function$;
grant execute on function private.members() to authenticated;

CREATE OR REPLACE FUNCTION private.merge_patch(target jsonb, patch jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  base constant jsonb := case when jsonb_typeof(target) = 'object' then target else '{}' end;
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  return (
    select coalesce(jsonb_object_agg(merged.key, merged.value), '{}')
    from (
      select t.key, t.value from jsonb_each(base) t where not patch ? t.key
      union all
      select p.key, case when jsonb_typeof(p.value) = 'object' then private.merge_patch(base -> p.key, p.value) else p.value end
      from jsonb_each(patch) p where p.value <> 'null'
    ) merged
  );
end $function$;
grant execute on function private.merge_patch(jsonb,jsonb) to anon;
grant execute on function private.merge_patch(jsonb,jsonb) to authenticated;
grant execute on function private.merge_patch(jsonb,jsonb) to service_role;

CREATE OR REPLACE FUNCTION private.minutes_to_breach(due_at timestamp with time zone, as_of timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (ceil((EXTRACT(epoch FROM (due_at - as_of)) / (60)::numeric)))::bigint;
grant execute on function private.minutes_to_breach(timestamp with time zone,timestamp with time zone) to authenticated;

CREATE OR REPLACE FUNCTION private.minutes_to_resolve(p public.sla_policies, severity text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN CASE severity WHEN 'critical'::text THEN (p).critical_minutes WHEN 'high'::text THEN (p).high_minutes WHEN 'medium'::text THEN (p).medium_minutes ELSE (p).low_minutes END;
grant execute on function private.minutes_to_resolve(public.sla_policies,text) to authenticated;

CREATE OR REPLACE FUNCTION private.move_clocks(ids text[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved record;
begin
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct tenant_id from private.exception_clocks where exception_id = any (ids)))
  ), fresh as (
    select c.exception_id, c.tenant_id, c.position as old_position, n.due_at, b.*
    from unnest(ids, due_ats) as n (exception_id, due_at)
    join private.exception_clocks c on c.exception_id = n.exception_id
    cross join lateral (
      select coalesce(min(boundary) filter (where passed), private.no_boundary()) as new_position,
        max(boundary) filter (where not passed) as next_boundary, min(boundary) filter (where passed and announced and boundary < c.position) as nearest
      from (
        select boundary, announced, n.due_at - make_interval(mins => boundary) <= now() as passed from boundaries where tenant_id = c.tenant_id
      ) x
    ) b
  ), written as (
    update private.exception_clocks c
    set due_at = f.due_at, position = f.new_position, next_at = f.due_at - make_interval(mins => f.next_boundary)
    from fresh f where c.exception_id = f.exception_id
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.old_position) as old_positions, array_agg(f.new_position) as new_positions,
    array_agg(f.exception_id) filter (where f.nearest is not null) as ids, array_agg(f.nearest) filter (where f.nearest is not null) as boundaries,
    array_agg(f.due_at) filter (where f.nearest is not null) as due_ats
  into moved from fresh f;
  if moved.tenants is null then
    return;
  end if;
  perform private.count_positions(private.own_shard(), moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.tenants)]) || array_fill(1, array[cardinality(moved.tenants)]));
  if moved.ids is not null then
    perform private.announce_crossings(moved.ids, moved.boundaries, moved.due_ats);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.new_id(prefix text)
 RETURNS text
 LANGUAGE sql
 SET search_path TO ''
RETURN (((prefix || '_'::text) || lpad(to_hex(((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint), 12, '0'::text)) || substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 13));
grant execute on function private.new_id(text) to anon;
grant execute on function private.new_id(text) to authenticated;
grant execute on function private.new_id(text) to service_role;

CREATE OR REPLACE FUNCTION private.newest_records(sources text[], filters text, page_size integer)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  scans text;
  ids text[];
begin
  select string_agg(format('(select r.id from (%s) r where %s order by r.id desc limit %s)', source, filters, page_size), ' union all ')
  into scans from unnest(sources) source;
  execute format('select array_agg(f.id order by f.id desc) from (select s.id from (%s) s order by s.id desc limit %s) f', scans, page_size)
  into ids;
  return coalesce(ids, '{}');
end $function$;

CREATE OR REPLACE FUNCTION private.no_boundary()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN 2147483647;

CREATE OR REPLACE FUNCTION private.overdue_webhooks()
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with recursive waiting as (
    (select d.webhook_id, d.next_attempt_at from public.webhook_deliveries d where d.status = 'pending'
      order by d.webhook_id, d.next_attempt_at limit 1)
    union all
    select n.webhook_id, n.next_attempt_at from waiting w cross join lateral (
      select d.webhook_id, d.next_attempt_at from public.webhook_deliveries d
      where d.status = 'pending' and d.webhook_id > w.webhook_id
      order by d.webhook_id, d.next_attempt_at limit 1
    ) n
  )
  select webhook_id from waiting where next_attempt_at <= now() - interval '2 seconds';
$function$;
grant execute on function private.overdue_webhooks() to service_role;

CREATE OR REPLACE FUNCTION private.own_chain_state()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select private.chain_state(private.tenant_id()) where private.allows('{tenant_admin}', '{}');
$function$;
grant execute on function private.own_chain_state() to authenticated;

CREATE OR REPLACE FUNCTION private.own_shard()
 RETURNS integer
 LANGUAGE sql
 SET search_path TO ''
RETURN (1 + (pg_backend_pid() % 16));

CREATE OR REPLACE FUNCTION private.page(rows jsonb, page_size integer, next jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'items', case when jsonb_array_length(coalesce(rows, '[]')) > page_size then rows - page_size else coalesce(rows, '[]') end,
    'next', next
  );
$function$;
grant execute on function private.page(jsonb,integer,jsonb) to anon;
grant execute on function private.page(jsonb,integer,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.patch_exception(before public.exceptions, patch jsonb)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  after public.exceptions;
begin
  after := jsonb_populate_record(before, patch - 'details');
  if patch ? 'details' then
    after.details := private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}'));
  end if;
  after.due_from_policy := before.due_from_policy and not patch ? 'due_at';
  return after;
end $function$;
grant execute on function private.patch_exception(public.exceptions,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.principal_type()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN (auth.jwt() ->> 'principal_type'::text);
grant execute on function private.principal_type() to anon;
grant execute on function private.principal_type() to authenticated;
grant execute on function private.principal_type() to service_role;

CREATE OR REPLACE FUNCTION private.purge_api_key_usage(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  hours integer;
  days integer;
begin
  delete from public.api_key_usage_hourly where ctid = any (array(
    select ctid from public.api_key_usage_hourly where hour < now() - interval '8 days' limit batch
  ));
  get diagnostics hours = row_count;
  delete from public.api_key_usage_daily where ctid = any (array(
    select ctid from public.api_key_usage_daily where day < (now() at time zone 'UTC')::date - 91 limit batch
  ));
  get diagnostics days = row_count;
  delete from private.usage_batches where at < now() - interval '1 day';
  return hours + days;
end $function$;
grant execute on function private.purge_api_key_usage(integer) to service_role;

CREATE OR REPLACE FUNCTION private.purge_idempotency_keys(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  deleted integer;
begin
  delete from private.idempotency_keys where ctid = any (array(
    select ctid from private.idempotency_keys where created_at < now() - interval '24 hours' limit batch
  ));
  get diagnostics deleted = row_count;
  return deleted;
end $function$;
grant execute on function private.purge_idempotency_keys(integer) to service_role;

CREATE OR REPLACE FUNCTION private.purge_records(batch integer DEFAULT 1000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  purged integer;
begin
  delete from public.records where id = any (array(
    select r.id from public.records r where r.deleted_at <= now() - interval '720 hours'
    order by r.deleted_at limit batch for update skip locked
  ));
  get diagnostics purged = row_count;
  return purged;
end $function$;
grant execute on function private.purge_records(integer) to service_role;

CREATE OR REPLACE FUNCTION private.purge_security_events(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  events integer;
  checkpoints integer;
begin
  delete from public.security_events where id = any (array(
    select e.id from (
      select c.chain, max(c.seq) as seq from private.security_event_checkpoints c where c.kind = 'prefix' group by 1
    ) gone
    join public.security_events e on coalesce(e.tenant_id, '*') = gone.chain and e.seq <= gone.seq
    limit batch
  ));
  get diagnostics events = row_count;
  delete from private.security_event_checkpoints c using (
    select x.chain, x.kind, x.seq, max(x.seq) over (partition by x.chain, x.kind) as newest, row_number() over (
      partition by x.chain, x.kind, date_trunc(case when x.at > now() - interval '1 day' then 'hour' else 'day' end, x.at at time zone 'UTC')
      order by x.seq desc
    ) as nth
    from private.security_event_checkpoints x
    where x.at < now() - interval '1 hour'
  ) older
  where c.chain = older.chain and c.kind = older.kind and c.seq = older.seq and older.nth > 1 and older.seq < older.newest;
  get diagnostics checkpoints = row_count;
  return events + checkpoints;
end $function$;

CREATE OR REPLACE FUNCTION private.purge_webhook_deliveries(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  deliveries integer;
  events integer;
begin
  delete from public.webhook_deliveries d where d.id = any (array(
    select x.id from public.webhook_deliveries x where x.created_at < now() - interval '30 days' and x.lease is null limit batch
  ));
  get diagnostics deliveries = row_count;
  delete from public.events e where e.id = any (array(
    select x.id from public.events x where x.at < now() - interval '30 days'
      and not exists (select from public.webhook_deliveries d where d.event_id = x.id)
    limit batch
  ));
  get diagnostics events = row_count;
  delete from public.webhooks w where w.deleted_at < now() - interval '30 days'
    and not exists (select from public.webhook_deliveries d where d.tenant_id = w.tenant_id and d.webhook_id = w.id);
  delete from private.webhook_secrets s where s.expires_at < now();
  delete from public.webhook_answer_times t where t.hour < now() - interval '8 days';
  return deliveries + events;
end $function$;
grant execute on function private.purge_webhook_deliveries(integer) to service_role;

CREATE OR REPLACE FUNCTION private.rearm_clocks()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  perform from private.exception_clocks where tenant_id = tenant and next_at is not null order by exception_id for update;
  perform private.advance_clocks(array(
    select exception_id from private.exception_clocks where tenant_id = tenant and next_at <= now()
  ), private.own_shard());
  with boundaries as materialized (
    select boundary from private.sla_boundaries(array[tenant])
  ), fresh as (
    select o.exception_id, b.position, o.due_at - make_interval(mins => b.next_boundary) as next_at
    from private.exception_clocks o cross join lateral (
      select least(o.position, min(boundary) filter (where passed)) as position,
        max(boundary) filter (where not passed and boundary < o.position) as next_boundary
      from (select boundary, o.due_at - make_interval(mins => boundary) <= now() as passed from boundaries) x
    ) b
    where o.tenant_id = tenant and o.next_at is not null
  )
  update private.exception_clocks c set position = f.position, next_at = f.next_at
  from fresh f
  where c.exception_id = f.exception_id and (c.position, c.next_at) is distinct from (f.position, f.next_at);
end $function$;
grant execute on function private.rearm_clocks() to authenticated;

CREATE OR REPLACE FUNCTION private.reconciliation_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end', r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'matched_count', r.matched_count, 'unmatched_count', r.unmatched_count,
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  );
$function$;
grant execute on function private.reconciliation_json(public.reconciliations) to authenticated;

CREATE OR REPLACE FUNCTION private.reconciliation_version(r public.reconciliations)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select private.version_of(jsonb_build_array(
    r.name, r.status, r.period_start, r.period_end, r.left_source, r.right_source, r.matched_count, r.unmatched_count
  ));
$function$;
grant execute on function private.reconciliation_version(public.reconciliations) to authenticated;

CREATE OR REPLACE FUNCTION private.record_api_key_usage(batch uuid, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return;
  end if;
  insert into public.api_key_usage_hourly as u (api_key_id, tenant_id, hour, operation, address, outcome, calls, last_seen_at)
  select r.api_key_id, r.tenant_id, date_trunc('hour', r.seen_at, 'UTC'), r.operation, r.address, r.outcome, sum(r.calls), max(r.seen_at)
  from private.usage_rows(rows) r group by 1, 2, 3, 4, 5, 6 order by 1, 3, 4, 5, 6
  on conflict (api_key_id, hour, operation, address, outcome) do update
    set calls = u.calls + excluded.calls, last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at);

  insert into public.api_key_usage_daily as u (api_key_id, tenant_id, day, operation, outcome, calls)
  select r.api_key_id, r.tenant_id, (r.seen_at at time zone 'UTC')::date, r.operation, r.outcome, sum(r.calls)
  from private.usage_rows(rows) r group by 1, 2, 3, 4, 5 order by 1, 3, 4, 5
  on conflict (api_key_id, day, operation, outcome) do update set calls = u.calls + excluded.calls;

  insert into public.api_key_totals as t (api_key_id, tenant_id, request_count, last_used_at, last_used_ip)
  select r.api_key_id, r.tenant_id, sum(r.calls), max(r.seen_at), (array_agg(r.address order by r.seen_at desc))[1]
  from private.usage_rows(rows) r where r.outcome like 'accepted%' group by 1, 2 order by 1
  on conflict (api_key_id) do update set
    request_count = t.request_count + excluded.request_count,
    last_used_ip = case when excluded.last_used_at >= t.last_used_at then excluded.last_used_ip else t.last_used_ip end,
    last_used_at = greatest(t.last_used_at, excluded.last_used_at);
end $function$;
grant execute on function private.record_api_key_usage(uuid,jsonb) to service_role;

CREATE OR REPLACE FUNCTION private.record_inserted_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select a.tenant_id, a.id, 'created', private.exception_facts(a) from added a;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.record_json(r public.records)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  deletion jsonb := '{"soft_delete": false, "deleted_at": null, "purge_at": null}';
begin
  if r.deleted_at is not null then
    deletion := jsonb_build_object('soft_delete', true, 'deleted_at', private.iso(r.deleted_at),
      'purge_at', private.iso(private.record_purge_at(r.deleted_at)));
  end if;
  return jsonb_build_object('version', r.version, 'record', r.data || deletion || jsonb_build_object(
    'id', r.id, 'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  ));
end $function$;
grant execute on function private.record_json(public.records) to anon;
grant execute on function private.record_json(public.records) to authenticated;

CREATE OR REPLACE FUNCTION private.record_mark(tenant_id text, surface text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN "left"(md5(((tenant_id || '/'::text) || surface)), 8);
grant execute on function private.record_mark(text,text) to anon;
grant execute on function private.record_mark(text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.record_purge_at(deleted_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (deleted_at + '720:00:00'::interval);
grant execute on function private.record_purge_at(timestamp with time zone) to anon;
grant execute on function private.record_purge_at(timestamp with time zone) to authenticated;

CREATE OR REPLACE FUNCTION private.record_query(tenant_id text, surface text, q text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (COALESCE((SELECT string_agg(format('''%s%s'':*'::text, private.record_mark(record_query.tenant_id, record_query.surface), "left"(btrim(token.token, '.'::text), 60)), ' & '::text) AS string_agg FROM regexp_split_to_table(private.record_words(record_query.q), '\s+'::text) token(token) WHERE (btrim(token.token, '.'::text) <> ''::text)), ''::text))::tsquery;
grant execute on function private.record_query(text,text,text) to anon;
grant execute on function private.record_query(text,text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.record_search(tenant_id text, surface text, data jsonb)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT COALESCE(array_to_tsvector(array_agg(DISTINCT found.lexeme)), ''::tsvector) AS "coalesce" FROM (SELECT (private.record_mark(record_search.tenant_id, record_search.surface) || "left"(array_to_string(word.parts[i.i:(i.i + 19)], '.'::text), 60)) AS lexeme FROM (((jsonb_path_query((record_search.data - '{tenantId,idempotencyKey}'::text[]), 'strict $.**'::jsonpath) value(value) CROSS JOIN LATERAL regexp_split_to_table(private.record_words((value.value #>> '{}'::text[])), '\s+'::text) token(token)) CROSS JOIN LATERAL (SELECT (string_to_array(btrim(token.token, '.'::text), '.'::text))[1:100] AS parts) word) CROSS JOIN LATERAL generate_subscripts(word.parts, 1) i(i)) WHERE ((jsonb_typeof(value.value) = ANY (ARRAY['string'::text, 'number'::text])) AND (btrim(token.token, '.'::text) <> ''::text)) LIMIT 10000) found);
grant execute on function private.record_search(text,text,jsonb) to anon;
grant execute on function private.record_search(text,text,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.record_security_event(type text, target text DEFAULT NULL::text, reason text DEFAULT NULL::text, details jsonb DEFAULT '{}'::jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  insert into public.security_events (tenant_id, type, actor, operation, target, address, request_id, reason, details)
  values (
    private.tenant_id(), $1, private.actor(), nullif(current_setting('tieout.operation', true), ''), $2,
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), $3, $4
  );
$function$;
grant execute on function private.record_security_event(text,text,text,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.record_security_events(events jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  event jsonb;
  is_first boolean;
begin
  for event in
    select e.value || jsonb_build_object('tenant_id', known.tenant_id)
    from jsonb_array_elements(events) e
    cross join lateral (
      select case when e.value ->> 'email' is null then array[e.value ->> 'tenant_id'] else private.tenants_of_email(e.value ->> 'email') end as ids
    ) named
    left join public.tenants t on t.id = any (named.ids)
    cross join lateral (select t.id as tenant_id) known
    where t.id is not null or coalesce((e.value ->> 'elsewhere')::boolean, false)
    order by known.tenant_id
  loop
    if event ->> 'bucket' is null then
      perform private.append_security_event(event);
      continue;
    end if;
    insert into private.security_event_counts as c (chain, bucket, minute, count, first, operations, targets, addresses)
    values (
      coalesce(event ->> 'tenant_id', '*'), event ->> 'bucket', date_trunc('minute', clock_timestamp()), (event ->> 'count')::bigint,
      event - '{request_id,bucket,count,email,elsewhere}'::text[],
      private.some_of('{}', array[event ->> 'operation']), private.some_of('{}', array[event ->> 'target']),
      private.some_of('{}', array[event ->> 'address'])
    )
    on conflict (chain, bucket, minute) do update set
      count = c.count + excluded.count, operations = private.some_of(c.operations, excluded.operations),
      targets = private.some_of(c.targets, excluded.targets), addresses = private.some_of(c.addresses, excluded.addresses)
    returning c.count = (event ->> 'count')::bigint into is_first;
    if is_first then
      perform private.append_security_event(event);
    end if;
  end loop;
end $function$;
grant execute on function private.record_security_events(jsonb) to service_role;

CREATE OR REPLACE FUNCTION private.record_service_call(reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  call_id constant text := private.new_id('sev');
begin
  insert into public.security_events (id, tenant_id, type, actor, operation, address, request_id, reason)
  values (
    call_id, private.tenant_id(), 'service_role.call', private.actor(), nullif(current_setting('tieout.operation', true), ''),
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), reason
  );
  perform set_config('tieout.call_event', call_id, true);
end $function$;

CREATE OR REPLACE FUNCTION private.record_updated_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select n.tenant_id, n.id, 'updated', x.changes
  from after_update n join before_update o on o.id = n.id
  cross join lateral (select private.exception_changes(private.exception_facts(o), private.exception_facts(n)) as changes) x
  where x.changes is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.record_words(content text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN regexp_replace(translate(lower(content), '!"#$%&''()*+,-/:;<=>?@[\]^_`{|}~'::text, repeat('.'::text, 31)), '\.{2,}'::text, '.'::text, 'g'::text);
grant execute on function private.record_words(text) to anon;
grant execute on function private.record_words(text) to authenticated;

CREATE OR REPLACE FUNCTION private.refuse(code text, detail text, errors jsonb DEFAULT NULL::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  raise exception using errcode = 'TO001', message = code, detail = detail, hint = coalesce(errors::text, '');
end $function$;
grant execute on function private.refuse(text,text,jsonb) to anon;
grant execute on function private.refuse(text,text,jsonb) to authenticated;
grant execute on function private.refuse(text,text,jsonb) to service_role;

CREATE OR REPLACE FUNCTION private.remember(request jsonb, body jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  key jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
begin
  if key is not null then
    update private.idempotency_keys k set answer = body
    where k.tenant_id = private.tenant_id() and k.principal = auth.jwt() ->> 'principal_id'
      and k.operation = request ->> 'operation' and k.key_hash = key ->> 'key_hash';
  end if;
  return jsonb_build_object('replayed', false, 'body', body);
end $function$;
grant execute on function private.remember(jsonb,jsonb) to anon;
grant execute on function private.remember(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.replay(request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  key jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
  stored private.idempotency_keys;
begin
  if key is null then
    return null;
  end if;
  loop
    insert into private.idempotency_keys (tenant_id, principal, operation, key_hash, fingerprint)
    values (private.tenant_id(), auth.jwt() ->> 'principal_id', request ->> 'operation', key ->> 'key_hash', key ->> 'fingerprint')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select * into stored from private.idempotency_keys k
    where k.tenant_id = private.tenant_id() and k.principal = auth.jwt() ->> 'principal_id'
      and k.operation = request ->> 'operation' and k.key_hash = key ->> 'key_hash';
    continue when not found;
    if stored.created_at < now() - interval '24 hours' then
      delete from private.idempotency_keys k
      where k.tenant_id = stored.tenant_id and k.principal = stored.principal and k.operation = stored.operation
        and k.key_hash = stored.key_hash and k.created_at = stored.created_at;
      continue;
    end if;
    if stored.fingerprint <> key ->> 'fingerprint' then
      perform private.refuse('idempotency_mismatch', 'This idempotency key was used with a different request. Use a new key for a new request.');
    end if;
    return jsonb_build_object('replayed', true, 'body', stored.answer);
  end loop;
end $function$;
grant execute on function private.replay(jsonb) to anon;
grant execute on function private.replay(jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.requeue_deliveries(webhook_id text, ids text[], cause text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  requeued bigint;
begin
  perform private.interrupt_lapsed_attempts(array[$1]);
  update public.webhook_deliveries d set
    status = 'pending', failure_kind = null, failure_count = 0, cause = $3, next_attempt_at = now(), lease = null
  where d.id = any (ids) and d.webhook_id = $1 and d.tenant_id = private.tenant_id()
    and (d.lease is null or d.next_attempt_at <= now());
  get diagnostics requeued = row_count;
  if requeued > 0 then
    perform private.wake_webhook($1);
  end if;
  return requeued;
end $function$;
grant execute on function private.requeue_deliveries(text,text[],text) to authenticated;

CREATE OR REPLACE FUNCTION private.require_active_webhook(w public.webhooks)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if w.status = 'disabled' then
    perform private.refuse('conflict', 'This webhook is disabled, and nothing is sent to it. Enable it first.');
  end if;
end $function$;
grant execute on function private.require_active_webhook(public.webhooks) to authenticated;

CREATE OR REPLACE FUNCTION private.require_bin_access()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.allows('{tenant_admin}', '{}') then
    perform private.refuse('role_required', 'Deleted records are for the role tenant_admin. Ask a tenant admin.');
  end if;
end $function$;
grant execute on function private.require_bin_access() to anon;
grant execute on function private.require_bin_access() to authenticated;

CREATE OR REPLACE FUNCTION private.require_expiry(expires_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if expires_at <= now() or expires_at > now() + interval '10 years' then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.',
      '[{"path": "expires_at", "message": "Give a time in the future, at most 10 years away, or null."}]');
  end if;
end $function$;
grant execute on function private.require_expiry(timestamp with time zone) to authenticated;

CREATE OR REPLACE FUNCTION private.require_reconciliation(id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if id is not null and not exists (select from public.reconciliations r where r.id = $1 and r.tenant_id = private.tenant_id()) then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "reconciliation_id", "message": "There is no such reconciliation."}]');
  end if;
end $function$;
grant execute on function private.require_reconciliation(text) to authenticated;

CREATE OR REPLACE FUNCTION private.require_record_size(data jsonb)
 RETURNS void
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if octet_length(data::text) > 98304 then
    perform private.refuse('payload_too_large', 'A record may have at most 64 kB of JSON.');
  end if;
end $function$;
grant execute on function private.require_record_size(jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.require_usable_api_key(k public.api_keys)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if k.revoked_at is not null or k.grace_expires_at <= now() then
    perform private.refuse('conflict', 'This API key is revoked.');
  elsif k.expires_at <= now() then
    perform private.refuse('conflict', 'This API key has expired.');
  end if;
end $function$;
grant execute on function private.require_usable_api_key(public.api_keys) to authenticated;

CREATE OR REPLACE FUNCTION private.require_version(version bigint, versions jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if jsonb_typeof(versions) = 'array' and not versions @> to_jsonb(version) then
    perform private.refuse('precondition_failed',
      'It is not as If-Match says: it has changed since. Get it again, and repeat your change on what you find.');
  end if;
end $function$;
grant execute on function private.require_version(bigint,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.retry_after_pause(seconds integer)
 RETURNS interval
 LANGUAGE sql
 STRICT
 SET search_path TO ''
RETURN (((LEAST(GREATEST(seconds, 5), 36000))::double precision * ((1)::double precision + ((0.1)::double precision * random()))) * '00:00:01'::interval);

CREATE OR REPLACE FUNCTION private.retry_pause(failures integer)
 RETURNS interval
 LANGUAGE sql
 STRICT
 SET search_path TO ''
RETURN ((((ARRAY[5, 300, 1800, 7200, 18000, 36000, 36000])[failures])::double precision * ((0.8)::double precision + ((0.4)::double precision * random()))) * '00:00:01'::interval);

CREATE OR REPLACE FUNCTION private.scoped_surfaces(actions text[])
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN CASE WHEN (private.principal_type() = 'api_key'::text) THEN ARRAY(SELECT split_part(scope.value, ':'::text, 2) AS split_part FROM jsonb_array_elements_text((auth.jwt() -> 'scopes'::text)) scope(value) WHERE (split_part(scope.value, ':'::text, 1) = ANY (scoped_surfaces.actions))) ELSE '{}'::text[] END;
grant execute on function private.scoped_surfaces(text[]) to authenticated;

CREATE OR REPLACE FUNCTION private.security_event_hash(e public.security_events)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN encode(sha256(convert_to((json_build_array('tieout.security_event.v1', (e).tenant_id, ((e).seq)::text, (e).prev_hash, (e).id, private.iso((e).at), (e).type, (e).actor, (e).credential, (e).home_tenant_id, ((e).cross_tenant)::text, (e).operation, (e).target, host((e).address), (e).request_id, (e).reason, ((e).details)::text))::text, 'UTF8'::name)), 'hex'::text);

CREATE OR REPLACE FUNCTION private.security_event_json(e public.security_events)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN jsonb_build_object('id', (e).id, 'seq', (e).seq, 'at', private.iso((e).at), 'type', (e).type, 'actor', (e).actor, 'credential', (e).credential, 'home_tenant_id', (e).home_tenant_id, 'cross_tenant', (e).cross_tenant, 'operation', (e).operation, 'target', (e).target, 'address', host((e).address), 'request_id', (e).request_id, 'reason', (e).reason, 'details', (e).details, 'hash', (e).hash, 'prev_hash', (e).prev_hash);
grant execute on function private.security_event_json(public.security_events) to authenticated;

CREATE OR REPLACE FUNCTION private.security_event_texts(after bigint, through bigint, page_size integer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select jsonb_agg(to_jsonb(e) order by e.seq::bigint, e.id)
  from (
    select x.seq::text, x.prev_hash, x.hash, x.id, private.iso(x.at) as at, x.type, x.actor, x.credential, x.home_tenant_id,
      x.cross_tenant::text, x.operation, x.target, host(x.address) as address, x.request_id, x.reason, x.details::text
    from public.security_events x
    where x.tenant_id = private.tenant_id() and coalesce(x.tenant_id, '*') = private.tenant_id() and x.seq > after and x.seq <= through
    order by x.seq, x.id
    limit page_size
  ) e;
$function$;
grant execute on function private.security_event_texts(bigint,bigint,integer) to authenticated;

CREATE OR REPLACE FUNCTION private.security_events_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  page jsonb;
begin
  select jsonb_agg(private.security_event_json(e) order by e.at desc, e.seq desc) into page
  from (
    select * from public.security_events x
    where x.tenant_id = private.tenant_id() and x.seq is not null
      and (input -> 'after' ->> 0 is null or (x.at, x.seq) < ((input -> 'after' ->> 0)::timestamptz, (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or x.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or x.type = input ->> 'type')
      and (kind is null or starts_with(x.type, kind))
      and (input ->> 'actor' is null or x.actor = input ->> 'actor')
      and (input ->> 'target' is null or x.target = input ->> 'target')
      and (input ->> 'cross_tenant' is null or x.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or x.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or x.at < (input ->> 'until')::timestamptz)
    order by x.at desc, x.seq desc
    limit page_size + 1
  ) e;
  return private.page(page, page_size, case when jsonb_array_length(coalesce(page, '[]')) > page_size then
    jsonb_build_array(page -> (page_size - 1) -> 'at', (page -> (page_size - 1) ->> 'seq')) end);
end $function$;
grant execute on function private.security_events_page(jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.service_metrics()
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.worker_heartbeats),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - min(next_at)), 0)) from private.exception_clocks where next_at is not null
    ),
    'webhooks', (
      select jsonb_build_object('active', count(*) filter (where status = 'active'), 'disabled', count(*) filter (where status = 'disabled'))
      from public.webhooks where deleted_at is null
    ),
    'deliveries', (
      select jsonb_build_object(
        'pending', count(*),
        'due', count(*) filter (where next_attempt_at <= now()),
        'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(next_attempt_at)), 0))
      )
      from public.webhook_deliveries where status = 'pending'
    ),
    'jobs', (
      select jsonb_build_object(
        'ready', count(*) filter (where attempts < max_attempts and run_at <= now()),
        'failed', count(*) filter (where attempts >= max_attempts)
      )
      from graphile_worker.jobs
    )
  );
$function$;
grant execute on function private.service_metrics() to service_role;

CREATE OR REPLACE FUNCTION private.set_api_key_lineage()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.lineage_id := coalesce((select k.lineage_id from public.api_keys k where k.id = new.rotated_from and k.tenant_id = new.tenant_id), new.id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION private.set_security_event_retention(tenant_id text, days integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  before integer;
begin
  select t.security_event_retention_days into before from public.tenants t where t.id = $1 for no key update;
  if not found then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif days is null or days not between 30 and 3660 then
    perform private.refuse('invalid_request', 'Give 30 to 3660 days.');
  end if;
  if days <> before then
    update public.tenants t set security_event_retention_days = days where t.id = $1;
    perform private.append_security_event(jsonb_build_object(
      'tenant_id', $1, 'type', 'security_events.retention_changed', 'actor', 'operator', 'credential', 'system',
      'details', jsonb_build_object('days', jsonb_build_object('from', before, 'to', days))
    ));
  end if;
  return before;
end $function$;

CREATE OR REPLACE FUNCTION private.settle_webhook_attempts(results jsonb)
 RETURNS TABLE(webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  touched text[];
  locked text[];
  verdicts jsonb;
  verdict record;
  w public.webhooks;
begin
  touched := array(
    select distinct d.webhook_id from jsonb_to_recordset(results) as r (attempt_id bigint)
    join public.webhook_deliveries d on d.lease = r.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked := array(select x.id from public.webhooks x where x.id = any (touched) for no key update skip locked);

  with given as (
    select * from jsonb_to_recordset(results) as r (
      attempt_id bigint, status_code integer, failure_kind text, detail text, interrupted boolean, pause_seconds integer, duration_ms integer,
      retry_after_seconds integer, response_headers jsonb, response_body text, response_truncated boolean
    )
  ), held as (
    select d.id, d.webhook_id, d.tenant_id, d.failure_count, d.attempt_count, g.*,
      x.status = 'active' and x.deleted_at is null as active,
      -- The last change of secrets that a receiver could have slept through: a new one came, or the old one ceased to sign.
      greatest(x.secret_changed_at, case when x.previous_secret_expires_at <= now() then x.previous_secret_expires_at end) as secret_changed_at,
      x.last_success_at
    from given g
    join public.webhook_deliveries d on d.lease = g.attempt_id
    join public.webhooks x on x.id = d.webhook_id
    where d.webhook_id = any (locked)
    for no key update of d
  ), judged as (
    select h.*,
      case when h.interrupted then 'interrupted' when h.status_code between 200 and 299 then 'succeeded' else 'failed' end as outcome,
      case
        when h.interrupted or h.status_code between 200 and 299 then null
        when h.status_code in (401, 403) then
          case when h.secret_changed_at is not null and (h.last_success_at is null or h.last_success_at < h.secret_changed_at)
            then 'stale_secret' else 'signature_failed' end
        else coalesce(h.failure_kind, 'http_error')
      end as kind,
      case
        when h.interrupted then make_interval(secs => coalesce(h.pause_seconds, 0))
        when h.status_code between 200 and 299 or h.status_code = 410 or not h.active or h.failure_count >= 7 then null
        else coalesce(private.retry_after_pause(h.retry_after_seconds), private.retry_pause(h.failure_count + 1))
      end as pause
    from held h
  ), attempts as (
    update public.webhook_attempts a set
      status = j.outcome, failure_kind = j.kind, duration_ms = j.duration_ms, status_code = j.status_code,
      detail = case j.kind
        when 'stale_secret' then format('The receiver answered %s, after the secret was changed at %s: it seems to verify with the old one.',
          j.status_code, private.iso(j.secret_changed_at))
        when 'signature_failed' then format('The receiver answered %s: it did not accept the signature.', j.status_code)
        else j.detail
      end,
      response_headers = j.response_headers, response_body = j.response_body,
      response_truncated = j.response_truncated
    from judged j where a.id = j.attempt_id
  ), deliveries as (
    update public.webhook_deliveries d set
      lease = null,
      status = case when j.outcome = 'succeeded' then 'delivered' when j.pause is null then 'failed' else 'pending' end,
      failure_kind = case when j.outcome = 'failed' and j.pause is null then
        case when j.active and j.status_code is distinct from 410 then 'retries_exhausted' else 'webhook_disabled' end end,
      failure_count = case j.outcome when 'failed' then d.failure_count + 1 else d.failure_count end,
      cause = case j.outcome when 'failed' then 'retry' else d.cause end,
      next_attempt_at = now() + j.pause,
      delivered_at = case j.outcome when 'succeeded' then now() else d.delivered_at end
    from judged j where d.id = j.id
  ), answer_times as (
    insert into public.webhook_answer_times as t (webhook_id, tenant_id, hour, succeeded, bucket, attempts)
    select j.webhook_id, j.tenant_id, date_trunc('hour', now(), 'UTC'), j.outcome = 'succeeded',
      case when j.status_code is null then -1 else floor(ln(greatest(j.duration_ms, 1)) / ln(1.1)) end, count(*)
    from judged j where j.outcome <> 'interrupted'
    group by 1, 2, 3, 4, 5 order by 1, 3, 4, 5
    on conflict (webhook_id, hour, succeeded, bucket) do update set attempts = t.attempts + excluded.attempts
  )
  select jsonb_agg(jsonb_build_object(
    'webhook_id', j.webhook_id, 'outcome', j.outcome, 'gone', j.active and j.status_code = 410, 'detail', j.detail,
    'retry_in_ms', extract(epoch from j.pause) * 1000
  )) into verdicts from judged j;

  for verdict in
    select v.webhook_id, bool_or(v.outcome = 'succeeded') as succeeded, bool_or(v.outcome = 'failed') as failed, bool_or(v.gone) as gone,
      max(v.detail) filter (where v.outcome = 'failed') as detail
    from jsonb_to_recordset(verdicts) as v (webhook_id text, outcome text, gone boolean, detail text)
    where v.outcome <> 'interrupted'
    group by 1 order by 1
  loop
    update public.webhooks x set
      last_success_at = case when verdict.succeeded then now() else x.last_success_at end,
      last_failure_at = case when verdict.failed then now() else x.last_failure_at end,
      failing_since = case when verdict.succeeded then null else coalesce(x.failing_since, now()) end
    where x.id = verdict.webhook_id
    returning * into w;
    if verdict.gone then
      perform private.disable_webhook(w.id, 'gone', 'The receiver answered 410 Gone: it wants no more events.');
    elsif private.webhook_disable_at(w.failing_since) <= now() then
      perform private.disable_webhook(w.id, 'failing', concat_ws(' ',
        format('Every attempt failed since %s, for 5 days.', private.iso(w.failing_since)), 'The last one: ' || verdict.detail));
    elsif w.failing_since <= now() - interval '3 days' then
      perform private.warn_of_failing_webhook(w, verdict.detail);
    end if;
  end loop;

  return query
  select v.webhook_id, min(v.retry_in_ms), null::bigint[]
  from jsonb_to_recordset(verdicts) as v (webhook_id text, retry_in_ms double precision) group by 1
  union all
  select d.webhook_id, null, array_agg(r.attempt_id)
  from jsonb_to_recordset(results) as r (attempt_id bigint)
  join public.webhook_deliveries d on d.lease = r.attempt_id
  where d.webhook_id <> all (locked) group by 1;
end $function$;
grant execute on function private.settle_webhook_attempts(jsonb) to service_role;

CREATE OR REPLACE FUNCTION private.sla_boundaries(tenants text[])
 RETURNS TABLE(tenant_id text, boundary integer, announced boolean)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select p.tenant_id, b.boundary, bool_or(b.announced)
  from public.sla_policies p
  cross join lateral (
    select unnest(p.at_risk_thresholds), true union all values (240, false), (0, true)
  ) b (boundary, announced)
  where p.tenant_id = any (tenants)
  group by 1, 2;
$function$;

CREATE OR REPLACE FUNCTION private.sla_policy_json(p public.sla_policies)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN jsonb_build_object('minutes_to_resolve', jsonb_build_object('critical', (p).critical_minutes, 'high', (p).high_minutes, 'medium', (p).medium_minutes, 'low', (p).low_minutes), 'at_risk_thresholds', (p).at_risk_thresholds, 'updated_at', private.iso((p).updated_at), 'updated_by', (p).updated_by);
grant execute on function private.sla_policy_json(public.sla_policies) to authenticated;

CREATE OR REPLACE FUNCTION private.sla_summary(as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with counted as (
    select coalesce(sum(breached), 0) as breached, coalesce(sum(at_risk), 0) as at_risk, coalesce(sum(on_track), 0) as on_track
    from private.sla_counts where tenant_id = private.tenant_id()
  ), late as (
    select
      count(*) filter (where due_at <= as_of) - count(*) filter (where position <= 0) as breached,
      count(*) filter (where due_at > as_of and due_at <= as_of + interval '240 minutes') - count(*) filter (where position between 1 and 240) as at_risk,
      count(*) filter (where due_at > as_of + interval '240 minutes') - count(*) filter (where position > 240) as on_track
    from private.exception_clocks where tenant_id = private.tenant_id() and next_at <= as_of
  )
  select jsonb_build_object(
    'breached_count', c.breached + l.breached, 'at_risk_count', c.at_risk + l.at_risk, 'on_track_count', c.on_track + l.on_track,
    'total_open', c.breached + c.at_risk + c.on_track
  )
  from counted c, late l;
$function$;
grant execute on function private.sla_summary(timestamp with time zone) to authenticated;

CREATE OR REPLACE FUNCTION private.some_of(left_side text[], right_side text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY(SELECT DISTINCT v.v FROM unnest((some_of.left_side || some_of.right_side)) v(v) WHERE (v.v IS NOT NULL) ORDER BY v.v LIMIT 10);

CREATE OR REPLACE FUNCTION private.start_clocks(ids text[], tenants text[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  started record;
begin
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct unnest(tenants)))
  ), fresh as (
    select s.*, b.position, b.next_boundary, b.nearest
    from unnest(ids, tenants, due_ats) as s (exception_id, tenant_id, due_at)
    cross join lateral (
      select coalesce(min(boundary) filter (where passed), private.no_boundary()) as position,
        max(boundary) filter (where not passed) as next_boundary, min(boundary) filter (where passed and announced) as nearest
      from (
        select boundary, announced, s.due_at - make_interval(mins => boundary) <= now() as passed from boundaries where tenant_id = s.tenant_id
      ) x
    ) b
  ), written as (
    insert into private.exception_clocks (exception_id, tenant_id, due_at, position, next_at)
    select exception_id, tenant_id, due_at, position, due_at - make_interval(mins => next_boundary) from fresh
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.position) as positions,
    array_agg(f.exception_id) filter (where f.nearest is not null) as ids, array_agg(f.nearest) filter (where f.nearest is not null) as boundaries,
    array_agg(f.due_at) filter (where f.nearest is not null) as due_ats
  into started from fresh f;
  perform private.count_positions(private.own_shard(), started.tenants, started.positions, array_fill(1, array[cardinality(started.tenants)]));
  if started.ids is not null then
    perform private.announce_crossings(started.ids, started.boundaries, started.due_ats);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.stop_clocks(ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  stopped record;
begin
  perform private.advance_clocks(ids, private.own_shard());
  with gone as (
    delete from private.exception_clocks where exception_id = any (ids) returning tenant_id, position
  )
  select array_agg(tenant_id) as tenants, array_agg(position) as positions into stopped from gone;
  if stopped.tenants is not null then
    perform private.count_positions(private.own_shard(), stopped.tenants, stopped.positions, array_fill(-1, array[cardinality(stopped.tenants)]));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.tell_exception_history()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.events (tenant_id, type, data)
  select e.tenant_id,
    case
      when h.kind = 'created' then 'exception.created'
      when h.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      else 'exception.updated'
    end,
    jsonb_build_object('exception', private.exception_json(e))
      || case h.kind when 'created' then '{}' else jsonb_build_object('changes', h.changes) end
  from happened h join public.exceptions e on e.tenant_id = h.tenant_id and e.id = h.exception_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.tell_security_event_counts()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  told integer := 0;
  c private.security_event_counts;
begin
  for c in
    with over as (
      delete from private.security_event_counts x where x.minute < date_trunc('minute', clock_timestamp() - interval '5 seconds') returning x.*
    )
    select * from over order by chain, minute, bucket
  loop
    if c.count > 1 then
      perform private.append_security_event(c.first || jsonb_build_object(
        'operation', case when cardinality(c.operations) = 1 then c.operations[1] end,
        'target', case when cardinality(c.targets) = 1 then c.targets[1] end,
        'address', case when cardinality(c.addresses) = 1 then c.addresses[1] end,
        'details', coalesce(nullif(c.first -> 'details', 'null'), '{}') || jsonb_build_object(
          'count', c.count - 1, 'minute', private.iso(c.minute), 'operations', c.operations, 'targets', c.targets, 'addresses', c.addresses
        )
      ));
      told := told + 1;
    end if;
  end loop;
  return told;
end $function$;

CREATE OR REPLACE FUNCTION private.tenant_id()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN (auth.jwt() ->> 'tenant_id'::text);
grant execute on function private.tenant_id() to anon;
grant execute on function private.tenant_id() to authenticated;
grant execute on function private.tenant_id() to service_role;

CREATE OR REPLACE FUNCTION private.tenants_of_email(email text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenants jsonb;
begin
  select u.raw_app_meta_data -> 'tenants' into tenants from auth.users u where lower(u.email) = lower($1);
  return case jsonb_typeof(tenants)
    when 'object' then array(select jsonb_object_keys(tenants))
    when 'array' then array(select t #>> '{}' from jsonb_array_elements(tenants) t where jsonb_typeof(t) = 'string')
    else '{}'
  end;
end $function$;

CREATE OR REPLACE FUNCTION private.text_array(value jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN CASE WHEN (jsonb_typeof(value) = 'array'::text) THEN ARRAY(SELECT jsonb_array_elements_text(value) AS jsonb_array_elements_text) ELSE '{}'::text[] END;
grant execute on function private.text_array(jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.tick_sla_clock(batch integer DEFAULT 5000)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ids text[];
begin
  select array_agg(c.exception_id) into ids
  from (
    select exception_id from private.exception_clocks where next_at <= now() order by next_at limit batch for update skip locked
  ) c;
  if ids is not null then
    perform private.advance_clocks(ids, 0);
  end if;
  return jsonb_build_object(
    'moved', coalesce(cardinality(ids), 0),
    'wait_ms', (select ceil(extract(epoch from min(next_at) - clock_timestamp()) * 1000) from private.exception_clocks where next_at is not null)
  );
end $function$;
grant execute on function private.tick_sla_clock(integer) to service_role;

CREATE OR REPLACE FUNCTION private.time_to_breach(as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
  with summary as materialized (
    select private.sla_summary(as_of) as counts
  ), near as materialized (
    select
      (select count(*) from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
        and e.due_at > as_of - interval '1441 minutes' and e.due_at <= as_of) as late_a_day,
      (select count(*) from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
        and e.due_at > as_of and e.due_at <= as_of + interval '59 minutes') as in_an_hour,
      (select count(*) from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
        and e.due_at > as_of + interval '240 minutes' and e.due_at <= as_of + interval '1440 minutes') as in_a_day
  )
  select jsonb_build_object(
    'buckets', (
      select jsonb_agg(jsonb_build_object('from_minutes', b.lowest, 'to_minutes', b.highest, 'breach_risk', b.risk, 'open_count', b.open_count) order by b.place)
      from (values
        (1, null, -1441, 'breached', (s.counts -> 'breached_count')::bigint - n.late_a_day),
        (2, -1440, 0, 'breached', n.late_a_day),
        (3, 1, 59, 'high', n.in_an_hour),
        (4, 60, 240, 'medium', (s.counts -> 'at_risk_count')::bigint - n.in_an_hour),
        (5, 241, 1440, 'low', n.in_a_day),
        (6, 1441, null, 'low', (s.counts -> 'on_track_count')::bigint - n.in_a_day)
      ) as b (place, lowest, highest, risk, open_count)
    ),
    'summary', s.counts,
    'as_of', private.iso(as_of)
  )
  from summary s, near n;
$function$;
grant execute on function private.time_to_breach(timestamp with time zone) to authenticated;

CREATE OR REPLACE FUNCTION private.unbin_record(surface text, id text)
 RETURNS public.records
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.records;
begin
  perform private.require_bin_access();
  select * into r from public.records x
  where x.id = $2 and x.tenant_id = private.tenant_id() and x.surface = $1 for update;
  if not found then
    perform private.refuse('not_found', 'There is no such record.');
  end if;
  if r.deleted_at is not null then
    update public.records x set deleted_at = null where x.id = r.id returning * into r;
  end if;
  return r;
end $function$;
grant execute on function private.unbin_record(text,text) to authenticated;

CREATE OR REPLACE FUNCTION private.unsigned_security_event_chains()
 RETURNS TABLE(chain text, seq bigint, hash text, at text, signed jsonb)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select h.chain, h.seq, h.hash, private.iso(now()), last.signed
  from private.security_event_heads h left join lateral (
    select c.seq, jsonb_build_object('kind', c.kind, 'seq', c.seq, 'hash', c.hash, 'at', private.iso(c.at), 'key_id', c.key_id, 'signature', c.signature) as signed
    from private.security_event_checkpoints c where c.chain = h.chain and c.kind = 'head' order by c.seq desc limit 1
  ) last on true
  where h.seq > coalesce(last.seq, 0);
$function$;

CREATE OR REPLACE FUNCTION private.usage_rows(rows jsonb)
 RETURNS TABLE(api_key_id text, tenant_id text, operation text, address inet, outcome text, calls bigint, seen_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select u.api_key_id, k.tenant_id, u.operation, u.address, u.outcome, u.calls, now() - make_interval(secs => u.age_ms / 1000.0)
  from jsonb_to_recordset(rows) as u (api_key_id text, operation text, address inet, outcome text, calls bigint, age_ms bigint)
  join public.api_keys k on k.id = u.api_key_id;
$function$;

CREATE OR REPLACE FUNCTION private.version_of(state jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select ('x' || left(encode(sha256(convert_to(state::text, 'UTF8')), 'hex'), 13))::bit(52)::bigint;
$function$;
grant execute on function private.version_of(jsonb) to authenticated;

CREATE OR REPLACE FUNCTION private.wake_webhook(webhook_id text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
  select graphile_worker.add_job('deliver_webhook', json_build_object('webhook_id', webhook_id));
$function$;

CREATE OR REPLACE FUNCTION private.warn_of_failing_webhook(w public.webhooks, detail text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  days_left constant integer := case when w.failing_since <= now() - interval '4 days' then 1 else 2 end;
  warning constant text := format('%s:%s:%s', w.id, private.iso(w.failing_since), days_left);
begin
  if w.status <> 'active' or exists (
    select from public.events e where e.tenant_id = w.tenant_id and e.type = 'webhook.failing' and e.once_key = warning
  ) then
    return;
  end if;
  insert into public.security_events (tenant_id, type, actor, target, reason, details) values (
    w.tenant_id, 'webhook.failing', 'system', w.id, detail,
    jsonb_build_object('url', w.url, 'failing_since', private.iso(w.failing_since), 'disable_at', private.iso(private.webhook_disable_at(w.failing_since)))
  );
  perform private.emit(w.tenant_id, 'webhook.failing', jsonb_build_object(
    'id', w.id, 'url', w.url, 'failing_since', private.iso(w.failing_since),
    'disable_at', private.iso(private.webhook_disable_at(w.failing_since)), 'detail', detail
  ), warning);
end $function$;

CREATE OR REPLACE FUNCTION private.warn_of_failing_webhooks()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  for w in
    select * from public.webhooks x
    where x.status = 'active' and x.deleted_at is null and x.failing_since <= now() - interval '3 days'
    order by x.id for no key update skip locked
  loop
    perform private.warn_of_failing_webhook(w, (
      select a.detail
      from (
        select d.id from public.webhook_deliveries d
        where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.attempt_count > 0 order by d.id desc limit 50
      ) recent
      join public.webhook_attempts a on a.delivery_id = recent.id and a.status = 'failed'
      order by a.id desc limit 1
    ));
  end loop;
end $function$;
grant execute on function private.warn_of_failing_webhooks() to service_role;

CREATE OR REPLACE FUNCTION private.webhook_disable_at(failing_since timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (failing_since + '5 days'::interval);
grant execute on function private.webhook_disable_at(timestamp with time zone) to authenticated;

CREATE OR REPLACE FUNCTION private.webhook_failure_kind(w public.webhooks)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select a.failure_kind
  from (
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.attempt_count > 0 order by d.id desc limit 50
  ) recent
  join public.webhook_attempts a on a.delivery_id = recent.id and a.status = 'failed'
  where w.failing_since is not null
  order by a.id desc limit 1;
$function$;
grant execute on function private.webhook_failure_kind(public.webhooks) to authenticated;

CREATE OR REPLACE FUNCTION private.webhook_health(webhook_id text, span interval)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  with counted as (
    select t.succeeded, t.bucket, t.attempts from public.webhook_answer_times t
    where t.webhook_id = $1 and t.hour > now() - span
  ), answered as (
    select bucket, sum(attempts) as attempts, sum(sum(attempts)) over (order by bucket) as up_to, sum(sum(attempts)) over () as total
    from counted where bucket >= 0 group by bucket
  )
  select jsonb_build_object(
    'attempts', coalesce(sum(attempts), 0),
    'failures', coalesce(sum(attempts) filter (where not succeeded), 0),
    'success_rate', round(coalesce(sum(attempts) filter (where succeeded), 0) / nullif(sum(attempts), 0), 4),
    'p50_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.5),
    'p95_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.95)
  )
  from counted;
$function$;
grant execute on function private.webhook_health(text,interval) to authenticated;

CREATE OR REPLACE FUNCTION private.webhook_json(w public.webhooks)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  last_day constant jsonb := private.webhook_health(w.id, interval '24 hours');
begin
  return jsonb_build_object(
    'id', w.id, 'url', w.url, 'description', w.description, 'events', w.events, 'status', w.status,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by, 'disabled_reason', w.disabled_reason,
    'disabled_detail', w.disabled_detail,
    'health', case
      when w.status = 'disabled' then 'disabled'
      when w.failing_since is not null then 'failing'
      when last_day -> 'success_rate' = 'null' then 'idle'
      when (last_day ->> 'success_rate')::numeric < 0.95 then 'degraded'
      else 'healthy'
    end,
    'last_24h', last_day, 'last_7d', private.webhook_health(w.id, interval '7 days'),
    'failing_since', private.iso(w.failing_since),
    'disable_at', case when w.status = 'active' then private.iso(private.webhook_disable_at(w.failing_since)) end,
    'last_success_at', private.iso(w.last_success_at), 'last_failure_at', private.iso(w.last_failure_at),
    'last_failure_kind', private.webhook_failure_kind(w),
    'next_attempt_at', (
      select private.iso(d.next_attempt_at) from public.webhook_deliveries d
      where d.webhook_id = w.id and d.status = 'pending' and d.lease is null order by d.next_attempt_at limit 1
    ),
    'missed_since', (
      select private.iso(d.created_at) from public.webhook_deliveries d
      where d.webhook_id = w.id and d.status = 'failed' order by d.id limit 1
    ),
    'secret_changed_at', private.iso(w.secret_changed_at),
    'previous_secret_expires_at', case when w.previous_secret_expires_at > now() then private.iso(w.previous_secret_expires_at) end,
    'created_at', private.iso(w.created_at), 'created_by', w.created_by, 'updated_at', private.iso(w.updated_at)
  );
end $function$;
grant execute on function private.webhook_json(public.webhooks) to authenticated;

CREATE OR REPLACE FUNCTION private.webhook_version(w public.webhooks)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$
  select private.version_of(jsonb_build_array(
    w.url, w.description, w.events, w.status, private.iso(w.disabled_at), private.iso(w.secret_changed_at), private.iso(w.deleted_at)
  ));
$function$;
grant execute on function private.webhook_version(public.webhooks) to authenticated;

CREATE OR REPLACE FUNCTION private.word_patterns(q text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN COALESCE((SELECT array_agg((('%'::text || replace(replace(replace(word.word, '\'::text, '\\'::text), '%'::text, '\%'::text), '_'::text, '\_'::text)) || '%'::text)) AS array_agg FROM regexp_split_to_table(lower(word_patterns.q), '\s+'::text) word(word) WHERE (word.word <> ''::text)), '{}'::text[]);
grant execute on function private.word_patterns(text) to authenticated;

CREATE OR REPLACE FUNCTION private.works_with_exceptions()
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN private.allows('{tenant_admin,tenant_analyst,tenant_lead}'::text[], '{read:exceptions,write:exceptions,read:reconciliations,write:reconciliations}'::text[]);
grant execute on function private.works_with_exceptions() to authenticated;

CREATE OR REPLACE FUNCTION public.continue_security_event_export(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request || '{"continues": true}', '{tenant_admin}', '{}');
  return private.security_events_page(input);
end $function$;
grant execute on function public.continue_security_event_export(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.create_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  created public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_expiry((input ->> 'expires_at')::timestamptz);
  created := private.insert_api_key(input);
  perform private.record_security_event('api_key.created', created.id, null,
    jsonb_build_object('name', created.name, 'scopes', created.scopes, 'ip_allowlist', created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
  return private.remember(request, private.api_key_json(created) || jsonb_build_object('version', private.api_key_version(created)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
grant execute on function public.create_api_key(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.create_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  created public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.remember(request, private.exception_json(created) || jsonb_build_object('version', private.exception_version(created)));
end $function$;
grant execute on function public.create_exception(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  created public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{write:reconciliations}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    input ->> 'left_source', input ->> 'right_source', coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0)
  )
  returning * into created;
  return private.remember(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
grant execute on function public.create_reconciliation(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.create_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  created public.records;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_record_size(input -> 'data');
  insert into public.records (surface, data) values (input ->> 'surface', input -> 'data') returning * into created;
  return private.remember(request, private.record_json(created));
end $function$;
grant execute on function public.create_record(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.create_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  if (select count(*) >= 250 from public.webhooks x where x.tenant_id = private.tenant_id() and x.deleted_at is null) then
    perform private.refuse('conflict', 'A tenant may have at most 250 webhooks. Delete one first.');
  end if;
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.remember(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
grant execute on function public.create_webhook(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.delete_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.records;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  r := private.lock_record(input ->> 'surface', input ->> 'id');
  perform private.require_version(r.version, request -> 'versions');
  return jsonb_build_object('replayed', false, 'body', private.record_json(private.bin_record(r.id)));
end $function$;
grant execute on function public.delete_record(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.delete_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  w := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(w), request -> 'versions');
  perform private.drop_waiting_deliveries(w.id), private.forget_webhook_secrets(w.id);
  update public.webhooks x set deleted_at = now(), updated_at = now() where x.id = w.id and x.tenant_id = w.tenant_id;
  perform private.record_security_event('webhook.deleted', w.id, null, jsonb_build_object('url', w.url));
  return jsonb_build_object('replayed', false, 'body', jsonb_build_object('id', w.id, 'deleted', true));
end $function$;
grant execute on function public.delete_webhook(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.enable_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  return private.remember(request, private.webhook_json(private.enable_webhook(private.lock_webhook(input ->> 'id'))));
end $function$;
grant execute on function public.enable_webhook(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.find_api_key(key_id text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN private.find_api_key(key_id);
grant execute on function public.find_api_key(text) to service_role;

CREATE OR REPLACE FUNCTION public.find_session_user(user_id uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
RETURN private.find_session_user(user_id);
grant execute on function public.find_session_user(uuid) to service_role;

CREATE OR REPLACE FUNCTION public.get_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k));
end $function$;
grant execute on function public.get_api_key(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_api_key_usage(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(h.hour), 'accepted', h.accepted, 'refused', h.refused) order by h.hour)
      from (
        select hour, coalesce(sum(calls) filter (where outcome like 'accepted%'), 0) as accepted,
          coalesce(sum(calls) filter (where outcome not like 'accepted%'), 0) as refused
        from public.api_key_usage_hourly where api_key_id = k.id and hour > now() - interval '7 days' group by hour
      ) h
    ), '[]'),
    'days', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(d.day::timestamp at time zone 'UTC'), 'accepted', d.accepted, 'refused', d.refused) order by d.day)
      from (
        select day, coalesce(sum(calls) filter (where outcome like 'accepted%'), 0) as accepted,
          coalesce(sum(calls) filter (where outcome not like 'accepted%'), 0) as refused
        from public.api_key_usage_daily where api_key_id = k.id and day > (now() at time zone 'UTC')::date - 90 group by day
      ) d
    ), '[]'),
    'addresses', coalesce((
      select jsonb_agg(jsonb_build_object('address', host(a.address), 'calls', a.calls, 'in_grace', a.in_grace, 'last_seen_at', private.iso(a.last_seen)) order by a.last_seen desc)
      from (
        select address, sum(calls) as calls, coalesce(sum(calls) filter (where outcome = 'accepted_in_grace'), 0) as in_grace, max(last_seen_at) as last_seen
        from public.api_key_usage_hourly
        where api_key_id = k.id and hour > now() - interval '7 days' and outcome like 'accepted%'
        group by address order by max(last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select outcome, sum(calls) as calls from public.api_key_usage_daily
        where api_key_id = k.id and outcome not like 'accepted%' group by outcome
      ) r
    ), '{}')
  );
end $function$;
grant execute on function public.get_api_key_usage(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_one public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select * into found_one from public.exceptions where id = input ->> 'id' and tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  return private.exception_json(found_one) || jsonb_build_object('version', private.exception_version(found_one));
end $function$;
grant execute on function public.get_exception(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_exception_ledger(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select * into e from public.exceptions x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e),
    'rows', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'at', private.iso(l.at), 'kind', l.kind, 'due_at', private.iso(l.due_at), 'threshold_minutes', l.threshold_minutes,
        'actor', l.actor, 'request_id', l.request_id
      ) order by l.at, l.id), '[]')
      from public.exception_ledger l where l.tenant_id = e.tenant_id and l.exception_id = e.id
    )
  );
end $function$;
grant execute on function public.get_exception_ledger(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_first_steps(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $function$;
grant execute on function public.get_first_steps(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_me(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, null, null);
  return jsonb_build_object('tenant_id', private.tenant_id(), 'tenant_name', (
    select t.name from public.tenants t where t.id = private.tenant_id() and private.principal_type() <> 'publishable_key'
  ));
end $function$;
grant execute on function public.get_me(jsonb,jsonb) to anon;
grant execute on function public.get_me(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:reconciliations}');
  select * into r from public.reconciliations x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such reconciliation.');
  end if;
  return private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r));
end $function$;
grant execute on function public.get_reconciliation(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  with_deleted constant boolean := coalesce(input ->> 'include_deleted' in ('true', 'only'), false);
begin
  perform private.enter_records(request, input ->> 'surface', 'read');
  if with_deleted then
    perform private.require_bin_access();
  end if;
  select private.record_json(r) into answer from public.records r
  where r.id = input ->> 'id' and r.tenant_id = private.tenant_id() and r.surface = input ->> 'surface'
    and (r.deleted_at is null or with_deleted);
  if answer is null then
    perform private.refuse('not_found', 'There is no such record.');
  end if;
  return answer;
end $function$;
grant execute on function public.get_record(jsonb,jsonb) to anon;
grant execute on function public.get_record(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_security_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.security_events;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into e from public.security_events x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id() and x.seq is not null;
  if not found then
    perform private.refuse('not_found', 'There is no such security event.');
  end if;
  return private.security_event_json(e);
end $function$;
grant execute on function public.get_security_event(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  return (
    select private.sla_policy_json(p) || jsonb_build_object('version', p.version)
    from public.sla_policies p where p.tenant_id = private.tenant_id()
  );
end $function$;
grant execute on function public.get_sla_policy(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_time_to_breach(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  return private.time_to_breach(now()::timestamptz(3));
end $function$;
grant execute on function public.get_time_to_breach(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  w := private.find_webhook(input ->> 'id');
  return private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w));
end $function$;
grant execute on function public.get_webhook(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.get_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  d public.webhook_deliveries;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  perform private.find_webhook(input ->> 'id');
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  return private.delivery_json(d) || jsonb_build_object(
    'payload', (
      select jsonb_build_object('type', e.type, 'timestamp', private.iso(e.at), 'data', e.data) from public.events e where e.id = d.event_id
    ),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(a) || jsonb_build_object(
        'response', case when a.status_code is not null then jsonb_build_object(
          'headers', coalesce(a.response_headers, '{}'), 'body', coalesce(a.response_body, ''), 'truncated', coalesce(a.response_truncated, false)
        ) end
      ) order by a.number)
      from public.webhook_attempts a where a.delivery_id = d.id
    ), '[]')
  );
end $function$;
grant execute on function public.get_webhook_delivery(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.import_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  refused jsonb;
  accepted integer;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  select jsonb_agg(jsonb_build_object('line', r ->> 'line', 'path', 'reconciliation_id', 'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') r
  where r ->> 'reconciliation_id' is not null and not exists (
    select from public.reconciliations c where c.id = r ->> 'reconciliation_id' and c.tenant_id = private.tenant_id()
  );
  select count(*) into accepted from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(input -> 'rows') r
    where not exists (select from jsonb_array_elements(refused) f where f ->> 'line' = r ->> 'line')
  ) end);
  if not (private.principal_type() = 'service_role' and coalesce((request ->> 'continues')::boolean, false)) then
    perform private.record_security_event('exceptions.imported', null, null,
      jsonb_build_object('accepted', accepted, 'refused', jsonb_array_length(coalesce(refused, '[]'))));
  end if;
  return private.remember(request, jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $function$;
grant execute on function public.import_exceptions(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_api_key_calls(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return private.remember(request, jsonb_build_object(
    'as_of', private.iso(now()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', operation, 'address', host(address), 'hour', private.iso(hour), 'calls', calls, 'last_seen_at', private.iso(last_seen_at)
      ))
      from public.api_key_usage_hourly
      where api_key_id = k.id and hour > now() - interval '7 days' and outcome like 'accepted%'
    ), '[]')
  ));
end $function$;
grant execute on function public.list_api_key_calls(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_api_keys(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select jsonb_agg(k.json order by k.id desc) into page
  from (
    select a.id, j.json from public.api_keys a cross join lateral (select private.api_key_json(a) as json) j
    where a.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
      and (sought is null or strpos(lower(a.name), sought) > 0 or strpos(lower(a.key_id), sought) > 0 or a.id = sought)
      and (input ->> 'status' is null or j.json ->> 'status' = input ->> 'status')
    order by a.id desc
    limit page_size + 1
  ) k;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end)
    || jsonb_build_object('as_of', private.iso(now()));
end $function$;
grant execute on function public.list_api_keys(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_exception_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  page jsonb;
  keys bigint[];
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  if not exists (select from public.exceptions x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id()) then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  select jsonb_agg(jsonb_build_object(
    'at', private.iso(h.at), 'actor', h.actor, 'request_id', h.request_id, 'kind', h.kind,
    'changes', case h.kind when 'created' then coalesce(private.exception_changes('{}', h.changes), '{}') else h.changes end
  ) order by h.id desc), array_agg(h.id order by h.id desc)
  into page, keys
  from (
    select * from public.exception_history x
    where x.tenant_id = private.tenant_id() and x.exception_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null or x.id < (input -> 'after' ->> 0)::bigint)
    order by x.id desc limit page_size + 1
  ) h;
  return private.page(page, page_size, case when cardinality(keys) > page_size then jsonb_build_array(keys[page_size]::text) end);
end $function$;
grant execute on function public.list_exception_history(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size integer := (input ->> 'limit')::integer;
  words constant text[] := private.word_patterns(input ->> 'q');
  page jsonb;
  ids text[];
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:exceptions}');
  select jsonb_agg(private.exception_json(e) order by e.id desc), array_agg(e.id order by e.id desc)
  into page, ids
  from (
    select * from public.exceptions x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'severity' is null or x.severity = input ->> 'severity')
      and (input ->> 'assigned_to' is null or x.assigned_to = input ->> 'assigned_to')
      and (input ->> 'reconciliation_id' is null or x.reconciliation_id = input ->> 'reconciliation_id')
      and (words = '{}' or lower(concat_ws(' ', x.title, x.reason_code, x.id)) like all (words))
    order by x.id desc
    limit page_size + 1
  ) e;
  return private.page(page, page_size, case when cardinality(ids) > page_size then jsonb_build_array(ids[page_size]) end);
end $function$;
grant execute on function public.list_exceptions(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_members(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  select jsonb_agg(jsonb_build_object('name', m.name, 'user', 'user:' || m.name, 'roles', m.roles, 'source', m.source) order by m.name) into page
  from (
    select * from private.members() x
    where (input -> 'after' ->> 0 is null or x.name > input -> 'after' ->> 0) and (sought is null or strpos(lower(x.name), sought) > 0)
    order by x.name
    limit page_size + 1
  ) m;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'name') end);
end $function$;
grant execute on function public.list_members(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_reconciliations(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{read:reconciliations}');
  select jsonb_agg(private.reconciliation_json(r) order by r.id desc) into page
  from (
    select * from public.reconciliations x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'period_from' is null or x.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or x.period_start <= (input ->> 'period_to')::date)
    order by x.id desc
    limit page_size + 1
  ) r;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end);
end $function$;
grant execute on function public.list_reconciliations(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_records(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  ids text[];
  page jsonb;
begin
  perform private.enter_records(request, input ->> 'surface', 'read');
  if input ->> 'include_deleted' in ('true', 'only') then
    perform private.require_bin_access();
  end if;
  ids := private.find_records(input);
  select jsonb_agg(private.record_json(r) -> 'record' order by r.id desc) into page
  from public.records r
  where r.id = any (ids) and r.tenant_id = private.tenant_id() and r.surface = input ->> 'surface';
  return private.page(page, page_size, case when cardinality(ids) > page_size then jsonb_build_array(ids[page_size]) end);
end $function$;
grant execute on function public.list_records(jsonb,jsonb) to anon;
grant execute on function public.list_records(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_security_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return private.security_events_page(input);
end $function$;
grant execute on function public.list_security_events(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  rank_expression constant text := case input ->> 'sort_by'
    when 'severity' then 'e.severity_rank'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
  end;
  sort_key constant text := concat_ws(', ', rank_expression, 'e.due_at', 'e.id');
  risk constant text := input ->> 'breach_risk';
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  page jsonb;
  last jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity_rank = %s',
      array_position('{critical,high,medium,low}', input ->> 'severity') - 1);
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format($q$ and coalesce('0' || e.assigned_to, '1') = %L$q$, '0' || (input ->> 'assigned_to'));
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || format($q$ and lower(concat_ws(' ', e.title, e.reason_code, e.id)) like all (%L::text[])$q$,
      private.word_patterns(input ->> 'q'));
  end if;
  if risk <> 'breached' then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case risk when 'medium' then interval '59 minutes' when 'low' then interval '240 minutes' else interval '0' end);
  end if;
  if risk <> 'low' then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + case risk when 'breached' then interval '0' when 'high' then interval '59 minutes' else interval '240 minutes' end);
  end if;
  if jsonb_typeof(input -> 'after') = 'array' then
    conditions := conditions || format(' and (%s) > (%s%L::timestamptz, %L)', sort_key,
      case when rank_expression is not null then quote_literal(input -> 'after' ->> 0) || ', ' else '' end,
      input -> 'after' ->> 1, input -> 'after' ->> 2);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(p.e, $1) order by p.rank, (p.e).due_at, (p.e).id),
      jsonb_agg(jsonb_build_array(p.rank::text, private.iso((p.e).due_at), (p.e).id) order by p.rank, (p.e).due_at, (p.e).id) -> ($2 - 1)
    from (select e, %1$s as rank from public.exceptions e where %2$s order by %3$s limit $2 + 1) p
  $q$, coalesce(rank_expression, $q$''::text$q$), conditions, sort_key)
  into page, last using as_of, page_size;

  return private.page(page, page_size, case when jsonb_array_length(coalesce(page, '[]')) > page_size then last end)
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
grant execute on function public.list_sla_exceptions(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_webhook_deliveries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted constant text := input ->> 'status';
  conditions text;
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  perform private.find_webhook(input ->> 'id');
  conditions := format('d.tenant_id = private.tenant_id() and d.webhook_id = %L', input ->> 'id');
  if input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and d.id < %L', input -> 'after' ->> 0);
  end if;
  if wanted in ('delivered', 'failed') then
    conditions := conditions || format(' and d.status = %L', wanted);
  elsif wanted is not null then
    conditions := conditions || format(' and d.status = ''pending'' and private.delivery_status(d) = %L', wanted);
  end if;
  if input ->> 'type' is not null then
    conditions := conditions || format(' and d.type = %L', input ->> 'type');
  end if;
  if input ->> 'event_id' is not null then
    conditions := conditions || format(' and d.event_id = %L', input ->> 'event_id');
  end if;
  if input ->> 'since' is not null then
    conditions := conditions || format(' and d.created_at >= %L::timestamptz', input ->> 'since');
  end if;
  if input ->> 'until' is not null then
    conditions := conditions || format(' and d.created_at < %L::timestamptz', input ->> 'until');
  end if;
  execute format($q$
    select jsonb_agg(private.delivery_json(p.d) order by (p.d).id desc)
    from (select d from public.webhook_deliveries d where %s order by d.id desc limit $1 + 1) p
  $q$, conditions) into page using page_size;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end)
    || jsonb_build_object('as_of', private.iso(now()));
end $function$;
grant execute on function public.list_webhook_deliveries(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.list_webhooks(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{read:webhooks}');
  select jsonb_agg(private.webhook_json(w) order by w.id desc) into page
  from (
    select * from public.webhooks x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) w;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end)
    || jsonb_build_object('as_of', private.iso(now()));
end $function$;
grant execute on function public.list_webhooks(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.open_security_event_chain(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return private.own_chain_state();
end $function$;
grant execute on function public.open_security_event_chain(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.open_security_event_export(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return jsonb_build_object('through', (
    select coalesce(max(x.seq), 0)::text from public.security_events x
    where x.tenant_id = private.tenant_id() and coalesce(x.tenant_id, '*') = private.tenant_id() and x.seq is not null
  ));
end $function$;
grant execute on function public.open_security_event_export(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.put_first_steps(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  perform private.require_version(private.first_steps_version(), request -> 'versions');
  if (input ->> 'dismissed')::boolean then
    insert into public.first_steps_dismissals (tenant_id) values (private.tenant_id()) on conflict do nothing;
  else
    delete from public.first_steps_dismissals d
    where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id';
  end if;
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $function$;
grant execute on function public.put_first_steps(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.put_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  before public.sla_policies;
  after public.sla_policies;
  impact jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{}');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array' and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format('The policy is not as If-Match says: %s has changed it since. Get it again, and repeat your change on what you find.', before.updated_by));
  end if;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);

  with moved as (
    select e.severity, e.due_at, e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity)) as new_due_at
    from public.exceptions e
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity)
  )
  select jsonb_build_object(
    'changed', count(*), 'earlier', count(*) filter (where new_due_at < due_at), 'later', count(*) filter (where new_due_at > due_at),
    'newly_breached', count(*) filter (where due_at > now() and new_due_at <= now()),
    'no_longer_breached', count(*) filter (where due_at <= now() and new_due_at > now()),
    'by_severity', jsonb_build_object(
      'critical', count(*) filter (where severity = 'critical'), 'high', count(*) filter (where severity = 'high'),
      'medium', count(*) filter (where severity = 'medium'), 'low', count(*) filter (where severity = 'low')
    )
  ) into impact from moved;

  if not (input ->> 'dry_run')::boolean and after is distinct from before then
    update public.sla_policies set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, updated_at = now(), updated_by = private.actor(),
      version = before.version + 1
    where tenant_id = before.tenant_id returning * into after;
    update public.exceptions e set due_at = e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity))
    where e.tenant_id = before.tenant_id and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity);
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', (input ->> 'dry_run')::boolean, 'impact', impact);
end $function$;
grant execute on function public.put_sla_policy(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.readiness()
 RETURNS jsonb
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  select jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.worker_heartbeats)
  );
$function$;
grant execute on function public.readiness() to service_role;

CREATE OR REPLACE FUNCTION public.record_api_key_usage(batch uuid, rows jsonb)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
AS $function$
  select private.record_api_key_usage(batch, rows);
$function$;
grant execute on function public.record_api_key_usage(uuid,jsonb) to service_role;

CREATE OR REPLACE FUNCTION public.record_security_events(events jsonb)
 RETURNS void
 LANGUAGE sql
 SET search_path TO ''
BEGIN ATOMIC
 SELECT private.record_security_events(events) AS record_security_events;
END;
grant execute on function public.record_security_events(jsonb) to service_role;

CREATE OR REPLACE FUNCTION public.recover_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  answer jsonb;
  w public.webhooks;
  missed text[];
  recovered bigint;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  w := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(w);
  end if;
  missed := array(
    select d.id from public.webhook_deliveries d
    where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.created_at >= since and d.status = 'failed'
    union all
    select d.id from public.webhook_deliveries d
    where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.created_at >= since and d.status = 'pending'
      and private.delivery_status(d) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed) else private.requeue_deliveries(w.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', w.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.remember(request, jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $function$;
grant execute on function public.recover_webhook(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.report_sla(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  return jsonb_build_object('since', private.iso(since), 'until', private.iso(until), 'by', input ->> 'by', 'rows', coalesce((
    select jsonb_agg(jsonb_build_object(
      'key', g.key, 'opened', g.opened, 'resolved', g.resolved, 'breached', g.breached,
      'breach_rate', round(g.breached::numeric / nullif(g.settled, 0), 4),
      'median_minutes_to_resolve', round(g.median::numeric, 1), 'p90_minutes_to_resolve', round(g.p90::numeric, 1)
    ) order by g.key)
    from (
      select x.key,
        count(*) filter (where x.kind = 'set') as opened,
        count(*) filter (where x.kind in ('resolved', 'dismissed')) as resolved,
        count(distinct x.exception_id) filter (where x.kind = 'crossed') as breached,
        count(distinct x.exception_id) filter (where x.kind <> 'set') as settled,
        percentile_cont(0.5) within group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as median,
        percentile_cont(0.9) within group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as p90
      from (
        select l.kind, l.exception_id, extract(epoch from l.at - e.created_at) / 60 as minutes,
          case input ->> 'by'
            when 'day' then to_char(l.at at time zone 'UTC', 'YYYY-MM-DD')
            when 'severity' then e.severity
            else e.assigned_to
          end as key
        from public.exception_ledger l join public.exceptions e on e.id = l.exception_id
        where l.tenant_id = private.tenant_id() and l.at >= since and l.at < until
          and (l.kind in ('set', 'resolved', 'dismissed') or (l.kind = 'crossed' and l.threshold_minutes = 0))
      ) x
      group by x.key
    ) g
  ), '[]'));
end $function$;
grant execute on function public.report_sla(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.resend_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  d public.webhook_deliveries;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_active_webhook(private.lock_webhook(input ->> 'id'));
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  if private.requeue_deliveries(d.webhook_id, array[d.id], 'resend') = 0 then
    perform private.refuse('conflict', 'This delivery is being sent just now. Wait for its answer.');
  end if;
  return private.remember(request, private.delivery_json(private.find_delivery(d.webhook_id, d.id)));
end $function$;
grant execute on function public.resend_webhook_delivery(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.restore_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  return private.remember(request, private.record_json(private.unbin_record(input ->> 'surface', input ->> 'id')));
end $function$;
grant execute on function public.restore_record(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.revoke_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit_own('api_key.revoked', jsonb_build_object(
      'id', k.id, 'name', k.name, 'key_id', k.key_id, 'revoked_at', private.iso(k.revoked_at), 'revoked_by', k.revoked_by, 'reason', k.revoke_reason
    ), k.id);
  end if;
  return private.remember(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
grant execute on function public.revoke_api_key(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.rotate_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  old public.api_keys;
  successor public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  old := private.lock_api_key(input ->> 'id');
  perform private.require_usable_api_key(old);
  if old.rotated_to is not null then
    perform private.refuse('conflict', 'This API key has been rotated already. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, grace_expires_at = now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer), updated_at = now()
  where k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.remember(request, private.api_key_json(successor) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
grant execute on function public.rotate_api_key(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.rotate_webhook_secret(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  answer jsonb;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret', grace);
  update public.webhooks x set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where x.id = w.id and x.tenant_id = w.tenant_id
  returning * into w;
  perform private.record_security_event('webhook.secret_rotated', w.id, null,
    jsonb_build_object('previous_secret_expires_at', private.iso(w.previous_secret_expires_at)));
  return private.remember(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
grant execute on function public.rotate_webhook_secret(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.service_metrics()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO ''
AS $function$ select private.service_metrics(); $function$;
grant execute on function public.service_metrics() to service_role;

CREATE OR REPLACE FUNCTION public.test_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  w public.webhooks;
  d public.webhook_deliveries;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  perform private.emit_own('webhook.test',
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor()));
  -- The webhook is locked: no other test of it can be the newest.
  select * into d from public.webhook_deliveries x
  where x.tenant_id = w.tenant_id and x.webhook_id = w.id and x.type = 'webhook.test' order by x.id desc limit 1;
  return private.remember(request, private.delivery_json(d));
end $function$;
grant execute on function public.test_webhook(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.update_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  -- What calls change, and time: no part of a change that somebody makes.
  use constant text[] := '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  after jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  perform private.require_usable_api_key(k);
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    updated_at = now()
  where a.id = k.id returning * into k;
  after := private.api_key_json(k) - use;
  if after <> before then
    perform private.record_security_event('api_key.updated', k.id, null, (
      select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
      from jsonb_each(after) where value is distinct from before -> key
    ));
  end if;
  return jsonb_build_object('replayed', false, 'body', private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
grant execute on function public.update_api_key(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.update_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  select * into before from public.exceptions where id = input ->> 'id' and tenant_id = private.tenant_id() for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such exception.');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  after := private.patch_exception(before, patch);
  if after is distinct from before then
    update public.exceptions e set
      title = after.title, severity = after.severity, assigned_to = after.assigned_to, due_at = after.due_at,
      due_from_policy = after.due_from_policy, status = after.status, reason_code = after.reason_code, amount_minor = after.amount_minor,
      currency = after.currency, reconciliation_id = after.reconciliation_id, details = after.details, resolution = after.resolution
    where e.id = before.id and e.tenant_id = before.tenant_id
    returning * into after;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.exception_json(after) || jsonb_build_object('version', private.exception_version(after)));
end $function$;
grant execute on function public.update_exception(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  answer jsonb;
  patch jsonb := input -> 'patch';
  ids text[] := private.text_array(input -> 'ids');
  refused jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{write:exceptions}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform from public.exceptions e where e.id = any (ids) and e.tenant_id = private.tenant_id() order by e.id for no key update;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.id = i.id and e.tenant_id = private.tenant_id());
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.id = i.id
  where patch ? 'status' and not private.may_move(e.status, patch ->> 'status');
  if refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  update public.exceptions e set
    severity = (x.after).severity, assigned_to = (x.after).assigned_to, due_at = (x.after).due_at,
    due_from_policy = (x.after).due_from_policy, status = (x.after).status, reason_code = (x.after).reason_code, resolution = (x.after).resolution
  from (
    select b.id, private.patch_exception(b, patch) as after from public.exceptions b where b.id = any (ids) and b.tenant_id = private.tenant_id()
  ) x
  where e.id = x.id;
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids), 'patch', patch));
  return private.remember(request, jsonb_build_object(
    'updated', cardinality(ids),
    'items', (select jsonb_agg(private.exception_json(e) order by i.n) from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.id = i.id)
  ));
end $function$;
grant execute on function public.update_exceptions(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.update_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  before public.reconciliations;
  after public.reconciliations;
begin
  perform private.enter(request, '{tenant_admin,tenant_lead}', '{write:reconciliations}');
  select * into before from public.reconciliations x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id() for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such reconciliation.');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count
    where x.id = before.id and x.tenant_id = before.tenant_id
    returning * into after;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $function$;
grant execute on function public.update_reconciliation(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.update_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.records;
  patched jsonb;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  r := private.lock_record(input ->> 'surface', input ->> 'id');
  perform private.require_version(r.version, request -> 'versions');
  patched := private.merge_patch(r.data, input -> 'patch');
  if patched <> r.data then
    perform private.require_record_size(patched);
    update public.records x set data = patched where x.id = r.id and x.tenant_id = r.tenant_id returning * into r;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.record_json(r));
end $function$;
grant execute on function public.update_record(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  perform private.enter(request, '{tenant_admin}', '{write:webhooks}');
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := before;
  if patch ? 'url' then
    w.url := patch ->> 'url';
  end if;
  if patch ? 'description' then
    w.description := patch ->> 'description';
  end if;
  if patch ? 'events' then
    w.events := private.text_array(patch -> 'events');
  end if;
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.id = before.id and x.tenant_id = before.tenant_id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select jsonb_object_agg(field, jsonb_build_object('from', old_value, 'to', new_value))
      from (values
        ('url', to_jsonb(before.url), to_jsonb(w.url)),
        ('description', to_jsonb(before.description), to_jsonb(w.description)),
        ('events', to_jsonb(before.events), to_jsonb(w.events))
      ) as change (field, old_value, new_value)
      where new_value is distinct from old_value
    ));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return jsonb_build_object('replayed', false, 'body', private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
grant execute on function public.update_webhook(jsonb,jsonb) to authenticated;

CREATE OR REPLACE FUNCTION public.walk_security_event_chain(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  after constant bigint := input ->> 'after';
  through constant bigint := input ->> 'through';
  page_size constant integer := input ->> 'limit';
begin
  perform private.enter(request || '{"continues": true}', '{tenant_admin}', '{}');
  return coalesce(
    private.security_event_texts(after, least(through, after + page_size), page_size),
    private.security_event_texts(after, through, page_size),
    '[]'
  );
end $function$;
grant execute on function public.walk_security_event_chain(jsonb,jsonb) to authenticated;
