drop index public.exceptions_open_by_reconciliation;
create index exceptions_open_by_reconciliation on public.exceptions (tenant_id, reconciliation_id, due_at, id)
  where reconciliation_id is not null and status in ('open', 'in_review');
create index exceptions_by_reason on public.exceptions (tenant_id, reason_code, due_at, id)
  where reason_code is not null and status in ('open', 'in_review');
create index exceptions_by_amount on public.exceptions (tenant_id, currency, amount_minor desc, due_at, id) where status in ('open', 'in_review');
create index exceptions_by_closing on public.exceptions (tenant_id, closed_at, id) where closed_at is not null;
create index exceptions_by_change on public.exceptions (tenant_id, updated_at, id);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.stretches_after(text,jsonb);
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
create table public.views (
  id text not null default private.new_id('viw'::text),
  tenant_id text not null default private.tenant_id(),
  principal_id text not null default (auth.jwt() ->> 'principal_id'::text),
  name text not null,
  shared boolean not null default false,
  filters jsonb not null default '{}'::jsonb,
  sort_by text not null default 'due_at'::text,
  created_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, now()),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default date_trunc('milliseconds'::text, now())
);
alter table public.views add constraint views_pkey PRIMARY KEY (tenant_id, id);
alter table public.views add constraint views_filters_check CHECK (((jsonb_typeof(filters) = 'object'::text) AND (octet_length((filters)::text) <= 16384)));
alter table public.views add constraint views_name_check CHECK (((length(name) >= 1) AND (length(name) <= 80)));
alter table public.views add constraint views_sort_by_check CHECK ((sort_by = ANY (ARRAY['due_at'::text, 'severity'::text, 'assigned_to'::text, 'breach_risk'::text, 'amount'::text])));
CREATE INDEX views_of_principal ON public.views USING btree (tenant_id, principal_id, id);
alter table public.views add constraint views_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table public.views enable row level security; alter table public.views no force row level security;
CREATE OR REPLACE FUNCTION private.risk_ranges(wanted text[], as_of timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  risks constant text[] := '{breached,high,medium,low}';
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  ends constant timestamptz[] := array[as_of, as_of + make_interval(mins => private.high_risk_below() - 1),
    as_of + make_interval(mins => private.medium_risk_up_to())];
  given constant text[] := case when 'at_risk' = any (wanted) then wanted || '{high,medium}'::text[] else wanted end;
  ranges text[] := '{}';
  first integer;
begin
  for i in 1 .. 4 loop
    if not risks[i] = any (given) then
      continue;
    end if;
    first := coalesce(first, i);
    if i = 4 or not risks[i + 1] = any (given) then
      ranges := ranges || coalesce(nullif(concat_ws(' and ',
        case when first > 1 then format('e.due_at > %L::timestamptz', ends[first - 1]) end,
        case when i < 4 then format('e.due_at <= %L::timestamptz', ends[i]) end), ''), 'true');
      first := null;
    end if;
  end loop;
  return ranges;
end $function$;
CREATE OR REPLACE FUNCTION private.one_of(field text, wanted text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when cardinality(wanted) = 1 then format('%s = %L', field, wanted[1]) else format('%s = any (%L)', field, wanted) end;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_condition(filter text, input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  -- One value alone is as the release before sends it.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter] else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.one_of('e.severity_rank', array(select private.severity_rank(s)::text from unnest(wanted) s));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when filter in ('status', 'reason_code') then private.one_of('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter, private.one_of('e.' || filter, array_remove(wanted, 'none')))
    else private.one_of('e.' || filter, wanted)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_facets()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{breach_risk,severity,status,assigned_to,reason_code,reconciliation_id,currency}'::text[];
CREATE OR REPLACE FUNCTION private.bound_conditions(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(concat_ws(' and ', 'e.amount_minor >= ' || (input ->> 'amount_from')::bigint::text,
    'e.due_at < ' || quote_literal((input ->> 'due_before')::timestamptz) || '::timestamptz'), '');
end $function$;
CREATE OR REPLACE FUNCTION private.exception_conditions(input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true', private.bound_conditions(input), (
    select string_agg(private.exception_condition(f, input, as_of), ' and ')
    from unnest(private.exception_facets()) f
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.list_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_closing constant boolean := input ->> 'sort_by' = 'closed_at';
  sort_key constant text := case when by_closing then 'e.closed_at desc, e.id desc' else 'e.id desc' end;
  conditions text := 'e.tenant_id = private.tenant_id() and ' || private.exception_conditions(input, now());
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_exceptions');
  if by_closing then
    conditions := conditions || ' and e.closed_at is not null'
      || case when jsonb_typeof(input -> 'after') = 'array'
        then format(' and (e.closed_at, e.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0, input -> 'after' ->> 1) else '' end;
  elsif input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and e.id < %L', input -> 'after' ->> 0);
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($1)' end;
    -- The planner expects fewer than there are, which it would sort.
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using few;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id') else private.page(items, page_size, 'id') end;
end $function$;
CREATE OR REPLACE FUNCTION private.matching_exceptions(filters jsonb, after text, most integer)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  ids text[];
begin
  execute format($q$select array(select e.id from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.id > %L and %s%s order by e.id limit %s)$q$, coalesce(after, ''), private.exception_conditions(filters, now()),
    case when filters ->> 'q' is not null then ' and ' || private.has_words(filters ->> 'q') else '' end, most) into ids;
  return ids;
end $function$;
CREATE OR REPLACE FUNCTION private.skipped_exceptions(ids text[], refused jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', e.id, 'title', e.title, 'message', r ->> 'message') order by e.id)
    from jsonb_array_elements(refused) r
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = ids[substr(r ->> 'path', 5)::integer + 1]
  );
end $function$;
CREATE OR REPLACE FUNCTION private.not_skipped(ids text[], refused jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select i.id from unnest(ids) with ordinality as i (id, n)
    where not exists (select from jsonb_array_elements(refused) r where r ->> 'path' = 'ids.' || (i.n - 1)) order by i.n);
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  p public.sla_policies;
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  matching bigint;
  refused jsonb;
  skipped jsonb := '[]';
begin
  if kept is not null then
    return kept;
  end if;
  if by_filter then
    if jsonb_typeof(input -> 'after') is distinct from 'array' then
      matching := private.count_of_view(input -> 'filter');
      if matching <> (input ->> 'expected_count')::bigint then
        perform private.refuse('conflict', format('%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
          matching, input ->> 'expected_count'));
      end if;
    end if;
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform from public.exceptions e where e.tenant_id = tenant and e.id = any (ids) order by e.id for no key update;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    update public.exceptions e set paused_at = null where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now();
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault) order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p) when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null and by_filter then
      skipped := private.skipped_exceptions(ids, refused);
      ids := private.not_skipped(ids, refused);
    elsif refused is not null then
      perform private.refuse('conflict', format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
    update public.exceptions e set paused_at = case when pause is not null then now() end, paused_until = (pause ->> 'until')::timestamptz,
      pause_reason = pause ->> 'reason'
    where e.tenant_id = tenant and e.id = any (ids);
  else
  update public.exceptions e set
    severity = (x.after).severity, assigned_to = (x.after).assigned_to, due_at = (x.after).due_at,
    due_from_policy = (x.after).due_from_policy, status = (x.after).status, reason_code = (x.after).reason_code, resolution = (x.after).resolution
  from (
    select b.id, private.patch_exception(b, patch) as after from public.exceptions b where b.tenant_id = tenant and b.id = any (ids)
  ) x
  where e.tenant_id = tenant and e.id = x.id;
  end if;
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.answer(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', skipped, 'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.stretches_after(sort_by text, after jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  later constant text := format('%L::timestamptz, %L', after ->> 1, after ->> 2);
  currency constant text := quote_literal(substr(after ->> 0, 2, 3));
  amount bigint;
begin
  if jsonb_typeof(after) is distinct from 'array' then
    return array['true'];
  elsif sort_by = 'severity' then
    return array[format('(e.severity_rank, e.due_at, e.id) > (%L::smallint, %s)', after ->> 0, later)];
  elsif sort_by = 'assigned_to' and after ->> 0 <> '1' then
    return array[format('(e.assigned_to, e.due_at, e.id) > (%L, %s)', substr(after ->> 0, 2), later), 'e.assigned_to is null'];
  elsif sort_by = 'amount' and after ->> 0 <> '1' then
    amount := private.amount_of_rank(after ->> 0);
    return array[
      format('e.currency = %s and e.amount_minor = %s and (e.due_at, e.id) > (%s)', currency, amount, later),
      format('e.currency = %s and e.amount_minor < %s', currency, amount), format('e.currency > %s', currency), 'e.currency is null'];
  end if;
  return array[concat_ws(' and ', case sort_by when 'assigned_to' then 'e.assigned_to is null' when 'amount' then 'e.currency is null' end,
    format('(e.due_at, e.id) > (%s)', later))];
end $function$;
CREATE OR REPLACE FUNCTION private.amount_rank(currency text, amount_minor bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce('0' || currency || lpad((9223372036854775807 - amount_minor)::text, 19, '0'), '1');
end $function$;
CREATE OR REPLACE FUNCTION private.amount_of_rank(rank text)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (9223372036854775807 - substr(rank, 5)::numeric)::bigint;
end $function$;
CREATE OR REPLACE FUNCTION private.stretches_of(input jsonb, as_of timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  risks constant text[] := private.risk_ranges(private.text_array(input -> 'breach_risk'), as_of);
  filter text;
begin
  if input ->> 'sort_by' in ('due_at', 'breach_risk') then
    foreach filter in array '{assigned_to,reconciliation_id,reason_code,severity}'::text[] loop
      if cardinality(private.text_array(input -> filter)) > 1 then
        return array(select private.exception_condition(filter, jsonb_build_object(filter, jsonb_build_array(v)), as_of)
          from (select distinct case when filter = 'assigned_to' and v = 'me' then private.actor() else v end
            from unnest(private.text_array(input -> filter)) v) d (v));
      end if;
    end loop;
    if cardinality(risks) > 1 then
      return risks;
    end if;
  end if;
  return array['true'];
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
  sort_by constant text := input ->> 'sort_by';
  sort_key constant text := concat_ws(', ', case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor says it: nobody comes last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text' when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)' else $q$''::text$q$
  end;
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and $q$ || private.exception_conditions(input, as_of);
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  execute (
    select format($q$
      select jsonb_agg(private.exception_json(p.e, $1) || jsonb_build_object('rank', p.rank, 'sorted_at',
        case when (p.e).due_at = 'infinity' then 'infinity' else private.iso((p.e).due_at) end) order by p.rank, (p.e).due_at, (p.e).id)
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $2 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s and %s order by %s limit $2 + 1)', rank, conditions, a, v,
      sort_key), ' union all '))
    from unnest(private.stretches_after(sort_by, input -> 'after')) a cross join unnest(private.stretches_of(input, as_of)) v
  )
  into items using as_of, page_size, few;
  -- The rank and the stored deadline (infinity: paused, and so last) are for the cursor; the contract leaves them out.
  return private.page(items, page_size, 'rank', 'sorted_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.due_within(input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format(' and e.due_at <= %L::timestamptz', as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_changes(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  overlap constant interval := interval '15 seconds';
  page_size constant integer := (input ->> 'limit')::integer;
  start constant timestamptz := (input ->> 'since')::timestamptz - overlap;
  later_at constant timestamptz := coalesce((input -> 'after' ->> 0)::timestamptz, start);
  later_id constant text := coalesce(input -> 'after' ->> 1, '');
  conditions text := $q$e.status in ('open', 'in_review') and $q$ || private.exception_conditions(input, as_of);
  items jsonb;
begin
  perform private.enter(request, 'list_sla_changes');
  if (input ->> 'since')::timestamptz < as_of - interval '1 day' then
    perform private.refuse_field('since', 'Must be within the last 24 hours. Read the list again instead.');
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || ' and ' || private.has_words(input ->> 'q');
  end if;
  execute format($q$
    with crossed as (
      select c.* from unnest(array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), $6]) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4) and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4) order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at from (select * from changed union all select * from crossed) u order by u.at, u.id limit $2 + 1
    )
    select jsonb_agg(jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at), 'exception', case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions) into items using as_of, page_size, later_at, later_id, start, least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
  return private.page(items, page_size, 'changed_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.sla_facets(input jsonb, as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  most constant integer := 20000;
  values_most constant integer := 50;
  facets constant text[] := private.exception_facets();
  conditions text := format('e.tenant_id = %L', private.tenant_id()) || coalesce(' and ' || private.bound_conditions(input), '');
  sort_key text := 'e.id desc';
  -- 0: every filter matches; n: all but the nth; -1: two or more don't, which counts nowhere.
  misses text;
  answer jsonb;
begin
  if input ->> 'state' = 'open' then
    conditions := conditions || $q$ and e.status in ('open', 'in_review')$q$;
    sort_key := 'e.due_at, e.id';
  elsif input ->> 'state' = 'closed' then
    conditions := conditions || ' and e.closed_at is not null';
    sort_key := 'e.closed_at desc, e.id desc';
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || ' and ' || private.has_words(input ->> 'q');
  end if;
  select case when count(*) = 0 then '0' else format('case when %s > 1 then -1 else %s end',
      string_agg(format('((%s) is not true)::integer', c.condition), ' + '), string_agg(format('%s * ((%s) is not true)::integer', c.n, c.condition), ' + ')) end
  into misses
  from (select n, private.exception_condition(f, input, as_of) as condition from unnest(facets) with ordinality as x (f, n)) c
  where c.condition is not null;
  -- `left_out`: one bit for each facet that isn't grouped by, the first facet's the highest. All in one pass.
  execute format($q$
    with grouped as materialized (
      select s.missed, s.breach_risk, s.severity, s.status, s.assigned_to, s.reason_code, s.reconciliation_id, s.currency,
        grouping(s.breach_risk, s.severity, s.status, s.assigned_to, s.reason_code, s.reconciliation_id, s.currency) as left_out,
        count(*) as n, count(*) filter (where s.paused) as paused, sum(s.amount_minor) as amount
      from (
        select e.status, e.severity, e.assigned_to, e.reason_code, e.reconciliation_id, e.currency, e.amount_minor, e.paused_at is not null as paused,
          case when e.closed_at is not null then null when e.due_at <= $1 then 'breached'
            when e.due_at <= $1 + make_interval(mins => private.high_risk_below() - 1) then 'high'
            when e.due_at <= $1 + make_interval(mins => private.medium_risk_up_to()) then 'medium' else 'low' end as breach_risk,
          %s as missed
        from public.exceptions e where %s order by %s limit $2
      ) s
      group by grouping sets ((s.missed), (s.missed, s.breach_risk), (s.missed, s.severity), (s.missed, s.status), (s.missed, s.assigned_to),
        (s.missed, s.reason_code), (s.missed, s.reconciliation_id), (s.missed, s.currency))
    ), counted as (
      select f.facet, v.value, sum(g.n) as n, sum(g.amount) as amount
      from unnest($3::text[]) with ordinality as f (facet, place)
      join grouped g on g.left_out = 127 - (64 >> f.place::integer - 1) and g.missed in (0, f.place)
      cross join lateral (select case f.facet when 'breach_risk' then g.breach_risk when 'severity' then g.severity when 'status' then g.status
        when 'assigned_to' then coalesce(g.assigned_to, 'none') when 'reason_code' then g.reason_code
        when 'reconciliation_id' then coalesce(g.reconciliation_id, 'none') when 'currency' then coalesce(g.currency, 'none') end) v (value)
      where v.value is not null
      group by 1, 2
    ), ranked as (
      select *, row_number() over (partition by facet order by n desc, value) as rank from counted
    )
    select jsonb_build_object(
      'total', (select coalesce(sum(n), 0) from grouped where left_out = 127 and missed = 0),
      'paused_count', (select coalesce(sum(paused), 0) from grouped where left_out = 63 and missed in (0, 1) and breach_risk = 'low'),
      'complete', (select coalesce(sum(n), 0) from grouped where left_out = 127) < $2,
      'facets', (
        select jsonb_object_agg(f, coalesce((
          select jsonb_agg(jsonb_build_object('value', r.value, 'count', r.n,
            'name', case when f = 'reconciliation_id' then (select c.name from public.reconciliations c where c.tenant_id = $4 and c.id = r.value) end,
            'amount_minor', case when f = 'currency' and r.amount is not null then least(r.amount, 9007199254740991) end) order by r.rank)
          from ranked r where r.facet = f and r.rank <= $5), '[]'))
        from unnest($3::text[]) f
      )
    )
  $q$, misses, conditions, sort_key) into answer using as_of, most, facets, private.tenant_id(), values_most;
  return answer || jsonb_build_object('as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION public.get_sla_facets(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
begin
  perform private.enter(request, 'get_sla_facets');
  return private.sla_facets(input, now()::timestamptz(3));
end $function$;
CREATE OR REPLACE FUNCTION private.count_of_view(filters jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  most constant integer := 10000;
  counted bigint;
begin
  execute format($q$select count(*) from (select from public.exceptions e where e.tenant_id = %L and e.status in ('open', 'in_review') and %s%s limit %s) x$q$,
    private.tenant_id(), private.exception_conditions(filters, now()),
    case when filters ->> 'q' is not null then ' and ' || private.has_words(filters ->> 'q') else '' end, most) into counted;
  return counted;
end $function$;
CREATE OR REPLACE FUNCTION private.view_json(v public.views)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', v.id, 'name', v.name, 'shared', v.shared, 'filters', v.filters, 'sort_by', v.sort_by, 'open_count', private.count_of_view(v.filters),
    'created_at', private.iso(v.created_at), 'created_by', v.created_by, 'updated_at', private.iso(v.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.view_version(v public.views)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(v.name, v.shared, v.filters, v.sort_by));
end $function$;
CREATE OR REPLACE FUNCTION private.find_view(id text, to_change boolean DEFAULT false)
 RETURNS public.views
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v public.views;
begin
  select * into v from public.views x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('view');
  elsif to_change then
    select * into v from public.views x where x.tenant_id = private.tenant_id() and x.id = $1 for update;
    if not found then
      perform private.refuse('role_required', 'Only who made this view, or an admin, can change it. Save your own instead.');
    end if;
  end if;
  return v;
end $function$;
CREATE OR REPLACE FUNCTION public.create_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_view');
  created public.views;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) from public.views v where v.tenant_id = private.tenant_id() and v.principal_id = auth.jwt() ->> 'principal_id') >= 50 then
    perform private.refuse('conflict', 'You can have at most 50 views. Delete one, then save this one again.');
  end if;
  insert into public.views (name, shared, filters, sort_by)
  values (input ->> 'name', (input ->> 'shared')::boolean, input -> 'filters', input ->> 'sort_by') returning * into created;
  if created.shared then
    perform private.record_security_event('view.created', created.id, null, jsonb_build_object('name', created.name));
  end if;
  return private.answer(request, private.view_json(created) || jsonb_build_object('version', private.view_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v public.views;
begin
  perform private.enter(request, 'get_view');
  v := private.find_view(input ->> 'id');
  return private.view_json(v) || jsonb_build_object('version', private.view_version(v));
end $function$;
CREATE OR REPLACE FUNCTION public.update_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_view');
  before public.views;
  after public.views;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.views x set name = after.name, shared = after.shared, filters = after.filters, sort_by = after.sort_by, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id returning * into after;
    if before.shared or after.shared then
      perform private.record_security_event('view.updated', before.id, null,
        private.changes(jsonb_build_object('name', before.name, 'shared', before.shared, 'filters', before.filters, 'sort_by', before.sort_by),
          jsonb_build_object('name', after.name, 'shared', after.shared, 'filters', after.filters, 'sort_by', after.sort_by)));
    end if;
  end if;
  return private.answer(request, private.view_json(after) || jsonb_build_object('version', private.view_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'delete_view');
  v public.views;
begin
  if kept is not null then
    return kept;
  end if;
  v := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(v), request -> 'versions');
  delete from public.views x where x.tenant_id = v.tenant_id and x.id = v.id;
  if v.shared then
    perform private.record_security_event('view.deleted', v.id, null, jsonb_build_object('name', v.name));
  end if;
  return private.answer(request, jsonb_build_object('id', v.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.list_views(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_views');
  select jsonb_agg(private.view_json(v) order by v.id) into items
  from (
    select * from public.views x
    where x.tenant_id = private.tenant_id() and x.id > coalesce(input -> 'after' ->> 0, '')
    order by x.id limit page_size + 1
  ) v;
  return private.page(items, page_size, 'id');
end $function$;
create policy views_delete on public.views as permissive for delete to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:views'::text]) AS may) AND ((principal_id = (( SELECT auth.jwt() AS jwt) ->> 'principal_id'::text)) OR (shared AND ((( SELECT auth.jwt() AS jwt) -> 'roles'::text) ? 'tenant_admin'::text)))));
create policy views_insert on public.views as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (principal_id = (( SELECT auth.jwt() AS jwt) ->> 'principal_id'::text)) AND ( SELECT private.may(VARIADIC ARRAY['write:views'::text]) AS may)));
create policy views_read on public.views as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (shared OR (principal_id = (( SELECT auth.jwt() AS jwt) ->> 'principal_id'::text))) AND ( SELECT private.may(VARIADIC ARRAY['read:views'::text, 'write:views'::text]) AS may)));
create policy views_update on public.views as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:views'::text]) AS may) AND ((principal_id = (( SELECT auth.jwt() AS jwt) ->> 'principal_id'::text)) OR (shared AND ((( SELECT auth.jwt() AS jwt) -> 'roles'::text) ? 'tenant_admin'::text)))))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
grant delete on public.views to authenticated;
grant execute on function private.amount_of_rank(text) to authenticated;
grant execute on function private.amount_rank(text,bigint) to authenticated;
grant execute on function private.bound_conditions(jsonb) to authenticated;
grant execute on function private.count_of_view(jsonb) to authenticated;
grant execute on function private.due_within(jsonb,timestamp with time zone) to authenticated;
grant execute on function private.exception_condition(text,jsonb,timestamp with time zone) to authenticated;
grant execute on function private.exception_conditions(jsonb,timestamp with time zone) to authenticated;
grant execute on function private.exception_facets() to authenticated;
grant execute on function private.find_view(text,boolean) to authenticated;
grant execute on function private.matching_exceptions(jsonb,text,integer) to authenticated;
grant execute on function private.not_skipped(text[],jsonb) to authenticated;
grant execute on function private.one_of(text,text[]) to authenticated;
grant execute on function private.risk_ranges(text[],timestamp with time zone) to authenticated;
grant execute on function private.skipped_exceptions(text[],jsonb) to authenticated;
grant execute on function private.sla_facets(jsonb,timestamp with time zone) to authenticated;
grant execute on function private.stretches_after(text,jsonb) to authenticated;
grant execute on function private.stretches_of(jsonb,timestamp with time zone) to authenticated;
grant execute on function private.view_json(public.views) to authenticated;
grant execute on function private.view_version(public.views) to authenticated;
grant execute on function public.create_view(jsonb,jsonb) to authenticated;
grant execute on function public.delete_view(jsonb,jsonb) to authenticated;
grant execute on function public.get_sla_facets(jsonb,jsonb) to authenticated;
grant execute on function public.get_view(jsonb,jsonb) to authenticated;
grant execute on function public.list_sla_changes(jsonb,jsonb) to authenticated;
grant execute on function public.list_views(jsonb,jsonb) to authenticated;
grant execute on function public.update_view(jsonb,jsonb) to authenticated;
grant insert (filters, name, shared, sort_by) on public.views to authenticated;
grant select on public.views to authenticated;
grant select on public.views to service_role;
grant update (filters, name, shared, sort_by, updated_at) on public.views to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(close:reconciliations,{user},"{tenant_admin,tenant_lead}",)'),
  ('(decide:matches,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'),
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:calendars,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:overview,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:people,{user},{tenant_admin},)'),
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
  ('(read:requests,"{user,api_key,service_role}",{tenant_admin},read:requests)'),
  ('(read:security-events,"{user,service_role}",{tenant_admin},)'),
  ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:troubleshooting)'),
  ('(read:views,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:calendars,"{user,service_role}",{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:people,{user},{tenant_admin},)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:views,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(add_lines,addLines,write:reconciliations)'),
  ('(close_reconciliation,closeReconciliation,close:reconciliations)'),
  ('(confirm_match,confirmMatch,decide:matches)'),
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_calendar,createCalendar,write:calendars)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_exception_comment,createExceptionComment,write:exceptions)'),
  ('(create_import,createImport,write:reconciliations)'),
  ('(create_invitation,createInvitation,write:people)'),
  ('(create_match,createMatch,write:reconciliations)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_run,createRun,write:reconciliations)'),
  ('(create_source,createSource,write:reconciliations)'),
  ('(create_view,createView,write:views)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(decide_matches,decideMatches,decide:matches)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_view,deleteView,write:views)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(exclude_line,excludeLine,write:reconciliations)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_calendar,getCalendar,read:calendars)'),
  ('(get_calendar,getCalendarIcs,read:calendars)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_invitation,getInvitation,read:people)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_match,getMatch,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_overview,getOverview,read:overview)'),
  ('(get_proof,getProof,read:reconciliations)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_request,getRequest,read:requests)'),
  ('(get_request_stats,getRequestStats,read:requests)'),
  ('(get_rules,getRules,read:reconciliations)'),
  ('(get_run,getRun,read:reconciliations)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_facets,getSlaFacets,read:sla)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_tenant_member,getTenantMember,read:people)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_view,getView,read:views)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(get_webhook_stats,getWebhookStats,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_calendar_versions,listCalendarVersions,read:calendars)'),
  ('(list_calendars,listCalendars,read:calendars)'),
  ('(list_decisions,listDecisions,read:reconciliations)'),
  ('(list_deliveries,listDeliveries,read:webhooks)'),
  ('(list_exception_comments,listExceptionComments,read:exceptions)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_holidays,listHolidayCountries,read:calendars)'),
  ('(list_holidays,listHolidays,read:calendars)'),
  ('(list_imports,listImports,read:reconciliations)'),
  ('(list_invitations,listInvitations,read:people)'),
  ('(list_line_history,listLineHistory,read:reconciliations)'),
  ('(list_line_suggestions,listLineSuggestions,read:reconciliations)'),
  ('(list_lines,listLines,read:reconciliations)'),
  ('(list_matches,listMatches,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_open_hours,listOpenHours,read:calendars)'),
  ('(list_open_lines,listOpenLines,read:reconciliations)'),
  ('(list_outstanding_lines,exportStatement,read:reconciliations)'),
  ('(list_reconciliations,listReconciliations,read:reconciliations)'),
  ('(list_records,listIntegrations,read:integrations)'),
  ('(list_records,listReleaseNotes,read:release-notes)'),
  ('(list_records,listTroubleshooting,read:troubleshooting)'),
  ('(list_requests,listRequests,read:requests)'),
  ('(list_runs,listRuns,read:reconciliations)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_changes,listSlaChanges,read:sla)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_suggestion_bands,listSuggestionBands,read:reconciliations)'),
  ('(list_tenant_members,listTenantMembers,read:people)'),
  ('(list_views,listViews,read:views)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(pause_exception,pauseException,write:exceptions)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_calendar,putCalendar,write:calendars)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_rules,putRules,write:reconciliations)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(read_ics,readIcs,write:calendars)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(reject_match,rejectMatch,decide:matches)'),
  ('(remove_tenant_member,removeTenantMember,write:people)'),
  ('(reopen_reconciliation,reopenReconciliation,close:reconciliations)'),
  ('(resend_invitation,resendInvitation,write:people)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(resume_exception,resumeException,write:exceptions)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(revoke_invitation,revokeInvitation,write:people)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(sample_suggestions,sampleSuggestions,read:reconciliations)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_decision,undoDecision,decide:matches)'),
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
  ('(update_tenant_member,updateTenantMember,write:people)'),
  ('(update_view,updateView,write:views)'),
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
  ('(exception.commented,read:exceptions)'),
  ('(exception.created,read:exceptions)'),
  ('(exception.paused,read:exceptions)'),
  ('(exception.resolved,read:exceptions)'),
  ('(exception.resumed,read:exceptions)'),
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
