-- Reconciliations of two sources, and exceptions of their lines.
alter table public.reconciliations
  add column pair_no integer,
  add column left_source_id text,
  add column right_source_id text,
  add column auto_run boolean not null default true,
  add column closed_at timestamptz(3),
  add column closed_by text;
alter table public.exceptions
  add column pair_no integer,
  add column line_no bigint,
  add column line_id uuid,
  add column suggested_match_id uuid,
  add column resolved_by_matching boolean not null default false;
create index reconciliations_by_pair on public.reconciliations (tenant_id, pair_no, period_end) where pair_no is not null;
create index exceptions_by_line on public.exceptions (tenant_id, line_no, id) where line_no is not null;
create unique index exceptions_open_of_line on public.exceptions (tenant_id, line_no, pair_no) where line_no is not null and status in ('open', 'in_review');
create index exceptions_by_suggestion on public.exceptions (tenant_id, suggested_match_id) where suggested_match_id is not null;
create index exceptions_open_by_pair on public.exceptions (tenant_id, pair_no) where pair_no is not null and status in ('open', 'in_review');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

revoke update (left_source, matched_count, name, period_end, period_start, right_source, status, unmatched_count) on public.reconciliations from authenticated;
revoke insert (left_source, matched_count, name, period_end, period_start, right_source, status, unmatched_count) on public.reconciliations from authenticated;
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
create table public.sources (
  id text not null default private.new_id('src'::text),
  tenant_id text not null default private.tenant_id(),
  source_no integer not null generated always as identity,
  name text not null,
  kind text not null,
  currency text not null,
  time_zone text not null default 'UTC'::text,
  sign text not null default 'as_is'::text,
  mapping jsonb,
  grace_days smallint not null default 3,
  line_count bigint not null default 0,
  last_import_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default now()
);
create table public.lines (
  tenant_id text not null,
  id uuid not null,
  line_no bigint not null generated always as identity,
  source_no integer not null,
  file_line integer,
  import_id text,
  external_id text,
  amount_minor bigint not null,
  currency text not null,
  value_date date not null,
  booked_date date,
  reference text,
  counterparty text,
  description text,
  group_key text,
  details jsonb,
  created_at timestamp(3) with time zone not null default now()
);
create table public.imports (
  id text not null default private.new_id('imp'::text),
  tenant_id text not null default private.tenant_id(),
  source_no integer not null,
  status text not null default 'receiving'::text,
  format text not null,
  mapping jsonb,
  file_name text,
  read_count bigint not null default 0,
  accepted_count bigint not null default 0,
  duplicate_count bigint not null default 0,
  refused_count bigint not null default 0,
  skipped_count bigint not null default 0,
  refusals jsonb not null default '[]'::jsonb,
  statements jsonb not null default '[]'::jsonb,
  opening_balance_minor bigint,
  closing_balance_minor bigint,
  balance_holds boolean,
  bytes_read bigint not null default 0,
  bytes_total bigint not null default 0,
  failure text,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  finished_at timestamp(3) with time zone,
  undone_at timestamp(3) with time zone,
  undone_by text,
  first_line_no bigint,
  last_line_no bigint
);
create table private.import_chunks (
  tenant_id text not null,
  import_id text not null,
  seq integer not null,
  bytes bytea not null
);
create table public.pairs (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null generated always as identity,
  left_source_no integer not null,
  right_source_no integer not null,
  rules_version integer not null default 0,
  weights jsonb,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
);
create table public.pair_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null,
  rules jsonb not null,
  policy jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
);
create table private.open_lines (
  tenant_id text not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null,
  currency text not null,
  amount_minor bigint not null,
  open_minor bigint not null,
  value_date date not null
) with (fillfactor=95, autovacuum_vacuum_scale_factor=0.05);
create table public.matches (
  tenant_id text not null default private.tenant_id(),
  id uuid not null,
  pair_no integer not null,
  reconciliation_id text not null,
  run_id text,
  state text not null,
  shape text not null,
  method text not null,
  settled boolean not null default false,
  score real,
  margin real,
  currency text not null,
  amount_minor bigint not null,
  residual_minor bigint not null default 0,
  adjustments jsonb not null default '[]'::jsonb,
  note text,
  explanation jsonb,
  hash_high bigint,
  hash_low bigint,
  decided_by text,
  decided_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
) with (fillfactor=95);
create table public.match_members (
  tenant_id text not null default private.tenant_id(),
  match_id uuid not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null,
  allocated_minor bigint not null
);
create table public.exclusions (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  line_no bigint not null,
  reconciliation_id text not null,
  side text not null,
  currency text not null,
  excluded_minor bigint not null,
  reason text not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
);
create table private.decisions (
  tenant_id text not null,
  pair_no integer not null,
  id bigint not null generated always as identity,
  match_id uuid not null,
  confirmed boolean not null,
  score real
);
create table private.matched_counts (
  tenant_id text not null,
  reconciliation_id text not null,
  lines bigint not null default 0
);
create table public.runs (
  id text not null default private.new_id('run'::text),
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  pair_no integer not null,
  status text not null default 'queued'::text,
  dry_run jsonb,
  stage text,
  lines_done bigint not null default 0,
  lines_total bigint not null default 0,
  waterfall jsonb not null default '[]'::jsonb,
  impact jsonb,
  changed jsonb,
  suggested_count bigint not null default 0,
  open_count bigint not null default 0,
  exceptions_opened integer not null default 0,
  exceptions_held_back integer not null default 0,
  rules_version integer,
  engine_version text,
  digest text,
  failure text,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  started_at timestamp(3) with time zone,
  finished_at timestamp(3) with time zone
);
create table public.closings (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  statement jsonb not null,
  closed_at timestamp(3) with time zone not null default now(),
  closed_by text not null default private.actor()
);
create table public.carried_lines (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  line_no bigint not null,
  side text not null,
  open_minor bigint not null
);
alter table private.decisions add constraint decisions_pkey PRIMARY KEY (tenant_id, pair_no, id);
alter table private.import_chunks add constraint import_chunks_pkey PRIMARY KEY (tenant_id, import_id, seq);
alter table private.matched_counts add constraint matched_counts_pkey PRIMARY KEY (tenant_id, reconciliation_id);
alter table private.open_lines add constraint open_lines_pkey PRIMARY KEY (tenant_id, pair_no, line_no);
alter table public.carried_lines add constraint carried_lines_pkey PRIMARY KEY (tenant_id, reconciliation_id, line_no);
alter table public.closings add constraint closings_pkey PRIMARY KEY (tenant_id, reconciliation_id);
alter table public.exclusions add constraint exclusions_pkey PRIMARY KEY (tenant_id, pair_no, line_no);
alter table public.imports add constraint imports_pkey PRIMARY KEY (tenant_id, id);
alter table public.lines add constraint lines_pkey PRIMARY KEY (tenant_id, id);
alter table public.match_members add constraint match_members_pkey PRIMARY KEY (tenant_id, match_id, line_no);
alter table public.matches add constraint matches_pkey PRIMARY KEY (tenant_id, id);
alter table public.pair_rules add constraint pair_rules_pkey PRIMARY KEY (tenant_id, pair_no, version);
alter table public.pairs add constraint pairs_pkey PRIMARY KEY (tenant_id, pair_no);
alter table public.runs add constraint runs_pkey PRIMARY KEY (tenant_id, id);
alter table public.sources add constraint sources_pkey PRIMARY KEY (tenant_id, id);
alter table public.lines add constraint lines_tenant_id_line_no_key UNIQUE (tenant_id, line_no);
alter table public.pairs add constraint pairs_tenant_id_left_source_no_right_source_no_key UNIQUE (tenant_id, left_source_no, right_source_no);
alter table public.sources add constraint sources_tenant_id_source_no_key UNIQUE (tenant_id, source_no);
alter table private.import_chunks add constraint import_chunks_bytes_check CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 1048576)));
alter table private.import_chunks add constraint import_chunks_seq_check CHECK ((seq >= 0));
alter table private.matched_counts add constraint matched_counts_lines_check CHECK ((lines >= 0));
alter table private.open_lines add constraint open_lines_check CHECK (((open_minor >= LEAST(amount_minor, (0)::bigint)) AND (open_minor <= GREATEST(amount_minor, (0)::bigint))));
alter table private.open_lines add constraint open_lines_side_check CHECK ((side = ANY (ARRAY['left'::text, 'right'::text])));
alter table public.carried_lines add constraint carried_lines_side_check CHECK ((side = ANY (ARRAY['left'::text, 'right'::text])));
alter table public.exclusions add constraint exclusions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)));
alter table public.exclusions add constraint exclusions_side_check CHECK ((side = ANY (ARRAY['left'::text, 'right'::text])));
alter table public.imports add constraint imports_file_name_check CHECK (((length(file_name) >= 1) AND (length(file_name) <= 255)));
alter table public.imports add constraint imports_status_check CHECK ((status = ANY (ARRAY['receiving'::text, 'queued'::text, 'reading'::text, 'done'::text, 'failed'::text, 'undoing'::text, 'undone'::text])));
alter table public.lines add constraint lines_amount_minor_check CHECK (((amount_minor >= '-9007199254740991'::bigint) AND (amount_minor <= '9007199254740991'::bigint)));
alter table public.match_members add constraint match_members_side_check CHECK ((side = ANY (ARRAY['left'::text, 'right'::text])));
alter table public.matches add constraint matches_note_check CHECK (((length(note) >= 1) AND (length(note) <= 1000)));
alter table public.matches add constraint matches_shape_check CHECK ((shape = ANY (ARRAY['1:1'::text, '1:n'::text, 'n:1'::text, 'n:m'::text, 'reversal'::text])));
alter table public.matches add constraint matches_state_check CHECK ((state = ANY (ARRAY['suggested'::text, 'confirmed'::text, 'rejected'::text, 'undone'::text])));
alter table public.pair_rules add constraint pair_rules_policy_check CHECK ((jsonb_typeof(policy) = 'object'::text));
alter table public.pair_rules add constraint pair_rules_rules_check CHECK ((jsonb_typeof(rules) = 'array'::text));
alter table public.pair_rules add constraint pair_rules_version_check CHECK ((version >= 1));
alter table public.pairs add constraint pairs_check CHECK ((left_source_no <> right_source_no));
alter table public.runs add constraint runs_dry_run_check CHECK ((jsonb_typeof(dry_run) = 'object'::text));
alter table public.runs add constraint runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])));
alter table public.sources add constraint sources_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
alter table public.sources add constraint sources_grace_days_check CHECK (((grace_days >= 0) AND (grace_days <= 90)));
alter table public.sources add constraint sources_kind_check CHECK ((kind = ANY (ARRAY['bank_statement'::text, 'ledger'::text, 'processor'::text, 'orders'::text, 'other'::text])));
alter table public.sources add constraint sources_line_count_check CHECK ((line_count >= 0));
alter table public.sources add constraint sources_mapping_check CHECK ((jsonb_typeof(mapping) = 'object'::text));
alter table public.sources add constraint sources_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
alter table public.sources add constraint sources_sign_check CHECK ((sign = ANY (ARRAY['as_is'::text, 'inverted'::text])));
alter table public.sources add constraint sources_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64)));
CREATE INDEX exclusions_by_reconciliation ON public.exclusions USING btree (tenant_id, reconciliation_id);
CREATE INDEX imports_at_work ON public.imports USING btree (tenant_id, status, id) WHERE (status = ANY (ARRAY['receiving'::text, 'queued'::text, 'reading'::text, 'undoing'::text]));
CREATE INDEX imports_by_source ON public.imports USING btree (tenant_id, source_no, id);
CREATE INDEX lines_by_source ON public.lines USING btree (tenant_id, source_no, value_date, line_no);
CREATE INDEX match_members_by_line ON public.match_members USING btree (tenant_id, line_no, pair_no);
CREATE INDEX matches_by_reconciliation ON public.matches USING btree (tenant_id, reconciliation_id, id);
CREATE INDEX matches_refused ON public.matches USING btree (tenant_id, pair_no) WHERE ((decided_by IS NOT NULL) AND (state = ANY (ARRAY['rejected'::text, 'undone'::text])));
CREATE INDEX matches_settled_by_amount ON public.matches USING btree (tenant_id, reconciliation_id, amount_minor, currency) WHERE (settled AND (state = 'confirmed'::text) AND (decided_by IS NULL));
CREATE INDEX matches_suggested ON public.matches USING btree (tenant_id, reconciliation_id, id) WHERE (state = 'suggested'::text);
CREATE INDEX pairs_by_right_source ON public.pairs USING btree (tenant_id, right_source_no);
CREATE INDEX runs_by_reconciliation ON public.runs USING btree (tenant_id, reconciliation_id, id);
CREATE UNIQUE INDEX runs_waiting ON public.runs USING btree (tenant_id, reconciliation_id) WHERE ((status = 'queued'::text) AND (dry_run IS NULL));
alter table private.import_chunks add constraint import_chunks_tenant_id_import_id_fkey FOREIGN KEY (tenant_id, import_id) REFERENCES public.imports(tenant_id, id) ON DELETE CASCADE;
alter table public.closings add constraint closings_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.exclusions add constraint exclusions_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.imports add constraint imports_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.imports add constraint imports_tenant_id_source_no_fkey FOREIGN KEY (tenant_id, source_no) REFERENCES public.sources(tenant_id, source_no);
alter table public.pair_rules add constraint pair_rules_tenant_id_pair_no_fkey FOREIGN KEY (tenant_id, pair_no) REFERENCES public.pairs(tenant_id, pair_no);
alter table public.pairs add constraint pairs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.pairs add constraint pairs_tenant_id_left_source_no_fkey FOREIGN KEY (tenant_id, left_source_no) REFERENCES public.sources(tenant_id, source_no);
alter table public.pairs add constraint pairs_tenant_id_right_source_no_fkey FOREIGN KEY (tenant_id, right_source_no) REFERENCES public.sources(tenant_id, source_no);
alter table public.runs add constraint runs_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.sources add constraint sources_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table private.decisions enable row level security; alter table private.decisions no force row level security;
alter table private.import_chunks enable row level security; alter table private.import_chunks no force row level security;
alter table private.matched_counts enable row level security; alter table private.matched_counts no force row level security;
alter table private.open_lines enable row level security; alter table private.open_lines no force row level security;
alter table public.carried_lines enable row level security; alter table public.carried_lines no force row level security;
alter table public.closings enable row level security; alter table public.closings no force row level security;
alter table public.exclusions enable row level security; alter table public.exclusions no force row level security;
alter table public.imports enable row level security; alter table public.imports no force row level security;
alter table public.lines enable row level security; alter table public.lines no force row level security;
alter table public.match_members enable row level security; alter table public.match_members no force row level security;
alter table public.matches enable row level security; alter table public.matches no force row level security;
alter table public.pair_rules enable row level security; alter table public.pair_rules no force row level security;
alter table public.pairs enable row level security; alter table public.pairs no force row level security;
alter table public.runs enable row level security; alter table public.runs no force row level security;
alter table public.sources enable row level security; alter table public.sources no force row level security;
CREATE OR REPLACE FUNCTION private.guard_reconciliation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if new.period_end < new.period_start then
    perform private.refuse_field('period_end', 'The period cannot end before it starts.');
  end if;
  if tg_op = 'UPDATE' then
    if not private.reconciliation_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if new.pair_no is not null then
    perform private.guard_period(new, case when tg_op = 'UPDATE' then old end);
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.guard_period(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (after.matched_count, after.unmatched_count) is distinct from (0::bigint, 0::bigint) then
    perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.period_start, after.period_end, after.left_source, after.right_source) is distinct from
      (before.period_start, before.period_end, before.left_source, before.right_source) then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse('conflict', 'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse('conflict', 'The period is closed. Reopen it by POST to its /reopen.');
  end if;
  if before.id is not null and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  perform from public.pairs p where p.tenant_id = after.tenant_id and p.pair_no = after.pair_no for no key update;
  if before.id is not null and (
    exists (select from public.matches m where m.tenant_id = after.tenant_id and m.reconciliation_id = after.id)
    or exists (select from public.exclusions x where x.tenant_id = after.tenant_id and x.reconciliation_id = after.id)
  ) then
    perform private.refuse('conflict', 'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = after.tenant_id and r.pair_no = after.pair_no and r.id <> after.id
      and r.period_start <= after.period_end and r.period_end >= after.period_start
  ) then
    perform private.refuse('conflict', 'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.reconciliation_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end', r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'left_source_id', r.left_source_id, 'right_source_id', r.right_source_id,
    'auto_run', r.auto_run,
    'matched_count', case when r.pair_no is null then r.matched_count else coalesce((
      select c.lines from private.matched_counts c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id), 0) end,
    'unmatched_count', case when r.pair_no is null then r.unmatched_count when r.closed_at is not null then (
      select count(*) from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
    else (
      select count(*) from private.open_lines o where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end) end,
    'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.reconciliation_version(r public.reconciliations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    r.name, r.status, r.period_start, r.period_end, r.left_source, r.right_source, r.matched_count, r.unmatched_count, r.left_source_id,
    r.right_source_id, r.auto_run, r.closed_at
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_reconciliation');
  pair constant integer := case when input ->> 'left_source_id' is not null then
    private.pair_of_own_sources(input ->> 'left_source_id', input ->> 'right_source_id') end;
  created public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  if pair is not null and (input ? 'matched_count' or input ? 'unmatched_count') then
    perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id', coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  if pair is not null then
    perform private.ask_for_own_runs(pair);
  end if;
  return private.answer(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count, auto_run = after.auto_run
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION private.guard_source()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if old.line_count > 0 and (new.currency, new.sign) is distinct from (old.currency, old.sign) then
    perform private.refuse('conflict', 'The source has lines, which were read by its currency and sign: these stay as they are. Make another source.');
  end if;
  if (new.name, new.kind, new.currency, new.time_zone, new.sign, new.mapping, new.grace_days)
    is distinct from (old.name, old.kind, old.currency, old.time_zone, old.sign, old.mapping, old.grace_days) then
    new.updated_at := now();
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.source_json(s public.sources)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', s.id, 'name', s.name, 'kind', s.kind, 'currency', s.currency, 'time_zone', s.time_zone, 'sign', s.sign, 'mapping', s.mapping,
    'grace_days', s.grace_days, 'line_count', s.line_count, 'last_import_at', private.iso(s.last_import_at),
    'created_at', private.iso(s.created_at), 'created_by', s.created_by, 'updated_at', private.iso(s.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.source_version(s public.sources)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(s.name, s.kind, s.currency, s.time_zone, s.sign, s.mapping, s.grace_days));
end $function$;
CREATE OR REPLACE FUNCTION private.own_source(id text)
 RETURNS public.sources
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  s public.sources;
begin
  select * into s from public.sources x where x.tenant_id = private.tenant_id() and x.id = own_source.id;
  if not found then
    perform private.refuse_missing('source');
  end if;
  return s;
end $function$;
CREATE OR REPLACE FUNCTION public.create_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_source');
  created public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency', coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  return private.answer(request, private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
begin
  perform private.enter(request, 'get_source');
  s := private.own_source(input ->> 'id');
  return private.source_json(s) || jsonb_build_object('version', private.source_version(s));
end $function$;
CREATE OR REPLACE FUNCTION public.update_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from public.sources x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources x set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone, sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sources(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  items jsonb;
begin
  perform private.enter(request, 'list_sources');
  select jsonb_agg(private.source_json(s) order by s.id desc) into items
  from (
    select * from public.sources x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'kind' is null or x.kind = input ->> 'kind')
      and lower(x.name) like all (patterns)
    order by x.id desc
    limit page_size + 1
  ) s;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.line_id_text(id uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return 'lin_' || replace(id::text, '-', '');
end $function$;
CREATE OR REPLACE FUNCTION private.line_id(id text)
 RETURNS uuid
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when id ~ '^lin_[0-9a-f]{32}$' then substr(id, 5)::uuid end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_key(external_id text, amount_minor bigint, currency text, value_date date, booked_date date, reference text, counterparty text, description text, group_key text, details jsonb)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if external_id is not null then
    return sha256(convert_to('external_id ' || external_id, 'UTF8'));
  end if;
  return sha256(convert_to(json_build_array(
    amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details ->> 'bank_reference'
  )::text, 'UTF8'));
end $function$;
CREATE OR REPLACE FUNCTION private.line_identity(source_id text, key bytea, nth integer)
 RETURNS uuid
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return encode(substring(sha256(convert_to(source_id, 'UTF8') || key || int4send(nth)) for 16), 'hex')::uuid;
end $function$;
CREATE OR REPLACE FUNCTION private.stage_lines()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if to_regclass('pg_temp.staged_lines') is not null then
    if exists (select from pg_class c where c.oid = to_regclass('pg_temp.staged_lines') and c.relowner <> current_user::regrole) then
      raise exception 'staged_lines is not ours';
    end if;
    return;
  end if;
  create temporary table staged_lines (
    position integer not null,
    file_line integer,
    external_id text,
    amount_minor bigint not null,
    currency text not null,
    value_date date not null,
    booked_date date,
    reference text,
    counterparty text,
    description text,
    group_key text,
    details jsonb,
    key bytea not null generated always as (private.line_key(
      external_id, amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details
    )) stored
  ) on commit delete rows;
  create temporary table repeated_lines (position integer not null, nth integer not null) on commit delete rows;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_of_staged(looks boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $sql$
    with kept as (
      insert into public.lines as line (
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1, private.line_identity($4, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end), $2, l.file_line, $3,
        l.external_id, l.amount_minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key,
        nullif(l.details, '{}')
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
      where l.external_id is null or coalesce(r.nth, 1) = 1
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
      select $1, p.pair_no, k.line_no, case p.left_source_no when $2 then 'left' else 'right' end, k.currency, effective, effective, k.value_date
      from kept k cross join public.pairs p
      cross join lateral (select case $5 when 'inverted' then -k.amount_minor else k.amount_minor end as effective) e
      where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
    )
    select count(*), case when $3 is null then coalesce(array_agg(k.id), '{}') end from kept k
  $sql$;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_staged_lines(tenant_id text, source_no integer, import_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  kept_ids uuid[];
  conflicts jsonb := '[]';
  conflict_count bigint := 0;
  items jsonb;
begin
  -- Held against who makes a pair of it just then: they wait, or have opened in it what was there.
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2 for key share;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  insert into pg_temp.repeated_lines (position, nth)
  select l.position, row_number() over (partition by l.key order by l.position)
  from pg_temp.staged_lines l
  where l.key in (select g.key from pg_temp.staged_lines g group by g.key having count(*) > 1);

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  end;

  if accepted < staged then
    select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100), '[]') into conflict_count, conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate', i.nth > 1 or i.id <> all (kept_ids)) order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
CREATE OR REPLACE FUNCTION private.stage_own_lines(lines jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.stage_lines();
  insert into pg_temp.staged_lines (
    position, external_id, amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details
  )
  select l.n - 1, l.line ->> 'external_id', (l.line ->> 'amount_minor')::bigint, l.line ->> 'currency', (l.line ->> 'value_date')::date,
    (l.line ->> 'booked_date')::date, l.line ->> 'reference', l.line ->> 'counterparty', l.line ->> 'description', l.line ->> 'group_key',
    nullif(l.line -> 'details', 'null')
  from jsonb_array_elements(lines) with ordinality l (line, n);
end $function$;
CREATE OR REPLACE FUNCTION private.add_own_lines(source_no integer, lines jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept jsonb;
begin
  if not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'This credential may not call this operation.');
  end if;
  perform private.stage_own_lines(lines);
  kept := private.keep_staged_lines(private.tenant_id(), source_no, null);
  if (kept ->> 'conflict_count')::bigint > 0 then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.', (
      select jsonb_agg(jsonb_build_object(
        'path', format('lines.%s.external_id', c ->> 'position'),
        'message', format('There is a line with this external_id and another amount, %s in minor units: give each line its own.', c ->> 'wanted')
      )) from jsonb_array_elements(kept -> 'conflicts') c
    ));
  end if;
  return kept;
end $function$;
CREATE OR REPLACE FUNCTION private.known_own_lines(source_no integer, lines jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  known jsonb;
begin
  perform private.stage_own_lines(lines);
  select coalesce(jsonb_agg(l.position order by l.position), '[]') into known
  from public.sources s cross join (
    select x.position, x.key, x.external_id, row_number() over (partition by x.key order by x.position)::integer as nth from pg_temp.staged_lines x
  ) l
  where s.tenant_id = private.tenant_id() and s.source_no = known_own_lines.source_no and (
    l.external_id is not null and l.nth > 1 or exists (
      select from public.lines k where k.tenant_id = s.tenant_id
        and k.id = private.line_identity(s.id, l.key, case when l.external_id is null then l.nth else 0 end)
    )
  );
  delete from pg_temp.staged_lines;
  return known;
end $function$;
CREATE OR REPLACE FUNCTION private.line_standing(l public.lines, pair_no integer, OUT state text, OUT open_minor bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  is_in_pair boolean := false;
  pair record;
begin
  for pair in
    select o.line_no is not null as is_open, o.open_minor, o.amount_minor,
      exists (select from public.exclusions e where e.tenant_id = l.tenant_id and e.pair_no = p.pair_no and e.line_no = l.line_no) as is_excluded
    from public.pairs p
    left join private.open_lines o on o.tenant_id = l.tenant_id and o.pair_no = p.pair_no and o.line_no = l.line_no
    where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no)
      and (line_standing.pair_no is null or p.pair_no = line_standing.pair_no)
    order by abs(o.open_minor) desc nulls last, p.pair_no limit 1
  loop
    is_in_pair := true;
    state := case
      when pair.is_open then case when pair.open_minor = pair.amount_minor then 'open' else 'partly_matched' end
      when pair.is_excluded then 'excluded' else 'matched'
    end;
    -- As it was posted: a pair counts the negated amount of an inverted source.
    open_minor := case when not pair.is_open then 0 when sign(pair.amount_minor) = sign(l.amount_minor) then pair.open_minor else -pair.open_minor end;
  end loop;
  if not is_in_pair then
    state := 'open';
    open_minor := l.amount_minor;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.line_json(l public.lines, source_id text, pair_no integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  standing record;
begin
  standing := private.line_standing(l, pair_no);
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'source_id', source_id, 'import_id', l.import_id, 'file_line', l.file_line,
    'external_id', l.external_id, 'amount_minor', l.amount_minor, 'currency', l.currency, 'value_date', l.value_date,
    'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
    'group_key', l.group_key, 'details', coalesce(l.details, '{}'), 'state', standing.state, 'open_minor', standing.open_minor,
    'match_ids', (
      select coalesce(jsonb_agg('mat_' || replace(m.id::text, '-', '') order by m.id), '[]')
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.state = 'confirmed'
        and (line_json.pair_no is null or mm.pair_no = line_json.pair_no)
    ),
    'exception_id', (
      select e.id from public.exceptions e
      where e.tenant_id = l.tenant_id and e.line_no = l.line_no and e.status in ('open', 'in_review')
      order by e.id desc limit 1
    ),
    'created_at', private.iso(l.created_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.add_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  s := private.own_source(input ->> 'source_id');
  added := private.add_own_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  return private.answer(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items', added -> 'items'
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.get_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  l public.lines;
begin
  perform private.enter(request, 'get_line');
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.line_json(l, (select s.id from public.sources s where s.tenant_id = l.tenant_id and s.source_no = l.source_no), null);
end $function$;
CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce((
    select x.line_no from public.lines x where x.tenant_id = tenant and x.id = private.line_id(input -> 'after' ->> 1)
  ), 9223372036854775807);
  r public.reconciliations;
  date_from date := (input ->> 'date_from')::date;
  date_to date := (input ->> 'date_to')::date;
  items jsonb;
begin
  perform private.enter(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.own_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
    date_to := least(date_to, r.period_end);
  end if;

  with scope as materialized (
    select s.source_no, s.id, r.pair_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  ), found as (
    select scope.id as source_id, scope.pair_no, l.line
    from scope cross join lateral (
      select x as line from public.lines x
      where x.tenant_id = tenant and x.source_no = scope.source_no
        and (after_date is null or (x.value_date, x.line_no) < (after_date, after_no))
        and (date_from is null or x.value_date >= date_from)
        and (date_to is null or x.value_date <= date_to)
        and (input ->> 'currency' is null or x.currency = input ->> 'currency')
        and (input ->> 'amount_from' is null or x.amount_minor >= (input ->> 'amount_from')::bigint)
        and (input ->> 'amount_to' is null or x.amount_minor <= (input ->> 'amount_to')::bigint)
        and (input ->> 'import_id' is null or x.import_id = input ->> 'import_id')
        and (cardinality(patterns) = 0 or lower(concat_ws(' ', x.reference, x.counterparty, x.description, x.external_id, x.amount_minor)) like all (patterns))
        and (r.id is null or private.line_belongs(x, r))
        and (input ->> 'state' is null or (private.line_standing(x, scope.pair_no)).state = input ->> 'state')
      order by x.value_date desc, x.line_no desc
      limit page_size + 1
    ) l
  )
  select jsonb_agg(private.line_json(f.line, f.source_id, f.pair_no) order by (f.line).value_date desc, (f.line).line_no desc) into items
  from (select * from found order by (line).value_date desc, (line).line_no desc limit page_size + 1) f;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.line_belongs(l public.lines, r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if r.closed_at is null then
    if exists (select from private.open_lines o where o.tenant_id = l.tenant_id and o.pair_no = r.pair_no and o.line_no = l.line_no) then
      return true;
    end if;
  elsif exists (select from public.carried_lines c where c.tenant_id = l.tenant_id and c.reconciliation_id = r.id and c.line_no = l.line_no) then
    return true;
  end if;
  return exists (
    select from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
    where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.reconciliation_id = r.id and m.state = 'confirmed'
  ) or exists (
    select from public.exclusions e
    where e.tenant_id = l.tenant_id and e.pair_no = r.pair_no and e.line_no = l.line_no and e.reconciliation_id = r.id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.import_json(i public.imports)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', i.id, 'source_id', (select s.id from public.sources s where s.tenant_id = i.tenant_id and s.source_no = i.source_no),
    'status', i.status, 'format', i.format, 'file_name', i.file_name, 'read_count', i.read_count, 'accepted_count', i.accepted_count,
    'duplicate_count', i.duplicate_count, 'refused_count', i.refused_count, 'skipped_count', i.skipped_count, 'refusals', i.refusals,
    'statements', i.statements, 'opening_balance_minor', i.opening_balance_minor, 'closing_balance_minor', i.closing_balance_minor,
    'balance_holds', i.balance_holds, 'bytes_read', i.bytes_read, 'bytes_total', i.bytes_total, 'failure', i.failure,
    'created_at', private.iso(i.created_at), 'created_by', i.created_by, 'finished_at', private.iso(i.finished_at),
    'undone_at', private.iso(i.undone_at), 'undone_by', i.undone_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_to_write()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'This credential may not call this operation.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.require_room(files integer, bytes bigint, database_max_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  waiting record;
begin
  select count(*) as files, coalesce(sum(greatest(i.bytes_total, i.bytes_read)), 0) as bytes into waiting
  from public.imports i where i.tenant_id = private.tenant_id() and i.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse('conflict', 'There may be 20 imports and 4 GiB at work at a time. Wait until some of them are read.');
  end if;
  if pg_database_size(current_database()) + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable', 'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.open_own_import(source_no integer, input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  opened text;
begin
  perform private.require_to_write();
  perform private.require_room(1, coalesce((input ->> 'bytes')::bigint, 0), (input ->> 'database_max_bytes')::bigint);
  insert into public.imports (tenant_id, source_no, format, file_name, bytes_total)
  values (private.tenant_id(), source_no, input ->> 'format', input ->> 'file_name', coalesce((input ->> 'bytes')::bigint, 0))
  returning id into opened;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION public.open_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
begin
  perform private.enter(request, 'open_import');
  s := private.own_source(input ->> 'source_id');
  return jsonb_build_object(
    'id', case when not coalesce((input ->> 'preview')::boolean, false) then private.open_own_import(s.source_no, input) end,
    'source', jsonb_build_object('currency', s.currency, 'time_zone', s.time_zone, 'mapping', s.mapping)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.keep_own_import_chunk(import_id text, seq integer, bytes bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_to_write();
  update public.imports i set bytes_read = i.bytes_read + octet_length(keep_own_import_chunk.bytes)
  where i.tenant_id = private.tenant_id() and i.id = keep_own_import_chunk.import_id and i.status = 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes) values (private.tenant_id(), $1, $2, $3)
  on conflict on constraint import_chunks_pkey do nothing;
end $function$;
CREATE OR REPLACE FUNCTION public.keep_import_chunk(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'keep_import_chunk');
  -- Its length may have been said by nobody.
  if (input ->> 'seq')::integer % 64 = 63 then
    perform private.require_room(0, 0, (input ->> 'database_max_bytes')::bigint);
  end if;
  perform private.keep_own_import_chunk(input ->> 'id', (input ->> 'seq')::integer, decode(input ->> 'bytes', 'base64'));
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION private.queue_own_import(import_id text, mapping jsonb, bytes bigint)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  queued public.imports;
begin
  perform private.require_to_write();
  update public.imports i set status = 'queued', mapping = queue_own_import.mapping, bytes_total = bytes, bytes_read = 0
  where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  -- One file of a source at a time: two with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', json_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6
  );
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION private.drop_own_import(import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_to_write();
  delete from public.imports i where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving';
end $function$;
CREATE OR REPLACE FUNCTION public.create_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_import');
begin
  if kept is not null then
    perform private.drop_own_import(input ->> 'id');
    return kept;
  end if;
  return private.answer(request, private.import_json(
    private.queue_own_import(input ->> 'id', nullif(input -> 'mapping', 'null'), (input ->> 'bytes')::bigint)
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.drop_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'drop_import');
  perform private.drop_own_import(input ->> 'id');
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION public.preview_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'preview_import');
  return jsonb_build_object(
    'positions', private.known_own_lines((private.own_source(input ->> 'source_id')).source_no, input -> 'lines')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.own_import(id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = own_import.id and x.status <> 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  return i;
end $function$;
CREATE OR REPLACE FUNCTION public.get_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'get_import');
  return private.import_json(private.own_import(input ->> 'id'));
end $function$;
CREATE OR REPLACE FUNCTION public.list_imports(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.enter(request, 'list_imports');
  if input ->> 'source_id' is not null then
    wanted := (private.own_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.import_json(i) order by i.id desc) into items
  from (
    select * from public.imports x
    where x.tenant_id = private.tenant_id() and x.status <> 'receiving'
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (wanted is null or x.source_no = wanted)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) i;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.claim_import(tenant_id text, import_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  update public.imports x set status = 'reading', bytes_read = 0, read_count = 0, refused_count = 0
  where x.tenant_id = $1 and x.id = $2 and x.status in ('queued', 'reading')
  returning * into i;
  return (
    select jsonb_build_object('format', i.format, 'mapping', i.mapping, 'currency', s.currency, 'time_zone', s.time_zone,
      'source_no', i.source_no, 'bytes_total', i.bytes_total)
    from public.sources s where s.tenant_id = i.tenant_id and s.source_no = i.source_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.tell_import_progress(tenant_id text, import_id text, progress jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.imports x set
    bytes_read = (progress ->> 'bytes_read')::bigint, read_count = (progress ->> 'read_count')::bigint,
    refused_count = (progress ->> 'refused_count')::bigint
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading';
  return found;
end $function$;
CREATE OR REPLACE FUNCTION private.tell_import(i public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit(i.tenant_id, 'import.done', jsonb_build_object('import', private.import_json(i) - '{refusals,statements}'::text[]));
end $function$;
CREATE OR REPLACE FUNCTION private.finish_import(tenant_id text, import_id text, outcome jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict i from public.imports x where x.tenant_id = $1 and x.id = $2;
  kept := private.keep_staged_lines($1, i.source_no, $2);
  update public.imports x set
    status = 'done', finished_at = now(), bytes_read = x.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_of(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object('line', c -> 'file_line', 'field', 'external_id', 'message', format(
        'A line with this external_id has another amount. Found "%s", expected %s.', c ->> 'found', c ->> 'wanted'
      ))), '[]') from jsonb_array_elements(kept -> 'conflicts') c
    ), 100),
    statements = private.first_of(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading'
  returning * into i;
  if not found then
    return (select x.status from public.imports x where x.tenant_id = $1 and x.id = $2);
  end if;
  delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
  update public.sources s set last_import_at = now() where s.tenant_id = $1 and s.source_no = i.source_no;
  perform private.tell_import(i);
  return 'done';
end $function$;
CREATE OR REPLACE FUNCTION private.first_of(list jsonb, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((select jsonb_agg(e.value order by e.n) from jsonb_array_elements(list) with ordinality e (value, n) where e.n <= most), '[]');
end $function$;
CREATE OR REPLACE FUNCTION private.fail_import(tenant_id text, import_id text, failure text, refusals jsonb DEFAULT '[]'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  update public.imports x set
    status = 'failed', finished_at = now(), failure = fail_import.failure, refusals = private.first_of(fail_import.refusals, 100)
  where x.tenant_id = $1 and x.id = $2 and x.status in ('queued', 'reading')
  returning * into i;
  if found then
    delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
    perform private.tell_import(i);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.purge_imports(batch integer DEFAULT 100)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  deleted integer;
begin
  delete from public.imports where (tenant_id, id) in (
    select i.tenant_id, i.id from public.imports i where i.status = 'receiving' and i.created_at < now() - interval '2 hours' limit batch
  );
  get diagnostics deleted = row_count;
  return deleted;
end $function$;
CREATE OR REPLACE FUNCTION private.undone_at_once()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN 20000;
CREATE OR REPLACE FUNCTION private.remove_import(tenant_id text, import_id text, undone_by text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
  removed bigint;
begin
  perform private.lines_leave($1, $2);
  delete from public.lines l using public.imports x
  where x.tenant_id = $1 and x.id = $2 and l.tenant_id = $1 and l.line_no between x.first_line_no and x.last_line_no and l.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports x set status = 'undone', undone_at = now(), undone_by = coalesce(x.undone_by, $3)
  where x.tenant_id = $1 and x.id = $2
  returning * into i;
  if removed > 0 then
    update public.sources s set line_count = s.line_count - removed where s.tenant_id = $1 and s.source_no = i.source_no;
  end if;
  return i;
end $function$;
CREATE OR REPLACE FUNCTION private.undo_own_import(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  perform private.require_to_write();
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.undone_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    perform private.require_undoable(i.tenant_id, i.id);
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', json_build_object('tenant_id', i.tenant_id, 'import_id', i.id),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_undoing(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.imports x where x.tenant_id = $1 and x.id = $2 and x.status = 'undoing' for update) then
    perform private.remove_import($1, $2, null);
  end if;
exception when sqlstate 'TO001' then
  update public.imports x set status = 'done', undone_by = null where x.tenant_id = $1 and x.id = $2;
end $function$;
CREATE OR REPLACE FUNCTION public.undo_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'undo_import');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.import_json(private.undo_own_import(input ->> 'id')));
end $function$;
CREATE OR REPLACE FUNCTION private.pair_of_own_sources(left_source_id text, right_source_id text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  found_no integer;
begin
  perform from public.sources s where s.tenant_id = tenant and s.id in ($1, $2) order by s.id for update;
  select s.source_no into left_no from public.sources s where s.tenant_id = tenant and s.id = $1;
  select s.source_no into right_no from public.sources s where s.tenant_id = tenant and s.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id', 'Name two sources: a source is not compared with itself.');
  end if;
  select p.pair_no into found_no from public.pairs p
  where p.tenant_id = tenant and p.left_source_no = left_no and p.right_source_no = right_no;
  if found then
    return found_no;
  end if;
  insert into public.pairs (tenant_id, left_source_no, right_source_no) values (tenant, left_no, right_no)
  returning pair_no into found_no;
  insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select tenant, found_no, l.line_no, x.side, l.currency, x.factor * l.amount_minor, x.factor * l.amount_minor, l.value_date
  from (
    select s.source_no, case s.source_no when left_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
    from public.sources s where s.tenant_id = tenant and s.source_no in (left_no, right_no)
  ) x
  join public.lines l on l.tenant_id = tenant and l.source_no = x.source_no;
  return found_no;
end $function$;
CREATE OR REPLACE FUNCTION private.default_policy()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{"automatic": "earned", "four_eyes": false, "exceptions": {"most_a_run": 1000, "severities": [{"severity": "low", "from_minor": 0}, {"severity": "medium", "from_minor": 100000}, {"severity": "high", "from_minor": 1000000}, {"severity": "critical", "from_minor": 10000000}], "assigned_to": null}}'::jsonb;
CREATE OR REPLACE FUNCTION private.policy_of_pair(tenant text, pair integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select r.policy from public.pairs p join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    where p.tenant_id = tenant and p.pair_no = pair
  ), private.default_policy());
end $function$;
CREATE OR REPLACE FUNCTION private.lines_arrived(tenant_id text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.ask_for_runs(p.tenant_id, p.pair_no) from (
    select x.tenant_id, x.pair_no from public.pairs x
    where x.tenant_id = $1 and $2 in (x.left_source_no, x.right_source_no) order by x.pair_no
  ) p;
end $function$;
CREATE OR REPLACE FUNCTION private.require_undoable(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.lines l
    join public.match_members mm on mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id and m.state = 'confirmed'
    join public.reconciliations r on r.tenant_id = m.tenant_id and r.id = m.reconciliation_id and r.closed_at is not null
    where l.tenant_id = $1 and l.import_id = $2
  ) or exists (
    select from public.lines l
    join public.exclusions x on x.tenant_id = l.tenant_id and x.line_no = l.line_no
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id and r.closed_at is not null
    where l.tenant_id = $1 and l.import_id = $2
  ) then
    perform private.refuse('conflict', 'A line of this import is matched in a closed period. Reopen the period first.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_leave(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  line_nos constant bigint[] := array(select l.line_no from public.lines l where l.tenant_id = $1 and l.import_id = $2);
  touched record;
begin
  perform from public.pairs p
  where p.tenant_id = $1 and exists (
    select from public.imports i where i.tenant_id = $1 and i.id = $2 and i.source_no in (p.left_source_no, p.right_source_no)
  ) order by p.pair_no for no key update;
  perform private.require_undoable($1, $2);
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete from public.exclusions x where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete from private.open_lines o where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos, 'The import of the line was undone.');
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_change_of_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from (
      select distinct c.tenant_id, c.reconciliation_id from changed c where tg_op <> 'DELETE' or tg_table_name <> 'matches' or to_jsonb(c) ->> 'state' = 'confirmed'
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    where r.closed_at is not null
  ) then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.match_id_text(id uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return 'mat_' || replace(id::text, '-', '');
end $function$;
CREATE OR REPLACE FUNCTION private.match_id(id text)
 RETURNS uuid
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when id ~ '^mat_[0-9a-f]{32}$' then substr(id, 5)::uuid end;
end $function$;
CREATE OR REPLACE FUNCTION private.new_uuid()
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return substr(private.new_id('x'), 3)::uuid;
end $function$;
CREATE OR REPLACE FUNCTION private.match_json(m public.matches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.match_id_text(m.id), 'reconciliation_id', m.reconciliation_id, 'run_id', m.run_id, 'state', m.state, 'shape', m.shape,
    'method', m.method, 'score', m.score, 'margin', m.margin, 'currency', m.currency, 'amount_minor', m.amount_minor,
    'residual_minor', m.residual_minor, 'adjustments', m.adjustments, 'note', m.note,
    'explanation', m.explanation || case when jsonb_typeof(m.explanation -> 'runner_up') = 'object' then jsonb_build_object('runner_up', (
      select jsonb_build_object('side', m.explanation #> '{runner_up,side}', 'line_id', private.line_id_text(l.id))
      from public.lines l where l.tenant_id = m.tenant_id and l.line_no = (m.explanation #>> '{runner_up,handle}')::bigint
    )) else '{}' end,
    'decided_by', m.decided_by, 'decided_at', private.iso(m.decided_at), 'created_at', private.iso(m.created_at), 'created_by', m.created_by
  ) || (
    select jsonb_build_object(
      'members', coalesce(jsonb_agg(jsonb_build_object(
        'line_id', private.line_id_text(l.id), 'side', mm.side, 'allocated_minor', mm.allocated_minor) order by mm.side, l.value_date, l.line_no), '[]'),
      'plain', case when m.explanation is null then jsonb_agg(jsonb_build_object('side', mm.side, 'amount_minor', mm.allocated_minor,
        'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'reference', l.reference, 'counterparty', l.counterparty,
        'description', l.description, 'group_key', l.group_key) order by mm.side, l.value_date, l.line_no) end
    )
    from public.match_members mm join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
    where mm.tenant_id = m.tenant_id and mm.match_id = m.id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.hold_period(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse('conflict', 'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform from public.pairs p where p.tenant_id = tenant and p.pair_no = r.pair_no for no key update;
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  if r.closed_at is not null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.count_matched(tenant text, ids uuid[], sign integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.matched_counts as c (tenant_id, reconciliation_id, lines)
  select m.tenant_id, m.reconciliation_id, greatest(0, sign) * sum(mm.lines)
  from public.matches m
  cross join lateral (select count(*) as lines from public.match_members x where x.tenant_id = tenant and x.match_id = m.id) mm
  where m.tenant_id = tenant and m.id = any (ids)
  group by m.tenant_id, m.reconciliation_id order by m.reconciliation_id
  on conflict (tenant_id, reconciliation_id) do update set lines = c.lines + case when sign > 0 then excluded.lines else -(
    select sum(mm.lines) from public.matches m
    cross join lateral (select count(*) as lines from public.match_members x where x.tenant_id = tenant and x.match_id = m.id) mm
    where m.tenant_id = tenant and m.id = any (ids) and m.reconciliation_id = excluded.reconciliation_id
  ) end;
end $function$;
CREATE OR REPLACE FUNCTION private.lower_open(tenant text, pair integer, line_nos bigint[], minors bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  places record;
begin
  select array_agg(o.place) filter (where o.open_minor = s.minor) as whole, array_agg(o.place) filter (where o.open_minor <> s.minor) as part,
    array_agg(s.minor) filter (where o.open_minor <> s.minor) as part_minors
  into places
  from unnest(line_nos, minors) as s (line_no, minor)
  cross join lateral (
    select x.ctid as place, x.open_minor from private.open_lines x
    where x.tenant_id = tenant and x.pair_no = pair and x.line_no = s.line_no offset 0
  ) o;
  delete from private.open_lines o where o.ctid = any (places.whole);
  update private.open_lines o set open_minor = o.open_minor - s.minor
  from unnest(places.part, places.part_minors) as s (place, minor) where o.ctid = s.place;
end $function$;
CREATE OR REPLACE FUNCTION private.take_open(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  short jsonb;
  taken record;
begin
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'A line of this match is not open any more.') order by i.n) into short
  from unnest(ids) with ordinality as i (id, n)
  where exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = i.id
      and coalesce(mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0), true)
  ) or exists (
    select from public.match_members mm join public.match_members other
      on other.tenant_id = mm.tenant_id and other.line_no = mm.line_no and other.match_id = any (ids) and other.match_id < mm.match_id
    where mm.tenant_id = tenant and mm.match_id = i.id
  );
  if short is not null then
    perform private.refuse('conflict', 'What it needs is not open any more. Nothing was changed.', short);
  end if;
  for taken in
    select mm.pair_no, array_agg(mm.line_no) as line_nos, array_agg(mm.allocated_minor) as minors
    from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids) group by mm.pair_no
  loop
    perform private.lower_open(tenant, taken.pair_no, taken.line_nos, taken.minors);
  end loop;
  perform private.count_matched(tenant, ids, 1);
end $function$;
CREATE OR REPLACE FUNCTION private.give_back(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor * l.amount_minor, sum(mm.allocated_minor), l.value_date
  from public.match_members mm
  join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
  join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  cross join lateral (select case s.sign when 'inverted' then -1 else 1 end as factor) x
  where mm.tenant_id = tenant and mm.match_id = any (ids)
  group by mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor, l.amount_minor, l.value_date
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
end $function$;
CREATE OR REPLACE FUNCTION private.drop_suggestions(tenant text, pair integer, line_nos bigint[], but uuid[] DEFAULT '{}'::uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  stale uuid[];
begin
  select array_agg(distinct m.id) into stale
  from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
  where mm.tenant_id = tenant and mm.line_no = any (line_nos) and mm.pair_no = pair and m.state = 'suggested' and m.id <> all (but);
  if stale is not null then
    perform private.delete_matches(tenant, stale);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_matches(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set suggested_match_id = null where e.tenant_id = tenant and e.suggested_match_id = any (ids);
  delete from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  delete from public.matches m where m.tenant_id = tenant and m.id = any (ids);
end $function$;
CREATE OR REPLACE FUNCTION private.undo_matches(tenant text, ids uuid[], who text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  confirmed uuid[];
  suggested uuid[];
  touched record;
begin
  select array_agg(m.id order by m.id) filter (where m.state = 'confirmed'), array_agg(m.id order by m.id) filter (where m.state = 'suggested')
  into confirmed, suggested
  from public.matches m where m.tenant_id = tenant and m.id = any (ids);
  if suggested is not null then
    perform private.delete_matches(tenant, suggested);
  end if;
  if confirmed is null then
    return 0;
  end if;
  perform private.give_back(tenant, confirmed);
  if who is not null then
    insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
    select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
    where m.tenant_id = tenant and m.id = any (confirmed) and m.decided_by is null and not m.settled and m.shape = '1:1' order by m.id;
  end if;
  update public.matches m set state = 'undone', decided_by = coalesce(who, m.decided_by), decided_at = now()
  where m.tenant_id = tenant and m.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select m.tenant_id, 'match.undone', jsonb_build_object('match', private.match_event(m), 'undone_by', coalesce(who, 'system'))
  from public.matches m where m.tenant_id = tenant and m.id = any (confirmed) order by m.id;
  for touched in
    select mm.pair_no, array_agg(distinct mm.line_no) as line_nos from public.match_members mm
    where mm.tenant_id = tenant and mm.match_id = any (confirmed) group by mm.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $function$;
CREATE OR REPLACE FUNCTION private.match_event(m public.matches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', private.match_id_text(m.id), 'reconciliation_id', m.reconciliation_id, 'shape', m.shape,
    'method', m.method, 'currency', m.currency, 'amount_minor', m.amount_minor, 'residual_minor', m.residual_minor,
    'line_ids', (
      select jsonb_agg(private.line_id_text(l.id) order by l.line_no) from public.match_members mm
      join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
      where mm.tenant_id = m.tenant_id and mm.match_id = m.id
    ));
end $function$;
CREATE OR REPLACE FUNCTION private.confirm_matches(tenant text, pair integer, ids uuid[], who text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  perform private.take_open(tenant, ids);
  update public.matches m set state = 'confirmed', decided_by = who, decided_at = now() where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, true, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
  select array_agg(distinct mm.line_no) into line_nos from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $function$;
CREATE OR REPLACE FUNCTION private.reject_matches(tenant text, ids uuid[], who text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set suggested_match_id = null where e.tenant_id = tenant and e.suggested_match_id = any (ids);
  update public.matches m set state = 'rejected', decided_by = who, decided_at = now() where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
end $function$;
CREATE OR REPLACE FUNCTION private.find_match(id text)
 RETURNS public.matches
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  m public.matches;
begin
  select * into m from public.matches x where x.tenant_id = private.tenant_id() and x.id = private.match_id($1);
  if not found then
    perform private.refuse_missing('match');
  end if;
  return m;
end $function$;
CREATE OR REPLACE FUNCTION private.find_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse('conflict', 'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  return r;
end $function$;
CREATE OR REPLACE FUNCTION public.get_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'get_match');
  return private.match_json(private.find_match(input ->> 'id'));
end $function$;
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  behind constant uuid := private.match_id(input -> 'after' ->> 0);
  r public.reconciliations;
  items jsonb;
begin
  perform private.enter(request, 'list_matches');
  r := private.find_period(input ->> 'id');
  if input ->> 'line_id' is not null then
    select jsonb_agg(private.match_json(x) order by x.id desc) into items
    from (
      select m.* from public.lines l
      join public.match_members mm on mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
      join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id and m.reconciliation_id = r.id
      where l.tenant_id = tenant and l.id = private.line_id(input ->> 'line_id')
        and (behind is null or m.id < behind)
        and (input ->> 'state' is null or m.state = input ->> 'state')
        and (input ->> 'method' is null or m.method = input ->> 'method')
        and (input ->> 'shape' is null or m.shape = input ->> 'shape')
        and (input ->> 'run_id' is null or m.run_id = input ->> 'run_id')
      order by m.id desc limit page_size + 1
    ) x;
  elsif input ->> 'state' = 'suggested' then
    select jsonb_agg(private.match_json(x) order by x.id desc) into items
    from (
      select * from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'suggested'
        and (behind is null or m.id < behind)
        and (input ->> 'method' is null or m.method = input ->> 'method')
        and (input ->> 'shape' is null or m.shape = input ->> 'shape')
        and (input ->> 'run_id' is null or m.run_id = input ->> 'run_id')
      order by m.id desc limit page_size + 1
    ) x;
  else
    select jsonb_agg(private.match_json(x) order by x.id desc) into items
    from (
      select * from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = r.id
        and (behind is null or m.id < behind)
        and (input ->> 'state' is null or m.state = input ->> 'state')
        and (input ->> 'method' is null or m.method = input ->> 'method')
        and (input ->> 'shape' is null or m.shape = input ->> 'shape')
        and (input ->> 'run_id' is null or m.run_id = input ->> 'run_id')
      order by m.id desc limit page_size + 1
    ) x;
  end if;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.decide_own_matches(action text, ids uuid[])
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  touched record;
  refused jsonb;
begin
  for touched in
    select m.pair_no, array_agg(distinct m.reconciliation_id) as periods from public.matches m
    where m.tenant_id = tenant and m.id = any (ids) group by m.pair_no order by m.pair_no
  loop
    perform private.hold_period(tenant, p.id) from unnest(touched.periods) as p (id);
  end loop;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) left join public.matches m on m.tenant_id = tenant and m.id = i.id where m.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('This match is %s: only one that is %s can be %s.', m.state, wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end)) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id where m.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition', format('Only a match that is %s can be %s. Nothing was changed.', wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end), refused);
  end if;
  for touched in
    select m.pair_no, array_agg(m.id order by m.id) as ids from public.matches m
    where m.tenant_id = tenant and m.id = any (decide_own_matches.ids) group by m.pair_no order by m.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids, who);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, who);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, who);
    end case;
  end loop;
  return query
  select m.* from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION public.confirm_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'confirm_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.decide_own_matches('confirm', array[m.id]);
  return private.answer(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.reject_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'reject_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.decide_own_matches('reject', array[m.id]);
  return private.answer(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.undo_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'undo_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.decide_own_matches('undo', array[m.id]);
  return private.answer(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
  missing jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  if filter is null then
    select array_agg(private.match_id(i.id) order by i.n),
      jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n)
        filter (where private.match_id(i.id) is null)
    into found_ids, missing
    from jsonb_array_elements_text(input -> 'ids') with ordinality as i (id, n);
    if missing is not null then
      perform private.refuse('not_found', 'There is no such match.', missing);
    end if;
  else
    perform private.find_period(filter ->> 'reconciliation_id');
    select coalesce(array_agg(m.id order by m.id), '{}') into found_ids
    from (
      select x.id from public.matches x
      where x.tenant_id = tenant and x.reconciliation_id = filter ->> 'reconciliation_id'
        and x.state = case action when 'undo' then 'confirmed' else 'suggested' end
        and (filter ->> 'method' is null or x.method = filter ->> 'method')
        and (filter ->> 'shape' is null or x.shape = filter ->> 'shape')
        and (filter ->> 'run_id' is null or x.run_id = filter ->> 'run_id')
        and (filter ->> 'score_from' is null or x.score >= (filter ->> 'score_from')::real)
      order by x.id limit 501
    ) m;
    if cardinality(found_ids) > 500 then
      perform private.refuse_field('filter', 'The filter finds more than 500 matches. Narrow it.');
    elsif cardinality(found_ids) <> (input ->> 'expected_count')::integer then
      perform private.refuse('conflict', format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), input ->> 'expected_count'));
    end if;
  end if;
  return private.answer(request, (
    select jsonb_build_object('count', count(*), 'items', coalesce(jsonb_agg(private.match_json(d)), '[]'))
    from private.decide_own_matches(action, found_ids) d
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_pair(pair integer, ids jsonb)
 RETURNS TABLE(n bigint, line_no bigint, side text, currency text, open_minor bigint, value_date date)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (i.n - 1), 'message', 'There is no such line in the two sources.') order by i.n) into missing
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  where not exists (
    select from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
    join public.pairs p on p.tenant_id = s.tenant_id and p.pair_no = pair and s.source_no in (p.left_source_no, p.right_source_no)
    where l.tenant_id = tenant and l.id = private.line_id(i.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select i.n, l.line_no, case l.source_no when p.left_source_no then 'left' else 'right' end, l.currency, coalesce(o.open_minor, 0), l.value_date
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  join public.lines l on l.tenant_id = tenant and l.id = private.line_id(i.id)
  join public.pairs p on p.tenant_id = tenant and p.pair_no = pair
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = pair and o.line_no = l.line_no
  order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION private.match_own_lines(period text, line_ids jsonb, adjustments jsonb, note text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  bad jsonb;
  asked record;
  made public.matches;
  difference bigint;
begin
  r := private.hold_period(tenant, period);
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (l.n - 1), 'message', case
      when o.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', r.period_end) end) order by l.n) into bad
  from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse('conflict', 'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
  select count(*) filter (where l.side = 'left') as lefts, count(*) filter (where l.side = 'right') as rights, count(distinct l.currency) as currencies,
    min(l.currency) as currency, coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0) as left_minor,
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0) as right_minor,
    sum(greatest(l.open_minor, 0)) as positive_minor
  into asked from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l;
  if asked.currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
  select asked.left_minor - asked.right_minor - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(coalesce(match_own_lines.adjustments, '[]')) a;
  if difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when asked.lefts = 0 or asked.rights = 0 then 'reversal' when asked.lefts = 1 and asked.rights = 1 then '1:1'
      when asked.lefts = 1 then '1:n' when asked.rights = 1 then 'n:1' else 'n:m' end,
    'manual', asked.currency, case when asked.lefts = 0 or asked.rights = 0 then asked.positive_minor else asked.left_minor end,
    coalesce(match_own_lines.adjustments, '[]'), match_own_lines.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side, l.open_minor from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  return made;
end $function$;
CREATE OR REPLACE FUNCTION public.create_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_match');
begin
  if kept is not null then
    return kept;
  end if;
  if private.principal_type() <> 'user' and input -> 'adjustments' @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required', 'A write-off is a person''s to decide: sign in as tenant_admin or tenant_lead.');
  end if;
  return private.answer(request, private.match_json(
    private.match_own_lines(input ->> 'id', input -> 'line_ids', nullif(input -> 'adjustments', 'null'), input ->> 'note')));
end $function$;
CREATE OR REPLACE FUNCTION private.open_period_of_line(id text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  l public.lines;
  pairs integer[];
  period text;
begin
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id($1);
  if not found then
    perform private.refuse_missing('line');
  end if;
  if reconciliation is not null then
    perform from public.reconciliations r join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    where r.tenant_id = l.tenant_id and r.id = reconciliation and l.source_no in (p.left_source_no, p.right_source_no);
    if not found then
      perform private.refuse_field('reconciliation_id', 'There is no such reconciliation of the line''s source.');
    end if;
    return reconciliation;
  end if;
  select array_agg(p.pair_no) into pairs from public.pairs p
  where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no);
  if cardinality(pairs) > 1 then
    perform private.refuse_field('reconciliation_id', 'The line''s source is compared with several others: name the reconciliation.');
  end if;
  select r.id into period from public.reconciliations r
  where r.tenant_id = l.tenant_id and r.pair_no = any (pairs) and r.closed_at is null and r.status <> 'archived' and r.period_end >= l.value_date
  order by r.period_end limit 1;
  if not found then
    perform private.refuse('conflict', 'No reconciliation of the line''s source is open for its day.');
  end if;
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_own_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  o private.open_lines;
begin
  r := private.hold_period(tenant, period);
  delete from private.open_lines x using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = l.line_no
    and x.value_date <= r.period_end
  returning x.* into o;
  if not found then
    perform private.refuse('conflict', 'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  insert into public.exclusions (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3);
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.include_own_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  x public.exclusions;
begin
  select r2.* into r from public.lines l
  join public.exclusions e on e.tenant_id = l.tenant_id and e.line_no = l.line_no
  join public.reconciliations r2 on r2.tenant_id = e.tenant_id and r2.id = e.reconciliation_id
  where l.tenant_id = tenant and l.id = private.line_id($1) and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  r := private.hold_period(tenant, r.id);
  delete from public.exclusions e using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and e.tenant_id = tenant and e.pair_no = r.pair_no and e.line_no = l.line_no
  returning e.* into x;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select tenant, x.pair_no, l.line_no, x.side, l.currency, case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end,
    x.excluded_minor, l.value_date
  from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  where l.tenant_id = tenant and l.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  perform private.record_security_event('line.included', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.line_of_period(id text, period text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select private.line_json(l, s.id, r.pair_no)
    from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
    join public.reconciliations r on r.tenant_id = l.tenant_id and r.id = period
    where l.tenant_id = private.tenant_id() and l.id = private.line_id($1)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.exclude_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'exclude_line');
  period text;
begin
  if kept is not null then
    return kept;
  end if;
  period := private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id');
  perform private.exclude_own_line(input ->> 'id', period, input ->> 'reason');
  return private.answer(request, private.line_of_period(input ->> 'id', period));
end $function$;
CREATE OR REPLACE FUNCTION public.include_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'include_line');
  period text;
begin
  if kept is not null then
    return kept;
  end if;
  if not exists (select from public.lines l where l.tenant_id = private.tenant_id() and l.id = private.line_id(input ->> 'id')) then
    perform private.refuse_missing('line');
  end if;
  period := private.include_own_line(input ->> 'id', input ->> 'reconciliation_id', input ->> 'reason');
  return private.answer(request, private.line_of_period(input ->> 'id', period));
end $function$;
CREATE OR REPLACE FUNCTION private.engine_line(l public.lines, amount_minor bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', private.line_id_text(l.id), 'handle', l.line_no, 'amount_minor', amount_minor,
    'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'booked_date', l.booked_date - date '1970-01-01',
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key);
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  l public.lines;
  o private.open_lines;
  p public.pairs;
begin
  perform private.enter(request, 'list_line_suggestions');
  r := private.find_period(private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input ->> 'id');
  select * into o from private.open_lines x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = l.line_no;
  select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor) end,
    'rules', (select x.rules from public.pair_rules x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.version = p.rules_version),
    'candidates', (
      with others as materialized (
        select * from private.open_lines x
        where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.side <> o.side and x.currency = o.currency and x.value_date <= r.period_end
      ), near as (
        (select x.line_no, x.open_minor from others x order by abs(x.open_minor - o.open_minor), x.line_no limit 200)
        union
        (select x.line_no, x.open_minor from others x order by abs(x.value_date - o.value_date), x.line_no limit 200)
      )
      select coalesce(jsonb_agg(private.engine_line(c, n.open_minor) order by n.line_no), '[]')
      from near n join public.lines c on c.tenant_id = r.tenant_id and c.line_no = n.line_no
    ),
    'rejected', (
      select coalesce(jsonb_agg(jsonb_build_object('left', x.lefts, 'right', x.rights)), '[]')
      from (
        select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'), '[]') as lefts,
          coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'), '[]') as rights
        from public.match_members mine
        join public.matches m on m.tenant_id = mine.tenant_id and m.id = mine.match_id and m.decided_by is not null and m.state in ('rejected', 'undone')
        join public.match_members other on other.tenant_id = m.tenant_id and other.match_id = m.id
        join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
        where mine.tenant_id = r.tenant_id and mine.line_no = l.line_no and mine.pair_no = r.pair_no
        group by m.id
      ) x
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.run_json(r public.runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'reconciliation_id', r.reconciliation_id, 'status', r.status, 'dry_run', r.dry_run is not null, 'stage', r.stage,
    'lines_done', r.lines_done, 'lines_total', r.lines_total, 'waterfall', r.waterfall, 'impact', r.impact, 'changed', r.changed,
    'suggested_count', r.suggested_count, 'open_count', r.open_count, 'exceptions_opened', r.exceptions_opened,
    'exceptions_held_back', r.exceptions_held_back, 'rules_version', r.rules_version, 'engine_version', r.engine_version,
    'digest', r.digest, 'failure', r.failure,
    'duration_ms', round(extract(epoch from r.finished_at - r.started_at) * 1000),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'started_at', private.iso(r.started_at),
    'finished_at', private.iso(r.finished_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('match_pair',
    json_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run),
    queue_name => 'pair:' || pair, run_at => now() + delay, max_attempts => 5, job_key => 'match:' || coalesce(run, reconciliation),
    job_key_mode => 'preserve_run_at');
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_runs(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, interval '1 second') from (
    select * from public.reconciliations x
    where x.tenant_id = tenant and x.pair_no = pair and x.auto_run and x.closed_at is null and x.status <> 'archived'
    order by x.period_end
  ) r;
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_own_runs(pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.ask_for_runs(private.tenant_id(), pair);
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_own_run(reconciliation text, trial jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  asked public.runs;
begin
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = reconciliation for no key update;
  if r.closed_at is not null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    select * into asked from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status = 'queued' and x.dry_run is null;
    if found then
      return asked;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage) values (r.id, r.pair_no, trial, 'queued') returning * into asked;
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, case when trial is not null then asked.id end, interval '0');
  return asked;
end $function$;
CREATE OR REPLACE FUNCTION public.create_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_run');
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  return private.answer(request, private.run_json(private.ask_for_own_run(input ->> 'id',
    case when (input ->> 'dry_run')::boolean then jsonb_strip_nulls(jsonb_build_object('rules', input -> 'rules')) end)));
end $function$;
CREATE OR REPLACE FUNCTION public.list_runs(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.enter(request, 'list_runs');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.run_json(x) order by x.id desc) into items
  from (
    select * from public.runs y
    where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id
      and (input -> 'after' ->> 0 is null or y.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or y.status = input ->> 'status')
    order by y.id desc limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_run public.runs;
begin
  perform private.enter(request, 'get_run');
  select * into found_run from public.runs x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('run');
  end if;
  return private.run_json(found_run);
end $function$;
CREATE OR REPLACE FUNCTION private.begin_run(tenant text, reconciliation text, asked text, engine text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  p public.pairs;
  begun public.runs;
  rule_set public.pair_rules;
  last_run public.runs;
begin
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  select * into begun from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.status in ('queued', 'running')
    and case when asked is null then x.dry_run is null else x.id = asked end
  order by x.id limit 1 for update;
  if r.pair_no is null or r.closed_at is not null or r.status = 'archived' then
    update public.runs x set status = 'failed', finished_at = now(), failure = 'The period was closed before the run began.'
    where x.tenant_id = tenant and x.id = begun.id;
    return null;
  end if;
  if begun.id is null then
    if asked is not null then
      return null;
    end if;
    insert into public.runs (tenant_id, reconciliation_id, pair_no) values (tenant, r.id, r.pair_no) returning * into begun;
  end if;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  select * into rule_set from public.pair_rules x where x.tenant_id = tenant and x.pair_no = p.pair_no and x.version = p.rules_version;
  select * into last_run from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = r.id and x.status = 'done' and x.dry_run is null order by x.id desc limit 1;
  update public.runs x set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version, engine_version = engine,
    lines_done = 0, lines_total = 0
  where x.tenant_id = tenant and x.id = begun.id;
  return jsonb_build_object(
    'run_id', begun.id, 'dry_run', begun.dry_run, 'pair_no', p.pair_no, 'period_end', r.period_end, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', coalesce(rule_set.policy, private.default_policy()),
    -- Whether all that the engine made is weighed again, or what it settled by its first rules stands.
    'whole', begun.dry_run is not null or last_run.id is null or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
  );
end $function$;
CREATE OR REPLACE FUNCTION private.tell_run_progress(tenant text, run text, stage text, done bigint, total bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.runs x set stage = left(tell_run_progress.stage, 200), lines_done = done, lines_total = greatest(total, x.lines_total)
  where x.tenant_id = tenant and x.id = run and x.status = 'running';
end $function$;
CREATE OR REPLACE FUNCTION private.keep_matches(tenant text, reconciliation text, run text, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  lost uuid[];
  confirmed uuid[];
begin
  r := private.hold_period(tenant, reconciliation);
  if cardinality(gone) > 0 then
    perform private.undo_matches(tenant, array(
      select m.id from public.matches m where m.tenant_id = tenant and m.id = any (gone) and m.decided_by is null), null);
  end if;
  if cardinality(ids) = 0 then
    return 0;
  end if;
  select coalesce(array_agg(distinct s.match_id), '{}') into lost
  from unnest(member_ids, member_lines, member_amounts) as s (match_id, line_no, minor)
  left join lateral (
    select x.line_no, x.open_minor from private.open_lines x
    where x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = s.line_no offset 0
  ) o on true
  where o.line_no is null or s.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches as m (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score, margin, currency,
    amount_minor, residual_minor, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score, s.margin, s.currency, s.amount, s.residual,
    explanations -> s.id::text, s.high, s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts, residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost)
  -- The same lines and amounts, by another rule.
  on conflict (tenant_id, id) do update set run_id = excluded.run_id, method = excluded.method, settled = excluded.settled, score = excluded.score,
    margin = excluded.margin, explanation = excluded.explanation, hash_high = excluded.hash_high, hash_low = excluded.hash_low
  where m.decided_by is null and m.state = excluded.state;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, s.match_id, r.pair_no, s.line_no, s.side, s.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as s (match_id, line_no, side, minor)
  where cardinality(lost) = 0 or s.match_id <> all (lost);
  confirmed := array(select s.id from unnest(ids, states) as s (id, state) where s.state = 'confirmed' and (cardinality(lost) = 0 or s.id <> all (lost)));
  if cardinality(confirmed) > 0 then
    perform private.take_lines(tenant, r, member_ids, member_lines, member_amounts, confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost);
end $function$;
CREATE OR REPLACE FUNCTION private.take_lines(tenant text, r public.reconciliations, member_ids uuid[], member_lines bigint[], member_amounts bigint[], confirmed uuid[], all_of boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  lines bigint[] := member_lines;
  minors bigint[] := member_amounts;
begin
  if not all_of then
    select array_agg(s.line_no), array_agg(s.minor) into lines, minors
    from unnest(member_ids, member_lines, member_amounts) as s (match_id, line_no, minor) where s.match_id = any (confirmed);
  end if;
  perform private.lower_open(tenant, r.pair_no, lines, minors);
  insert into private.matched_counts as c (tenant_id, reconciliation_id, lines) values (tenant, r.id, cardinality(lines))
  on conflict (tenant_id, reconciliation_id) do update set lines = c.lines + excluded.lines;
  if exists (
    select from public.reconciliations other
    where other.tenant_id = tenant and other.pair_no = r.pair_no and other.id <> r.id
      and exists (select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = other.id and m.state = 'suggested')
  ) then
    perform private.drop_suggestions(tenant, r.pair_no, lines);
  end if;
  if exists (select from public.exceptions e where e.tenant_id = tenant and e.pair_no = r.pair_no and e.status in ('open', 'in_review')) then
    perform private.resolve_matched_exceptions(tenant, r.pair_no, confirmed);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.digest_of_period(tenant text, reconciliation text, OUT digest text, OUT suggested bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  two_64 constant numeric := 18446744073709551616;
  high numeric;
  low numeric;
  carried bigint;
begin
  -- As signed numbers: a low half below zero is worth one in the high half.
  select coalesce(sum(m.hash_high), 0), coalesce(sum(m.hash_low), 0), count(*) filter (where m.hash_low < 0), count(*) filter (where m.state = 'suggested')
  into high, low, carried, suggested
  from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state in ('confirmed', 'suggested') and m.decided_by is null;
  high := high + carried + floor(low / two_64);
  low := low - floor(low / two_64) * two_64;
  high := high - floor(high / two_64) * two_64;
  digest := private.hex_of(high) || private.hex_of(low);
end $function$;
CREATE OR REPLACE FUNCTION private.hex_of(number numeric)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return lpad(to_hex(floor(number / 4294967296)::bigint), 8, '0') || lpad(to_hex((number - floor(number / 4294967296) * 4294967296)::bigint), 8, '0');
end $function$;
CREATE OR REPLACE FUNCTION private.finish_run(tenant text, run text, outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
  p record;
  totals record;
  violations text[];
begin
  select * into strict x from public.runs y where y.tenant_id = tenant and y.id = run for update;
  select r.period_end, r.pair_no into p from public.reconciliations r where r.tenant_id = tenant and r.id = x.reconciliation_id;
  select * into totals from private.digest_of_period(tenant, x.reconciliation_id);
  violations := private.violations_of_period(tenant, x.reconciliation_id, run);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null, finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then 'What must always hold does not. It has been logged: tell us the run.' end,
    lines_done = y.lines_total, digest = y.engine_version || ':' || totals.digest, suggested_count = totals.suggested,
    open_count = (
      select count(*) from private.open_lines o where o.tenant_id = tenant and o.pair_no = p.pair_no and o.value_date <= p.period_end),
    waterfall = private.whole_waterfall(tenant, x.reconciliation_id, outcome -> 'waterfall'), changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer, exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.whole_waterfall(tenant text, reconciliation text, steps jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with settled as (
      select m.method, m.currency, count(*) as matches, sum(m.amount_minor) as minor from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.settled and m.state = 'confirmed' and m.decided_by is null
      group by m.method, m.currency
    )
    select jsonb_agg(case when not (s.step ->> 'settled')::boolean then s.step - 'settled' else s.step - 'settled' || (
        select jsonb_build_object('matches', coalesce(sum(t.matches), 0), 'left_lines', coalesce(sum(t.matches), 0), 'right_lines', coalesce(sum(t.matches), 0),
          'amounts', coalesce(jsonb_agg(jsonb_build_object('currency', t.currency, 'left_minor', private.exact_sum(t.minor),
            'right_minor', private.exact_sum(t.minor)) order by t.currency), '[]'))
        from settled t where t.method = s.step ->> 'rule'
      ) end order by s.n)
    from jsonb_array_elements(steps) with ordinality as s (step, n)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.finish_dry_run(tenant text, run text, outcome jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
begin
  update public.runs y set status = 'done', stage = null, finished_at = clock_timestamp(), lines_done = y.lines_total,
    impact = outcome -> 'impact', digest = outcome ->> 'digest', suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = (
      select coalesce(jsonb_agg(s.step - 'settled' order by s.n), '[]') from jsonb_array_elements(outcome -> 'waterfall') with ordinality as s (step, n))
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
end $function$;
CREATE OR REPLACE FUNCTION private.fail_run(tenant text, run text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
begin
  update public.runs y set status = 'failed', stage = null, finished_at = clock_timestamp(), failure = fail_run.failure
  where y.tenant_id = tenant and y.id = run and y.status in ('queued', 'running')
  returning * into x;
  if found then
    perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.rules_json(p public.pairs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  r public.pair_rules;
begin
  select * into r from public.pair_rules x where x.tenant_id = p.tenant_id and x.pair_no = p.pair_no and x.version = p.rules_version;
  -- Null rules: the defaults, which the engine has. The contract shows what `weights` say, not the counts.
  return jsonb_build_object('rules', r.rules, 'version', p.rules_version, 'weights', p.weights, 'updated_at', private.iso(r.created_at),
    'updated_by', r.created_by) || coalesce(r.policy, private.default_policy());
end $function$;
CREATE OR REPLACE FUNCTION public.get_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_rules');
  r := private.find_period(input ->> 'id');
  return (select private.rules_json(p) from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no);
end $function$;
CREATE OR REPLACE FUNCTION private.put_own_rules(period text, rules jsonb, policy jsonb, forget boolean, versions jsonb)
 RETURNS public.pairs
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  before jsonb;
  p public.pairs;
begin
  select x.* into p from public.reconciliations r join public.pairs x on x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = period for no key update of x;
  perform private.require_version(p.rules_version, versions);
  before := private.rules_json(p);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy) values (tenant, p.pair_no, p.rules_version + 1, rules,
    private.policy_of_pair(tenant, p.pair_no) || jsonb_strip_nulls(policy));
  update public.pairs x set rules_version = p.rules_version + 1, weights = case when forget then null else x.weights end
  where x.tenant_id = tenant and x.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions d where d.tenant_id = tenant and d.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching_rules.updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to', private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
  perform private.ask_for_runs(tenant, p.pair_no);
  return p;
end $function$;
CREATE OR REPLACE FUNCTION public.put_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  r public.reconciliations;
  p public.pairs;
  policy constant jsonb := jsonb_build_object('automatic', input -> 'automatic', 'four_eyes', input -> 'four_eyes', 'exceptions', input -> 'exceptions');
begin
  perform private.enter(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.ask_for_own_run(r.id, jsonb_build_object('rules', input -> 'rules'))).id);
  end if;
  p := private.put_own_rules(r.id, input -> 'rules', policy, coalesce((input ->> 'reset_learning')::boolean, false), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_to_learn(tenant text, pair integer, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'confirmed', d.confirmed, 'score', d.score, 'left', x.left_line, 'right', x.right_line)
      order by d.id), '[]')
    from (
      select * from private.decisions y where y.tenant_id = tenant and y.pair_no = pair order by y.id limit most
    ) d
    cross join lateral (
      select min(v.line::text) filter (where v.side = 'left')::jsonb as left_line, min(v.line::text) filter (where v.side = 'right')::jsonb as right_line
      from (
        select mm.side, jsonb_build_object('amount_minor', mm.allocated_minor, 'currency', l.currency, 'value_date', l.value_date - date '1970-01-01',
          'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key) as line
        from public.match_members mm join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
        where mm.tenant_id = tenant and mm.match_id = d.match_id
      ) v
    ) x
  );
end $function$;
CREATE OR REPLACE FUNCTION private.keep_weights(tenant text, pair integer, weights jsonb, up_to bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  taken integer;
begin
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs p set weights = keep_weights.weights where p.tenant_id = tenant and p.pair_no = pair;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_rows(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select x.id, case when x.id = r.id then 0 when x.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  ), sides as materialized (
    select s.source_no, case s.source_no when p.left_source_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ), came as (
    select l.currency, s.side, count(*) as line_count, sum(s.factor * l.amount_minor) as minor
    from sides s join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.value_date <= r.period_end
    group by 1, 2
  ), settled as (
    select m.currency, mm.side, o.place, sum(mm.allocated_minor) as minor
    from of_pair o join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id and m.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    where o.place < 1
    group by 1, 2, 3
    union all
    -- Of what later periods settled only what this one saw.
    select m.currency, mm.side, 1, sum(mm.allocated_minor)
    from of_pair o join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id and m.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    cross join lateral (
      select x.value_date from public.lines x where x.tenant_id = m.tenant_id and x.line_no = mm.line_no and x.value_date <= r.period_end offset 0
    ) l
    where o.place = 1
    group by 1, 2
  ), taken_out as (
    select x.currency, x.side, o.place, sum(x.excluded_minor) as minor
    from of_pair o join public.exclusions x on x.tenant_id = r.tenant_id and x.reconciliation_id = o.id
    join public.lines l on l.tenant_id = x.tenant_id and l.line_no = x.line_no and l.value_date <= r.period_end
    group by 1, 2, 3
  ), still_open as (
    select o.currency, o.side, sum(o.open_minor) as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    group by 1, 2
  ), explained as (
    select m.currency, sum(m.residual_minor) as residual, sum(coalesce(a.minor, 0)) as adjustments
    from public.matches m
    left join lateral (select sum((e ->> 'amount_minor')::bigint) as minor from jsonb_array_elements(m.adjustments) e) a on m.adjustments <> '[]'
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and (m.residual_minor <> 0 or m.adjustments <> '[]')
    group by 1
  ), rows as (
    select x.currency, x.side from came x union select x.currency, x.side from settled x union select x.currency, 'left' from explained x
    union select x.currency, 'right' from came x union select x.currency, 'left' from came x
  )
  select w.currency, w.side, coalesce(c.line_count, 0),
    coalesce(c.minor, 0) - coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = -1), 0)
      - coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = -1), 0),
    coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select s.minor from still_open s where s.currency = w.currency and s.side = w.side), 0)
      + coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 1), 0)
      + coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 1), 0),
    case w.side when 'left' then greatest(coalesce(e.adjustments, 0), 0) else greatest(-coalesce(e.adjustments, 0), 0) end,
    case w.side when 'left' then greatest(coalesce(e.residual, 0), 0) else greatest(-coalesce(e.residual, 0), 0) end
  from rows w left join came c on c.currency = w.currency and c.side = w.side left join explained e on e.currency = w.currency
  order by w.currency, w.side;
end $function$;
CREATE OR REPLACE FUNCTION private.exact_sum(sum numeric)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when abs(sum) <= 9007199254740991 then to_jsonb(sum) else to_jsonb(sum::text) end;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sums as materialized (
      select * from private.proof_rows(r)
    ), rows as (
      select x.*, x.lines = x.matched + x.excluded + x.open and b.balanced as holds
      from sums x join (
        select y.currency, sum(case y.side when 'left' then 1 else -1 end * (y.matched - y.adjustments - y.residual)) = 0 as balanced
        from sums y group by y.currency
      ) b on b.currency = x.currency
    )
    select jsonb_build_object(
      'items', coalesce(jsonb_agg(jsonb_build_object('currency', w.currency, 'side', w.side, 'lines', private.exact_sum(w.lines),
        'matched', private.exact_sum(w.matched), 'excluded', private.exact_sum(w.excluded), 'open', private.exact_sum(w.open),
        'adjustments', private.exact_sum(w.adjustments), 'residual', private.exact_sum(w.residual), 'holds', w.holds)
        order by w.currency, w.side), '[]'),
      'holds', coalesce(bool_and(w.holds), true)
    ) from rows w
  );
end $function$;
CREATE OR REPLACE FUNCTION private.violations_of_period(tenant text, reconciliation text, run text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  found text[];
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  select coalesce(array_agg(format('%s %s: lines are not matched + excluded + open, or the sides do not agree.', p ->> 'currency', p ->> 'side')), '{}')
  into found
  from jsonb_array_elements(private.proof_json(r) -> 'items') p where not (p ->> 'holds')::boolean;
  return found || coalesce((
    select array_agg(format('Match %s does not add up.', x.id)) from (
      select m.id
      from public.matches m cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.run_id = run and m.state in ('confirmed', 'suggested')
      group by m.id, m.residual_minor
      having sum(case mm.side when 'left' then mm.allocated_minor else -mm.allocated_minor end) <> m.residual_minor
      limit 100
    ) x
  ), '{}');
end $function$;
CREATE OR REPLACE FUNCTION public.get_proof(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_proof');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (select c.statement -> 'proof' from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id);
  end if;
  return private.proof_json(r);
end $function$;
CREATE OR REPLACE FUNCTION private.close_own_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  statement jsonb;
  matched_by text;
begin
  r := private.hold_period(private.tenant_id(), $1);
  if exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse('conflict', 'An earlier period of these sources is open. Close that one first.');
  elsif exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status in ('queued', 'running') and x.dry_run is null
  ) then
    perform private.refuse('conflict', 'A run of this period is under way. Close it when the run is done.');
  end if;
  if (private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'four_eyes')::boolean then
    select m.decided_by into matched_by from public.matches m
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.method = 'manual' and m.state = 'confirmed'
    order by m.decided_at desc, m.id desc limit 1;
    if matched_by = private.actor() then
      perform private.refuse('conflict', 'You made the last match by hand. Somebody else has to close this period.');
    end if;
  end if;
  if r.status = 'open' then
    update public.reconciliations x set status = 'in_progress' where x.tenant_id = r.tenant_id and x.id = r.id;
  end if;
  -- The next period has its own look at what is open.
  perform private.delete_matches(r.tenant_id, array(
    select m.id from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'));
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor from private.open_in_period(r) o;
  update public.reconciliations x set status = 'completed', closed_at = now(), closed_by = private.actor()
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  statement := private.statement_json(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse('conflict', 'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement) values (r.tenant_id, r.id, statement);
  perform private.record_security_event('reconciliation.closed', r.id);
  perform private.emit_own('reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_own_period(id text, reason text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1;
  perform from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no for no key update;
  select * into r from public.reconciliations x where x.tenant_id = r.tenant_id and x.id = r.id for update;
  if r.closed_at is null then
    perform private.refuse('conflict', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end and x.closed_at is not null
  ) then
    perform private.refuse('conflict', 'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  delete from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  delete from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit_own('reconciliation.reopened', jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION public.close_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'close_reconciliation');
  r public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.close_own_period(input ->> 'id');
  return private.answer(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION public.reopen_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'reopen_reconciliation');
  r public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.reopen_own_period(input ->> 'id', input ->> 'reason');
  return private.answer(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION private.open_in_period(r public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select r.tenant_id, x.line_no, x.side, sum(x.minor)::bigint
  from (
    select o.line_no, o.side, o.open_minor as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    union all
    select mm.line_no, mm.side, mm.allocated_minor
    from public.reconciliations later
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = later.id and m.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    cross join lateral (
      select x.value_date from public.lines x where x.tenant_id = m.tenant_id and x.line_no = mm.line_no and x.value_date <= r.period_end offset 0
    ) l
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no and later.period_start > r.period_end
    union all
    select e.line_no, e.side, e.excluded_minor
    from public.reconciliations later
    join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = later.id
    join public.lines l on l.tenant_id = e.tenant_id and l.line_no = e.line_no and l.value_date <= r.period_end
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no and later.period_start > r.period_end
  ) x
  group by x.line_no, x.side;
end $function$;
CREATE OR REPLACE FUNCTION private.outstanding_of(r public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if r.closed_at is null then
    return query select * from private.open_in_period(r);
  else
    return query select c.tenant_id, c.line_no, c.side, c.open_minor from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sides as materialized (
      select s.source_no, s.id, s.name, case s.source_no when p.left_source_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
      from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
      where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    ), balances as materialized (
      select l.currency, s.side, coalesce(sum(s.factor * l.amount_minor) filter (where l.value_date < r.period_start), 0) as opening,
        sum(s.factor * l.amount_minor) as closing, count(*) filter (where l.value_date >= r.period_start) as line_count
      from sides s join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.value_date <= r.period_end
      group by 1, 2
    ), outstanding as materialized (
      select o.line_no, o.side, o.open_minor, l.currency, r.period_end - l.value_date as age
      from private.outstanding_of(r) o
      cross join lateral (select x.currency, x.value_date from public.lines x where x.tenant_id = o.tenant_id and x.line_no = o.line_no offset 0) l
    ), until_now as materialized (
      select x.id from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end <= r.period_end
    ), excluded as materialized (
      select e.currency, e.side, sum(e.excluded_minor) as minor
      from until_now u join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = u.id group by 1, 2
    ), explained as materialized (
      select m.currency, sum(m.residual_minor) as residual, sum((select coalesce(sum((a ->> 'amount_minor')::bigint), 0) from jsonb_array_elements(m.adjustments) a)) as adjusted
      from until_now u join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = u.id and m.state = 'confirmed'
      where m.residual_minor <> 0 or m.adjustments <> '[]' group by 1
    ), currencies as (
      select b.currency from balances b union select e.currency from explained e
    ), sums as (
      select c.currency, s.side, coalesce(b.opening, 0) as opening, coalesce(b.closing, 0) as closing, coalesce(b.line_count, 0) as line_count,
        coalesce((select sum(o.open_minor) from outstanding o where o.currency = c.currency and o.side = s.side), 0) as outstanding,
        coalesce((select e.minor from excluded e where e.currency = c.currency and e.side = s.side), 0) as excluded
      from currencies c cross join (values ('left'), ('right')) s (side) left join balances b on b.currency = c.currency and b.side = s.side
    )
    select jsonb_build_object(
      'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start, 'period_end', r.period_end, 'left_source', r.left_source,
      'right_source', r.right_source, 'as_of', private.iso(coalesce(r.closed_at, now())), 'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'opening_minor', private.exact_sum(x.opening),
          'lines_minor', private.exact_sum(x.closing - x.opening), 'line_count', x.line_count, 'closing_minor', private.exact_sum(x.closing),
          'outstanding_minor', private.exact_sum(x.outstanding), 'excluded_minor', private.exact_sum(x.excluded)) order by x.currency, x.side), '[]')
        from sums x
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'adjustments_minor', private.exact_sum(coalesce(e.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(e.residual, 0)),
          'difference_minor', private.exact_sum(x.settled - coalesce(e.adjusted, 0) - coalesce(e.residual, 0))) order by x.currency), '[]')
        from (
          select y.currency, sum(case y.side when 'left' then 1 else -1 end * (y.closing - y.outstanding - y.excluded)) as settled from sums y group by 1
        ) x left join explained e on e.currency = x.currency
      ),
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'days_from', x.days_from, 'line_count', x.line_count, 'open_minor', private.exact_sum(x.minor))
          order by x.currency, x.side, x.days_from), '[]')
        from (
          select o.currency, o.side, a.days_from, count(*) as line_count, sum(o.open_minor) as minor
          from outstanding o cross join lateral (
            select case when o.age > 90 then 91 when o.age > 60 then 61 when o.age > 30 then 31 when o.age > 7 then 8 else 0 end as days_from
          ) a group by 1, 2, 3
        ) x
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.n), '[]')
        from (select o.*, row_number() over (order by abs(o.open_minor) desc, o.line_no) as n from outstanding o) x where x.n <= 250
      ),
      'adjustments', (
        select coalesce(jsonb_agg(jsonb_build_object('match_id', private.match_id_text(x.id), 'currency', x.currency, 'kind', x.a -> 'kind',
          'amount_minor', x.a -> 'amount_minor', 'note', x.a -> 'note', 'decided_by', x.decided_by) order by x.id, x.n), '[]')
        from (
          select m.id, m.currency, m.decided_by, a.a, a.n, row_number() over (order by m.id, a.n) as place from public.matches m
          cross join lateral jsonb_array_elements(m.adjustments) with ordinality as a (a, n)
          where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and m.adjustments <> '[]'
        ) x where x.place <= 1000
      ),
      'proof', private.proof_json(r)
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.outstanding_json(r public.reconciliations, line_no bigint, side text, open_minor bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('line_id', private.line_id_text(l.id), 'side', $3, 'value_date', l.value_date, 'age_days', r.period_end - l.value_date,
      'currency', l.currency, 'open_minor', $4, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description)
    from public.lines l where l.tenant_id = r.tenant_id and l.line_no = $2
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_statement(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_statement');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (select c.statement from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id);
  end if;
  return private.statement_json(r);
end $function$;
CREATE OR REPLACE FUNCTION public.list_outstanding_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.enter(request, 'list_outstanding_lines');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.value_date, x.id) into items
  from (
    select o.line_no, o.side, o.open_minor, l.value_date, l.id
    from private.outstanding_of(r) o
    cross join lateral (select x.id, x.value_date from public.lines x where x.tenant_id = o.tenant_id and x.line_no = o.line_no offset 0) l
    where input -> 'after' ->> 0 is null or (l.value_date, l.id) > ((input -> 'after' ->> 0)::date, private.line_id(input -> 'after' ->> 1))
    order by l.value_date, l.id limit page_size + 1
  ) x;
  return private.page(items, page_size, 'value_date', 'line_id');
end $function$;
CREATE OR REPLACE FUNCTION private.exception_json(e public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  minutes constant bigint := case when e.status in ('open', 'in_review') then private.minutes_to_breach(e.due_at, as_of) end;
begin
  return jsonb_build_object(
    'id', e.id, 'title', e.title, 'severity', e.severity, 'assigned_to', e.assigned_to, 'due_at', private.iso(e.due_at),
    'minutes_to_breach', minutes, 'breach_risk', case when minutes is not null then private.breach_risk(minutes) end,
    'status', e.status, 'reason_code', e.reason_code, 'amount_minor', e.amount_minor, 'currency', e.currency,
    'reconciliation_id', e.reconciliation_id,
    'line_id', 'lin_' || replace(e.line_id::text, '-', ''), 'suggested_match_id', 'mat_' || replace(e.suggested_match_id::text, '-', ''), 'details', e.details, 'resolution', e.resolution,
    'created_at', private.iso(e.created_at), 'created_by', e.created_by, 'updated_at', private.iso(e.updated_at),
    'closed_at', private.iso(e.closed_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exception_facts(e public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,pair_no,line_no,line_id,suggested_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(e.due_at));
end $function$;
CREATE OR REPLACE FUNCTION private.business_days_before(day date, days integer)
 RETURNS date
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  found_day date := day;
  left_over integer := days;
begin
  while left_over > 0 loop
    found_day := found_day - 1;
    if extract(isodow from found_day) < 6 then
      left_over := left_over - 1;
    end if;
  end loop;
  return found_day;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with overdue as materialized (
    select o.line_no, o.side, o.open_minor, o.currency, o.value_date, s.name,
      exists (
        select from public.reconciliations c
        where c.tenant_id = tenant and c.pair_no = r.pair_no and c.closed_at < l.created_at and l.value_date between c.period_start and c.period_end
      ) as is_late
    from public.reconciliations r
    join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    join public.sources s on s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    cross join lateral (
      select private.business_days_before((now() at time zone s.time_zone)::date, s.grace_days) as day
    ) due
    join private.open_lines o on o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end and o.value_date < due.day
      and o.side = case s.source_no when p.left_source_no then 'left' else 'right' end
    cross join lateral (select x.created_at, x.value_date from public.lines x where x.tenant_id = tenant and x.line_no = o.line_no offset 0) l
    where r.tenant_id = tenant and r.id = reconciliation and (
      select e.id from public.exceptions e where e.tenant_id = tenant and e.line_no = o.line_no and e.pair_no = r.pair_no limit 1
    ) is null
  ), chosen as (
    select * from overdue order by abs(open_minor) desc, line_no limit most
  )
  select coalesce(jsonb_agg(to_jsonb(c)), '[]'), (select count(*) from overdue) - count(*) into lines, held_back from chosen c;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions(tenant text, reconciliation text, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  opened integer;
begin
  r := private.hold_period(tenant, reconciliation);
  insert into public.exceptions (tenant_id, title, severity, assigned_to, due_at, due_from_policy, reason_code, amount_minor, currency,
    reconciliation_id, details, pair_no, line_no, line_id, suggested_match_id)
  select tenant, x.title, x.severity, x.assigned_to,
    date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, x.severity)), true,
    x.reason_code, x.amount_minor, x.currency, r.id, coalesce(x.details, '{}'), r.pair_no, l.line_no, l.id, (
      select m.id from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = tenant and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' order by m.id limit 1
    )
  from jsonb_to_recordset(rows) as x (
    line_no bigint, title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
  join public.sla_policies p on p.tenant_id = tenant
  join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
  join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.line_no = l.line_no and e.pair_no = r.pair_no);
  get diagnostics opened = row_count;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.point_exceptions_at_suggestions(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with suggested as materialized (
    select mm.line_no, m.pair_no, m.id from public.matches m
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
  ), pointing as materialized (
    select e.id, s.id as match_id from suggested s join lateral (
      select x.id from public.exceptions x
      where x.tenant_id = tenant and x.line_no = s.line_no and x.pair_no = s.pair_no and x.status in ('open', 'in_review')
        and x.suggested_match_id is distinct from s.id
      offset 0
    ) e on true
  )
  update public.exceptions e set suggested_match_id = p.match_id from pointing p where e.tenant_id = tenant and e.id = p.id;
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_line_exceptions(tenant text, pair integer, line_nos bigint[], resolution text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set status = 'resolved', resolution = resolve_line_exceptions.resolution, resolved_by_matching = true, suggested_match_id = null
  where e.tenant_id = tenant and e.line_no = any (line_nos) and e.pair_no = pair and e.status in ('open', 'in_review')
    and not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair and o.line_no = e.line_no);
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set status = 'resolved', resolution = format('Matched by %s.', private.match_id_text(x.match_id)),
    resolved_by_matching = true, suggested_match_id = null
  from (
    select mm.line_no, mm.match_id from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (matches)
  ) x
  where e.tenant_id = tenant and e.line_no = x.line_no and e.pair_no = pair and e.status in ('open', 'in_review')
    and not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair and o.line_no = e.line_no);
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_line_exceptions(tenant text, pair integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set status = 'open', resolved_by_matching = false
  where e.tenant_id = tenant and e.line_no = any (line_nos) and e.pair_no = pair and e.status = 'resolved' and e.resolved_by_matching
    and exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair and o.line_no = e.line_no);
end $function$;
CREATE TRIGGER closed_deleted AFTER DELETE ON public.exclusions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_change_of_closed();
CREATE TRIGGER closed_deleted AFTER DELETE ON public.matches REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_change_of_closed();
CREATE TRIGGER closed_inserted AFTER INSERT ON public.exclusions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_change_of_closed();
CREATE TRIGGER closed_inserted AFTER INSERT ON public.matches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_change_of_closed();
CREATE TRIGGER closed_updated AFTER UPDATE ON public.matches REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_change_of_closed();
CREATE TRIGGER guard BEFORE UPDATE ON public.sources FOR EACH ROW EXECUTE FUNCTION private.guard_source();
create policy carried_lines_read on public.carried_lines as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text, 'read:exceptions'::text, 'write:exceptions'::text]) AS may)));
create policy closings_read on public.closings as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy exclusions_read on public.exclusions as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy imports_read on public.imports as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy lines_read on public.lines as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy match_members_read on public.match_members as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy matched_counts_read on private.matched_counts as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text, 'read:exceptions'::text, 'write:exceptions'::text]) AS may)));
create policy matches_read on public.matches as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy open_lines_read on private.open_lines as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy pair_rules_read on public.pair_rules as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy pairs_read on public.pairs as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy runs_read on public.runs as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy sources_insert on public.sources as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:reconciliations'::text]) AS may)));
create policy sources_read on public.sources as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
create policy sources_update on public.sources as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:reconciliations'::text]) AS may)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
grant execute on function private.add_own_lines(integer,jsonb) to authenticated;
grant execute on function private.ask_for_own_run(text,jsonb) to authenticated;
grant execute on function private.ask_for_own_runs(integer) to authenticated;
grant execute on function private.begin_run(text,text,text,text) to service_role;
grant execute on function private.claim_import(text,text) to service_role;
grant execute on function private.close_own_period(text) to authenticated;
grant execute on function private.decide_own_matches(text,uuid[]) to authenticated;
grant execute on function private.decisions_to_learn(text,integer,integer) to service_role;
grant execute on function private.default_policy() to authenticated;
grant execute on function private.drop_own_import(text) to authenticated;
grant execute on function private.engine_line(public.lines,bigint) to authenticated;
grant execute on function private.exact_sum(numeric) to authenticated;
grant execute on function private.exclude_own_line(text,text,text) to authenticated;
grant execute on function private.fail_import(text,text,text,jsonb) to service_role;
grant execute on function private.fail_run(text,text,text) to service_role;
grant execute on function private.find_match(text) to authenticated;
grant execute on function private.find_period(text) to authenticated;
grant execute on function private.finish_dry_run(text,text,jsonb) to service_role;
grant execute on function private.finish_import(text,text,jsonb) to service_role;
grant execute on function private.finish_run(text,text,jsonb) to service_role;
grant execute on function private.finish_undoing(text,text) to service_role;
grant execute on function private.guard_period(public.reconciliations,public.reconciliations) to authenticated;
grant execute on function private.import_json(public.imports) to authenticated;
grant execute on function private.include_own_line(text,text,text) to authenticated;
grant execute on function private.keep_matches(text,text,text,uuid[],uuid[],text[],text[],text[],boolean[],real[],real[],text[],bigint[],bigint[],jsonb,bigint[],bigint[],uuid[],bigint[],text[],bigint[]) to service_role;
grant execute on function private.keep_own_import_chunk(text,integer,bytea) to authenticated;
grant execute on function private.keep_weights(text,integer,jsonb,bigint) to service_role;
grant execute on function private.known_own_lines(integer,jsonb) to authenticated;
grant execute on function private.line_belongs(public.lines,public.reconciliations) to authenticated;
grant execute on function private.line_id(text) to authenticated;
grant execute on function private.line_id_text(uuid) to authenticated;
grant execute on function private.line_json(public.lines,text,integer) to authenticated;
grant execute on function private.line_of_period(text,text) to authenticated;
grant execute on function private.line_standing(public.lines,integer) to authenticated;
grant execute on function private.lines_of_pair(integer,jsonb) to authenticated;
grant execute on function private.lines_past_grace(text,text,integer) to service_role;
grant execute on function private.match_id(text) to authenticated;
grant execute on function private.match_id_text(uuid) to authenticated;
grant execute on function private.match_json(public.matches) to authenticated;
grant execute on function private.match_own_lines(text,jsonb,jsonb,text) to authenticated;
grant execute on function private.open_in_period(public.reconciliations) to authenticated;
grant execute on function private.open_line_exceptions(text,text,jsonb) to service_role;
grant execute on function private.open_own_import(integer,jsonb) to authenticated;
grant execute on function private.open_period_of_line(text,text) to authenticated;
grant execute on function private.outstanding_json(public.reconciliations,bigint,text,bigint) to authenticated;
grant execute on function private.outstanding_of(public.reconciliations) to authenticated;
grant execute on function private.own_import(text) to authenticated;
grant execute on function private.own_source(text) to authenticated;
grant execute on function private.pair_of_own_sources(text,text) to authenticated;
grant execute on function private.point_exceptions_at_suggestions(text,text) to service_role;
grant execute on function private.policy_of_pair(text,integer) to authenticated;
grant execute on function private.proof_json(public.reconciliations) to authenticated;
grant execute on function private.proof_rows(public.reconciliations) to authenticated;
grant execute on function private.purge_imports(integer) to service_role;
grant execute on function private.put_own_rules(text,jsonb,jsonb,boolean,jsonb) to authenticated;
grant execute on function private.queue_own_import(text,jsonb,bigint) to authenticated;
grant execute on function private.reopen_own_period(text,text) to authenticated;
grant execute on function private.require_room(integer,bigint,bigint) to authenticated;
grant execute on function private.require_to_write() to authenticated;
grant execute on function private.rules_json(public.pairs) to authenticated;
grant execute on function private.run_json(public.runs) to authenticated;
grant execute on function private.source_json(public.sources) to authenticated;
grant execute on function private.source_version(public.sources) to authenticated;
grant execute on function private.stage_lines() to service_role;
grant execute on function private.statement_json(public.reconciliations) to authenticated;
grant execute on function private.tell_import_progress(text,text,jsonb) to service_role;
grant execute on function private.tell_run_progress(text,text,text,bigint,bigint) to service_role;
grant execute on function private.undo_own_import(text) to authenticated;
grant execute on function public.add_lines(jsonb,jsonb) to authenticated;
grant execute on function public.close_reconciliation(jsonb,jsonb) to authenticated;
grant execute on function public.confirm_match(jsonb,jsonb) to authenticated;
grant execute on function public.create_import(jsonb,jsonb) to authenticated;
grant execute on function public.create_match(jsonb,jsonb) to authenticated;
grant execute on function public.create_run(jsonb,jsonb) to authenticated;
grant execute on function public.create_source(jsonb,jsonb) to authenticated;
grant execute on function public.decide_matches(jsonb,jsonb) to authenticated;
grant execute on function public.drop_import(jsonb,jsonb) to authenticated;
grant execute on function public.exclude_line(jsonb,jsonb) to authenticated;
grant execute on function public.get_import(jsonb,jsonb) to authenticated;
grant execute on function public.get_line(jsonb,jsonb) to authenticated;
grant execute on function public.get_match(jsonb,jsonb) to authenticated;
grant execute on function public.get_proof(jsonb,jsonb) to authenticated;
grant execute on function public.get_rules(jsonb,jsonb) to authenticated;
grant execute on function public.get_run(jsonb,jsonb) to authenticated;
grant execute on function public.get_source(jsonb,jsonb) to authenticated;
grant execute on function public.get_statement(jsonb,jsonb) to authenticated;
grant execute on function public.include_line(jsonb,jsonb) to authenticated;
grant execute on function public.keep_import_chunk(jsonb,jsonb) to authenticated;
grant execute on function public.list_imports(jsonb,jsonb) to authenticated;
grant execute on function public.list_line_suggestions(jsonb,jsonb) to authenticated;
grant execute on function public.list_lines(jsonb,jsonb) to authenticated;
grant execute on function public.list_matches(jsonb,jsonb) to authenticated;
grant execute on function public.list_outstanding_lines(jsonb,jsonb) to authenticated;
grant execute on function public.list_runs(jsonb,jsonb) to authenticated;
grant execute on function public.list_sources(jsonb,jsonb) to authenticated;
grant execute on function public.open_import(jsonb,jsonb) to authenticated;
grant execute on function public.preview_import(jsonb,jsonb) to authenticated;
grant execute on function public.put_rules(jsonb,jsonb) to authenticated;
grant execute on function public.reject_match(jsonb,jsonb) to authenticated;
grant execute on function public.reopen_reconciliation(jsonb,jsonb) to authenticated;
grant execute on function public.undo_import(jsonb,jsonb) to authenticated;
grant execute on function public.undo_match(jsonb,jsonb) to authenticated;
grant execute on function public.update_source(jsonb,jsonb) to authenticated;
grant insert (auto_run, left_source, left_source_id, matched_count, name, pair_no, period_end, period_start, right_source, right_source_id, status, unmatched_count) on public.reconciliations to authenticated;
grant insert (currency, grace_days, kind, mapping, name, sign, time_zone) on public.sources to authenticated;
grant select on private.matched_counts to authenticated;
grant select on private.open_lines to authenticated;
grant select on public.carried_lines to authenticated;
grant select on public.carried_lines to service_role;
grant select on public.closings to authenticated;
grant select on public.closings to service_role;
grant select on public.exclusions to authenticated;
grant select on public.exclusions to service_role;
grant select on public.imports to authenticated;
grant select on public.imports to service_role;
grant select on public.lines to authenticated;
grant select on public.lines to service_role;
grant select on public.match_members to authenticated;
grant select on public.match_members to service_role;
grant select on public.matches to authenticated;
grant select on public.matches to service_role;
grant select on public.pair_rules to authenticated;
grant select on public.pair_rules to service_role;
grant select on public.pairs to authenticated;
grant select on public.pairs to service_role;
grant select on public.runs to authenticated;
grant select on public.runs to service_role;
grant select on public.sources to authenticated;
grant select on public.sources to service_role;
grant update (auto_run, left_source, matched_count, name, period_end, period_start, right_source, status, unmatched_count) on public.reconciliations to authenticated;
grant update (currency, grace_days, kind, mapping, name, sign, time_zone) on public.sources to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(close:reconciliations,{user},"{tenant_admin,tenant_lead}",)'),
  ('(decide:matches,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'),
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
  ('(read:security-events,"{user,service_role}",{tenant_admin},)'),
  ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:troubleshooting)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(add_lines,addLines,write:reconciliations)'),
  ('(close_reconciliation,closeReconciliation,close:reconciliations)'),
  ('(confirm_match,confirmMatch,decide:matches)'),
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_import,createImport,write:reconciliations)'),
  ('(create_match,createMatch,write:reconciliations)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_run,createRun,write:reconciliations)'),
  ('(create_source,createSource,write:reconciliations)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(decide_matches,decideMatches,decide:matches)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(exclude_line,excludeLine,write:reconciliations)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_match,getMatch,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_proof,getProof,read:reconciliations)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_rules,getRules,read:reconciliations)'),
  ('(get_run,getRun,read:reconciliations)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_imports,listImports,read:reconciliations)'),
  ('(list_line_suggestions,listLineSuggestions,read:reconciliations)'),
  ('(list_lines,listLines,read:reconciliations)'),
  ('(list_matches,listMatches,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_outstanding_lines,exportStatement,read:reconciliations)'),
  ('(list_reconciliations,listReconciliations,read:reconciliations)'),
  ('(list_records,listIntegrations,read:integrations)'),
  ('(list_records,listReleaseNotes,read:release-notes)'),
  ('(list_records,listTroubleshooting,read:troubleshooting)'),
  ('(list_runs,listRuns,read:reconciliations)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_rules,putRules,write:reconciliations)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(reject_match,rejectMatch,decide:matches)'),
  ('(reopen_reconciliation,reopenReconciliation,close:reconciliations)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_import,undoImport,write:reconciliations)'),
  ('(undo_match,undoMatch,write:reconciliations)'),
  ('(update_api_key,updateApiKey,write:api-keys)'),
  ('(update_exception,updateException,write:exceptions)'),
  ('(update_exceptions,updateExceptions,write:exceptions)'),
  ('(update_reconciliation,updateReconciliation,write:reconciliations)'),
  ('(update_record,updateIntegration,write:integrations)'),
  ('(update_record,updateReleaseNote,write:release-notes)'),
  ('(update_record,updateTroubleshootingGuide,write:troubleshooting)'),
  ('(update_source,updateSource,write:reconciliations)'),
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
  ('(exception.created,read:exceptions)'),
  ('(exception.resolved,read:exceptions)'),
  ('(exception.sla.at_risk,read:exceptions)'),
  ('(exception.sla.breached,read:exceptions)'),
  ('(exception.updated,read:exceptions)'),
  ('(import.done,read:reconciliations)'),
  ('(match.undone,read:reconciliations)'),
  ('(reconciliation.closed,read:reconciliations)'),
  ('(reconciliation.reopened,read:reconciliations)'),
  ('(run.done,read:reconciliations)'),
  ('(webhook.disabled,read:webhooks)'),
  ('(webhook.failing,read:webhooks)'),
  ('(webhook.test,read:webhooks)')
) as given (row_text);
