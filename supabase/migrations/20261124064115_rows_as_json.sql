create type private.exception_item as (
  id text, title text, severity text, assigned_to text, due_at text, minutes_to_breach bigint, breach_risk text, business_minutes_remaining bigint,
  calendar_id text, paused_at text, paused_until text, pause_reason text, status text, reason_code text, amount_minor bigint, currency text,
  reconciliation_id text, line_id text, suggested_match_id text, details jsonb, resolution text, created_at text, created_by text, updated_at text,
  closed_at text
);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: called by functions of the database alone, which are made again here.
drop function private.breach_risk(bigint);
-- contracts: as above.
drop function private.minutes_to_breach(timestamp with time zone,timestamp with time zone);
CREATE OR REPLACE FUNCTION private.enter(request jsonb, verb text, resource text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
  needed private.permissions;
begin
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if claims ->> 'tenant_id' is null or claims ->> 'principal_type' is distinct from 'publishable_key'
    and not exists (select from public.tenants t where t.id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  select p.* into needed
  from private.operations o join private.permissions p on p.permission = o.permission
  where o.verb = enter.verb and o.operation = request ->> 'operation'
    and (enter.resource is null or split_part(o.permission, ':', 2) = enter.resource);
  if not found or not private.holds(needed, claims) then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
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
CREATE OR REPLACE FUNCTION private.breach_risks()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{breached,high,medium,low}'::text[];
CREATE OR REPLACE FUNCTION private.exception_json(e public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
  is_paused constant boolean := e.paused_at is not null and coalesce(e.paused_until > as_of, true);
  due_at constant timestamptz := case when e.paused_at is null then e.due_at else private.deadline(e, as_of) end;
  -- Rounded up: zero or negative once it has passed (spec 2.2).
  minutes constant bigint := case when e.status in ('open', 'in_review') then ceil(extract(epoch from due_at - as_of) / 60) end;
begin
  return row_to_json(row(
    e.id, e.title, e.severity, e.assigned_to, to_char(due_at at time zone 'UTC', iso), minutes,
    case
      when is_paused then 'low'
      when minutes is null then null
      when minutes <= 0 then 'breached'
      when minutes < private.high_risk_below() then 'high'
      when minutes <= private.medium_risk_up_to() then 'medium'
      else 'low'
    end,
    case when minutes is not null and e.calendar_no is not null then private.business_minutes_remaining(e, as_of) end,
    e.calendar_id, case when is_paused then private.iso(e.paused_at) end, case when is_paused then private.iso(e.paused_until) end,
    case when is_paused then e.pause_reason end, e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    'lin_' || replace(e.line_id::text, '-', ''), 'mat_' || replace(e.suggested_match_id::text, '-', ''), e.details, e.resolution,
    to_char(e.created_at at time zone 'UTC', iso), e.created_by, to_char(e.updated_at at time zone 'UTC', iso),
    to_char(e.closed_at at time zone 'UTC', iso)
  )::private.exception_item);
end $function$;
CREATE OR REPLACE FUNCTION private.risk_ranges(wanted text[], as_of timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  risks constant text[] := private.breach_risks();
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
CREATE OR REPLACE FUNCTION private.next_by_deadline(after_due_at timestamp with time zone, after_id text, most integer, as_of timestamp with time zone, OUT items json[], OUT last_due_at timestamp with time zone, OUT last_id text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  select array_agg(p.item), (array_agg(p.due_at))[most], (array_agg(p.id))[most] into items, last_due_at, last_id
  from (
    select private.exception_json(e, as_of) as item, e.due_at, e.id from public.exceptions e
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and (e.due_at, e.id) > (after_due_at, after_id)
    order by e.due_at, e.id limit most + 1
  ) p;
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS json
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
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  few text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if sort_by in ('due_at', 'breach_risk') and input - '{sort_by,limit,after}'::text[] = '{}' then
    select * into items, last_due_at, last_id from private.next_by_deadline(
      coalesce((input -> 'after' ->> 1)::timestamptz, '-infinity'), coalesce(input -> 'after' ->> 2, ''), page_size, as_of);
  else
    conditions := conditions || ' and ' || private.exception_conditions(input, as_of);
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
        select array_agg(private.exception_json(p.e, $2)), (array_agg(p.rank))[$1], (array_agg((p.e).due_at))[$1], (array_agg((p.e).id))[$1]
        from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $1 + 1) p
      $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s and %s order by %s limit $1 + 1)', rank, conditions, a, v,
        sort_key), ' union all '))
      from unnest(private.stretches_after(sort_by, input -> 'after')) a cross join unnest(private.stretches_of(input, as_of)) v
    )
    into items, last_rank, last_due_at, last_id using page_size, as_of, few;
  end if;
  -- As json, whose texts are joined where jsonb's trees would be built anew at each step: half the time of this, the most frequent of lists.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank, case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end, last_id) end,
    'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
grant execute on function private.breach_risks() to authenticated;
grant execute on function private.next_by_deadline(timestamp with time zone,text,integer,timestamp with time zone) to authenticated;
