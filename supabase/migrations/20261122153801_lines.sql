-- Reconciliations of two sources, and exceptions of their lines.
alter table public.reconciliations
  add column pair_no integer,
  add column left_source_id text,
  add column right_source_id text,
  add column auto_run boolean not null default true,
  add column closed_at timestamptz(3),
  add column closed_by text;
alter table public.exceptions
  add column line_no bigint,
  add column suggested_match_id uuid;
create index exceptions_by_line on public.exceptions (tenant_id, line_no, id) where line_no is not null;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

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
  automatic text not null default 'earned'::text,
  created_at timestamp(3) with time zone not null default now()
);
create table public.pair_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null,
  rules jsonb not null,
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
) with (fillfactor=90, autovacuum_vacuum_scale_factor=0.05);
create table public.matches (
  tenant_id text not null default private.tenant_id(),
  id uuid not null,
  pair_no integer not null,
  reconciliation_id text not null,
  run_id text,
  state text not null,
  shape text not null,
  method text not null,
  score real,
  margin real,
  currency text not null,
  residual_minor bigint not null default 0,
  adjustments jsonb not null default '[]'::jsonb,
  note text,
  explanation jsonb,
  content_hash uuid,
  combination_hash uuid not null,
  decided_by text,
  decided_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
);
create table public.match_members (
  tenant_id text not null default private.tenant_id(),
  match_id uuid not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null,
  allocated_minor bigint not null
);
create table private.rejected_combinations (
  tenant_id text not null,
  pair_no integer not null,
  combination_hash uuid not null
);
create table public.exclusions (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  line_no bigint not null,
  reconciliation_id text not null,
  reason text not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
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
  outcome jsonb,
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
alter table private.import_chunks add constraint import_chunks_pkey PRIMARY KEY (tenant_id, import_id, seq);
alter table private.open_lines add constraint open_lines_pkey PRIMARY KEY (tenant_id, pair_no, line_no);
alter table private.rejected_combinations add constraint rejected_combinations_pkey PRIMARY KEY (tenant_id, pair_no, combination_hash);
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
alter table private.open_lines add constraint open_lines_check CHECK (((open_minor >= LEAST(amount_minor, (0)::bigint)) AND (open_minor <= GREATEST(amount_minor, (0)::bigint))));
alter table private.open_lines add constraint open_lines_side_check CHECK ((side = ANY (ARRAY['left'::text, 'right'::text])));
alter table public.carried_lines add constraint carried_lines_side_check CHECK ((side = ANY (ARRAY['left'::text, 'right'::text])));
alter table public.exclusions add constraint exclusions_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)));
alter table public.imports add constraint imports_file_name_check CHECK (((length(file_name) >= 1) AND (length(file_name) <= 255)));
alter table public.imports add constraint imports_status_check CHECK ((status = ANY (ARRAY['receiving'::text, 'queued'::text, 'reading'::text, 'done'::text, 'failed'::text, 'undoing'::text, 'undone'::text])));
alter table public.lines add constraint lines_amount_minor_check CHECK (((amount_minor >= '-9007199254740991'::bigint) AND (amount_minor <= '9007199254740991'::bigint)));
alter table public.match_members add constraint match_members_side_check CHECK ((side = ANY (ARRAY['left'::text, 'right'::text])));
alter table public.matches add constraint matches_shape_check CHECK ((shape = ANY (ARRAY['1:1'::text, '1:n'::text, 'n:1'::text, 'n:m'::text, 'reversal'::text])));
alter table public.matches add constraint matches_state_check CHECK ((state = ANY (ARRAY['suggested'::text, 'confirmed'::text, 'rejected'::text, 'undone'::text])));
alter table public.pair_rules add constraint pair_rules_rules_check CHECK ((jsonb_typeof(rules) = 'array'::text));
alter table public.pair_rules add constraint pair_rules_version_check CHECK ((version >= 1));
alter table public.pairs add constraint pairs_automatic_check CHECK ((automatic = ANY (ARRAY['suggest_only'::text, 'earned'::text, 'always'::text])));
alter table public.pairs add constraint pairs_check CHECK ((left_source_no <> right_source_no));
alter table public.runs add constraint runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])));
alter table public.sources add constraint sources_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text));
alter table public.sources add constraint sources_grace_days_check CHECK (((grace_days >= 0) AND (grace_days <= 90)));
alter table public.sources add constraint sources_kind_check CHECK ((kind = ANY (ARRAY['bank_statement'::text, 'ledger'::text, 'processor'::text, 'orders'::text, 'other'::text])));
alter table public.sources add constraint sources_line_count_check CHECK ((line_count >= 0));
alter table public.sources add constraint sources_mapping_check CHECK ((jsonb_typeof(mapping) = 'object'::text));
alter table public.sources add constraint sources_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
alter table public.sources add constraint sources_sign_check CHECK ((sign = ANY (ARRAY['as_is'::text, 'inverted'::text])));
alter table public.sources add constraint sources_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64)));
CREATE INDEX open_lines_by_amount ON private.open_lines USING btree (tenant_id, pair_no, currency, open_minor);
CREATE INDEX open_lines_by_date ON private.open_lines USING btree (tenant_id, pair_no, value_date, line_no);
CREATE INDEX imports_at_work ON public.imports USING btree (tenant_id, status, id) WHERE (status = ANY (ARRAY['receiving'::text, 'queued'::text, 'reading'::text, 'undoing'::text]));
CREATE INDEX imports_by_source ON public.imports USING btree (tenant_id, source_no, id);
CREATE INDEX lines_by_source ON public.lines USING btree (tenant_id, source_no, value_date, line_no);
CREATE INDEX match_members_by_line ON public.match_members USING btree (tenant_id, line_no, pair_no);
CREATE INDEX matches_by_reconciliation ON public.matches USING btree (tenant_id, reconciliation_id, state, id);
CREATE INDEX runs_by_reconciliation ON public.runs USING btree (tenant_id, reconciliation_id, id);
alter table private.import_chunks add constraint import_chunks_tenant_id_import_id_fkey FOREIGN KEY (tenant_id, import_id) REFERENCES public.imports(tenant_id, id) ON DELETE CASCADE;
alter table public.carried_lines add constraint carried_lines_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.closings add constraint closings_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.imports add constraint imports_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.imports add constraint imports_tenant_id_source_no_fkey FOREIGN KEY (tenant_id, source_no) REFERENCES public.sources(tenant_id, source_no);
alter table public.match_members add constraint match_members_tenant_id_match_id_fkey FOREIGN KEY (tenant_id, match_id) REFERENCES public.matches(tenant_id, id) ON DELETE CASCADE;
alter table public.matches add constraint matches_tenant_id_pair_no_fkey FOREIGN KEY (tenant_id, pair_no) REFERENCES public.pairs(tenant_id, pair_no);
alter table public.matches add constraint matches_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.pair_rules add constraint pair_rules_tenant_id_pair_no_fkey FOREIGN KEY (tenant_id, pair_no) REFERENCES public.pairs(tenant_id, pair_no);
alter table public.pairs add constraint pairs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.pairs add constraint pairs_tenant_id_left_source_no_fkey FOREIGN KEY (tenant_id, left_source_no) REFERENCES public.sources(tenant_id, source_no);
alter table public.pairs add constraint pairs_tenant_id_right_source_no_fkey FOREIGN KEY (tenant_id, right_source_no) REFERENCES public.sources(tenant_id, source_no);
alter table public.runs add constraint runs_tenant_id_reconciliation_id_fkey FOREIGN KEY (tenant_id, reconciliation_id) REFERENCES public.reconciliations(tenant_id, id);
alter table public.sources add constraint sources_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table private.import_chunks enable row level security; alter table private.import_chunks no force row level security;
alter table private.open_lines enable row level security; alter table private.open_lines no force row level security;
alter table private.rejected_combinations enable row level security; alter table private.rejected_combinations no force row level security;
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
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
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
CREATE OR REPLACE FUNCTION private.lines_arrived(tenant_id text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  null;
end $function$;
CREATE OR REPLACE FUNCTION private.require_undoable(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.closings c
    join public.matches m on m.tenant_id = c.tenant_id and m.reconciliation_id = c.reconciliation_id and m.state = 'confirmed'
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
    join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
    where c.tenant_id = $1 and l.import_id = $2
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
begin
  perform private.require_undoable($1, $2);
  delete from private.open_lines o using public.lines l
  where l.tenant_id = $1 and l.import_id = $2 and o.tenant_id = $1 and o.line_no = l.line_no;
end $function$;
CREATE TRIGGER guard BEFORE UPDATE ON public.sources FOR EACH ROW EXECUTE FUNCTION private.guard_source();
create policy carried_lines_read on public.carried_lines as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
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
grant execute on function private.claim_import(text,text) to service_role;
grant execute on function private.drop_own_import(text) to authenticated;
grant execute on function private.fail_import(text,text,text,jsonb) to service_role;
grant execute on function private.finish_import(text,text,jsonb) to service_role;
grant execute on function private.finish_undoing(text,text) to service_role;
grant execute on function private.import_json(public.imports) to authenticated;
grant execute on function private.keep_own_import_chunk(text,integer,bytea) to authenticated;
grant execute on function private.known_own_lines(integer,jsonb) to authenticated;
grant execute on function private.line_belongs(public.lines,public.reconciliations) to authenticated;
grant execute on function private.line_id(text) to authenticated;
grant execute on function private.line_id_text(uuid) to authenticated;
grant execute on function private.line_json(public.lines,text,integer) to authenticated;
grant execute on function private.line_standing(public.lines,integer) to authenticated;
grant execute on function private.open_own_import(integer,jsonb) to authenticated;
grant execute on function private.own_import(text) to authenticated;
grant execute on function private.own_source(text) to authenticated;
grant execute on function private.purge_imports(integer) to service_role;
grant execute on function private.queue_own_import(text,jsonb,bigint) to authenticated;
grant execute on function private.require_room(integer,bigint,bigint) to authenticated;
grant execute on function private.require_to_write() to authenticated;
grant execute on function private.source_json(public.sources) to authenticated;
grant execute on function private.source_version(public.sources) to authenticated;
grant execute on function private.stage_lines() to service_role;
grant execute on function private.tell_import_progress(text,text,jsonb) to service_role;
grant execute on function private.undo_own_import(text) to authenticated;
grant execute on function public.add_lines(jsonb,jsonb) to authenticated;
grant execute on function public.create_import(jsonb,jsonb) to authenticated;
grant execute on function public.create_source(jsonb,jsonb) to authenticated;
grant execute on function public.drop_import(jsonb,jsonb) to authenticated;
grant execute on function public.get_import(jsonb,jsonb) to authenticated;
grant execute on function public.get_line(jsonb,jsonb) to authenticated;
grant execute on function public.get_source(jsonb,jsonb) to authenticated;
grant execute on function public.keep_import_chunk(jsonb,jsonb) to authenticated;
grant execute on function public.list_imports(jsonb,jsonb) to authenticated;
grant execute on function public.list_lines(jsonb,jsonb) to authenticated;
grant execute on function public.list_sources(jsonb,jsonb) to authenticated;
grant execute on function public.open_import(jsonb,jsonb) to authenticated;
grant execute on function public.preview_import(jsonb,jsonb) to authenticated;
grant execute on function public.undo_import(jsonb,jsonb) to authenticated;
grant execute on function public.update_source(jsonb,jsonb) to authenticated;
grant insert (currency, grace_days, kind, mapping, name, sign, time_zone) on public.sources to authenticated;
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
grant update (currency, grace_days, kind, mapping, name, sign, time_zone) on public.sources to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
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
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_import,createImport,write:reconciliations)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_source,createSource,write:reconciliations)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_imports,listImports,read:reconciliations)'),
  ('(list_lines,listLines,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_reconciliations,listReconciliations,read:reconciliations)'),
  ('(list_records,listIntegrations,read:integrations)'),
  ('(list_records,listReleaseNotes,read:release-notes)'),
  ('(list_records,listTroubleshooting,read:troubleshooting)'),
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
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_import,undoImport,write:reconciliations)'),
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
  ('(webhook.disabled,read:webhooks)'),
  ('(webhook.failing,read:webhooks)'),
  ('(webhook.test,read:webhooks)')
) as given (row_text);
