create extension if not exists pg_trgm with schema extensions;
create index exceptions_by_words on public.exceptions using gin (lower(title || ' ' || coalesce(reason_code, '')) extensions.gin_trgm_ops);

-- Records that are there already count. None comes until they are counted as they come.
lock table public.records in share row exclusive mode;
create table private.row_counts (
  tenant_id text not null references public.tenants (id),
  kind text not null,
  shard integer not null,
  rows bigint not null,
  primary key (tenant_id, kind, shard)
) with (fillfactor = 50);
insert into private.row_counts (tenant_id, kind, shard, rows) select tenant_id, 'records', 0, count(*) from public.records group by 1;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

create table private.quotas (
  kind text not null,
  most bigint not null
);
alter table private.quotas add constraint quotas_pkey PRIMARY KEY (kind);
alter table private.quotas add constraint quotas_kind_check CHECK ((kind = ANY (ARRAY['api_keys'::text, 'webhooks'::text, 'reconciliations'::text, 'sources'::text, 'records'::text, 'exceptions'::text, 'lines'::text])));
alter table private.quotas add constraint quotas_most_check CHECK ((most > 0));
alter table private.quotas enable row level security; alter table private.quotas no force row level security;
alter table private.row_counts enable row level security; alter table private.row_counts no force row level security;
CREATE OR REPLACE FUNCTION private.count_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.row_counts as c (tenant_id, kind, shard, rows)
  select r.tenant_id, tg_argv[0], private.own_shard(), count(*) * tg_argv[1]::bigint from changed r group by 1 order by 1
  on conflict on constraint row_counts_pkey do update set rows = c.rows + excluded.rows;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.used_of_quota(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case kind
    when 'api_keys' then (
      select count(*) from public.api_keys k where k.tenant_id = $1 and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now()) and (k.grace_expires_at is null or k.grace_expires_at > now()))
    when 'webhooks' then (select count(*) from public.webhooks w where w.tenant_id = $1 and w.deleted_at is null)
    when 'reconciliations' then (select count(*) from public.reconciliations r where r.tenant_id = $1)
    when 'sources' then (select count(*) from public.sources s where s.tenant_id = $1)
    when 'exceptions' then (select sum(c.breached + c.at_risk + c.on_track) from private.sla_counts c where c.tenant_id = $1)
    when 'lines' then (select sum(s.line_count) from public.sources s where s.tenant_id = $1)
    else (select sum(c.rows) from private.row_counts c where c.tenant_id = $1 and c.kind = $2)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.require_quota(kind text, added bigint DEFAULT 1, tenant_id text DEFAULT private.tenant_id())
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  quota constant bigint := (select q.most from private.quotas q where q.kind = $1);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $3 || ' ' || kind, 0));
  end if;
  if coalesce(private.used_of_quota($3, kind), 0) + added > quota then
    perform private.refuse('conflict', format('A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some' when 'webhooks' then 'Delete one'
        when 'records' then 'Delete some: they count until they are purged' when 'lines' then 'Undo an import' else 'Use those you have' end));
  end if;
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
  perform private.require_quota('reconciliations');
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
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency', coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  return private.answer(request, private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
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
    perform private.require_quota('lines', accepted, $1);
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
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
CREATE OR REPLACE FUNCTION private.insert_exceptions(rows jsonb)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query
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
end $function$;
CREATE OR REPLACE FUNCTION private.has_words(q text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  condition text := 'true';
  word text;
begin
  foreach word in array regexp_split_to_array(btrim(lower(q)), '\s+') loop
    condition := condition || case when word ~ '^exc_[0-9a-f]*$' then format(' and e.id >= %L and e.id < %L', word, word || 'g')
      else format(' and lower(e.title || '' '' || coalesce(e.reason_code, '''')) like %L', (private.word_patterns(word))[1]) end;
  end loop;
  return condition;
end $function$;
CREATE OR REPLACE FUNCTION private.few_with_words(q text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  most constant integer := 5000;
  ids text[];
begin
  execute format('select array(select e.id from public.exceptions e where e.tenant_id = %L and %s limit %s)',
    private.tenant_id(), private.has_words(q), most + 1) into ids;
  return case when cardinality(ids) <= most then ids end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  conditions text := 'e.tenant_id = private.tenant_id()';
  field text;
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_exceptions');
  if input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and e.id < %L', input -> 'after' ->> 0);
  end if;
  foreach field in array '{status,severity,assigned_to,reconciliation_id}'::text[] loop
    if input ->> field is not null then
      conditions := conditions || format(' and e.%I = %L', field, input ->> field);
    end if;
  end loop;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($1)' end;
    -- The planner expects fewer than there are, which it would sort.
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by e.id desc)
    from (select * from public.exceptions e where %s order by e.id desc limit %s) e
  $q$, conditions, page_size + 1) into items using few;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
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
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  high constant interval := make_interval(mins => private.high_risk_below() - 1);
  medium constant interval := make_interval(mins => private.medium_risk_up_to());
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity_rank = %s', private.severity_rank(input ->> 'severity'));
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format($q$ and coalesce('0' || e.assigned_to, '1') = %L$q$, '0' || (input ->> 'assigned_to'));
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  if risk <> 'breached' then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case risk when 'medium' then high when 'low' then medium else interval '0' end);
  end if;
  if risk <> 'low' then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + case risk when 'breached' then interval '0' when 'high' then high else medium end);
  end if;
  if jsonb_typeof(input -> 'after') = 'array' then
    conditions := conditions || format(' and (%s) > (%s%L::timestamptz, %L)', sort_key,
      case when rank_expression is not null then quote_literal(input -> 'after' ->> 0) || ', ' else '' end,
      input -> 'after' ->> 1, input -> 'after' ->> 2);
  end if;
  -- The rank is for the cursor; the contract leaves it out.
  execute format($q$
    select jsonb_agg(private.exception_json(p.e, $1) || jsonb_build_object('rank', p.rank) order by p.rank, (p.e).due_at, (p.e).id)
    from (select e, %1$s as rank from public.exceptions e where %2$s order by %3$s limit $2 + 1) p
  $q$, coalesce(rank_expression, $q$''::text$q$), conditions, sort_key)
  into items using as_of, page_size, few;
  return private.page(items, page_size, 'rank', 'due_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.insert_api_key(input jsonb, rotated_from text DEFAULT NULL::text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created public.api_keys;
begin
  -- Who has as many as they may still rotates one.
  perform private.require_quota('api_keys', (rotated_from is null)::integer);
  insert into public.api_keys (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from)
  values (
    input ->> 'key_id', input ->> 'name', input ->> 'description', private.text_array(input -> 'scopes'),
    private.text_array(input -> 'ip_allowlist'), (input ->> 'expires_at')::timestamptz, insert_api_key.rotated_from
  )
  returning * into created;
  perform private.keep_api_key_secret(created.id, input ->> 'secret_digest');
  return created;
end $function$;
CREATE OR REPLACE FUNCTION public.create_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_webhook');
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  perform private.require_quota('webhooks');
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.list_records(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_records', coalesce(input ->> 'surface', ''));
  perform private.with_deleted(input);
  select jsonb_agg(private.record_json(r) -> 'record' order by r.id desc) into items
  from public.records r
  where r.tenant_id = private.tenant_id() and r.id = any ((select private.find_records(input))::text[]) and r.surface = input ->> 'surface';
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_record', coalesce(input ->> 'surface', ''));
  created public.records;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_record_size(input -> 'data');
  perform private.require_quota('records');
  insert into public.records (surface, data) values (input ->> 'surface', input -> 'data') returning * into created;
  return private.answer(request, private.record_json(created));
end $function$;
CREATE TRIGGER count_gone AFTER DELETE ON public.records REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.count_rows('records', '-1');
CREATE TRIGGER count_new AFTER INSERT ON public.records REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.count_rows('records', '1');
grant execute on function private.few_with_words(text) to authenticated;
grant execute on function private.has_words(text) to authenticated;
grant execute on function private.require_quota(text,bigint,text) to authenticated;
grant execute on function private.require_quota(text,bigint,text) to service_role;
