create index open_lines_partly_matched
  on private.open_lines (tenant_id, pair_no, side, value_date, line_no)
where open_minor <> amount_minor;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.line_page(public.reconciliations,text,text,boolean,boolean,text);
drop function private.lines_by_state_filters(public.reconciliations,text,boolean);
drop function private.narrow_by_state(public.reconciliations,text,integer[],integer);
drop function private.queue_run(text,integer,text,text,interval);
CREATE OR REPLACE FUNCTION private.narrow_by_state(period public.reconciliations, state text, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  line_nos bigint[];
begin
  if state = 'matched' and coalesce((
    select matched_count.lines
    from private.matched_counts matched_count
    where matched_count.tenant_id = tenant and matched_count.reconciliation_id = period.id),
      0) <= max_count
  then
    return array(
      select distinct settled_member.line_no from public.matches match
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
      where match.tenant_id = tenant and match.reconciliation_id = period.id
        and match.state = 'confirmed'
    );
  elsif state = 'excluded' then
    line_nos := array(select exclusion.line_no from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = period.pair_no
      limit max_count + 1);
    return case when cardinality(line_nos) <= max_count then line_nos end;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_count(pair integer, side text, state text, max_count integer)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return case state
    when 'matched' then (
      select coalesce(sum(of_period.lines), 0) from public.reconciliations period
      join private.matched_counts of_period on of_period.tenant_id = tenant
        and of_period.reconciliation_id = period.id
      where period.tenant_id = tenant and period.pair_no = pair)
    else (
      select count(*) from (
        select from public.exclusions exclusion
        where exclusion.tenant_id = tenant and exclusion.pair_no = pair
          and exclusion.side = settled_count.side limit max_count + 1
      ) excluded)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.locate_settled_lines(state text, source_nos integer[], max_count integer, OUT line_nos bigint[], OUT scanned_nos integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  few_pairs integer[];
  few_sides text[];
begin
  with counted as (
    select source.source_no, first_pair.pair_no, first_pair.side,
      private.settled_count(first_pair.pair_no, first_pair.side, state, max_count) as lines
    from unnest(source_nos) source (source_no) cross join lateral (
      select pair.pair_no,
        case source.source_no when pair.left_source_no then 'left' else 'right' end as side
      from public.pairs pair
      where pair.tenant_id = tenant and pair.opening is null
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      order by pair.pair_no limit 1
    ) first_pair
  ), summed as (
    select counted.*, sum(counted.lines) over (order by counted.lines, counted.source_no) as total
    from counted where counted.lines > 0
  )
  select coalesce(array_agg(summed.source_no) filter (where summed.total > max_count), '{}'),
    array_agg(summed.pair_no) filter (where summed.total <= max_count),
    array_agg(summed.side) filter (where summed.total <= max_count)
  into scanned_nos, few_pairs, few_sides from summed;
  if state = 'matched' then
    line_nos := array(
      select distinct settled_member.line_no from public.reconciliations period
      join public.matches match on match.tenant_id = tenant
        and match.reconciliation_id = period.id and match.state = 'confirmed'
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
      where period.tenant_id = tenant and period.pair_no = any (few_pairs));
  else
    line_nos := array(
      select distinct exclusion.line_no from unnest(few_pairs, few_sides) few (pair_no, side)
      join public.exclusions exclusion on exclusion.tenant_id = tenant
        and exclusion.pair_no = few.pair_no and exclusion.side = few.side);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_state_filters(period public.reconciliations, input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  state constant text := input ->> 'state';
begin
  return concat_ws(' and ', 'w.side = s.side',
    case when period.id is not null then 'w.value_date <= $3.period_end' end,
    case when input -> 'after' ->> 0 is not null
      then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when input ->> 'currency' is not null then $c$w.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null and period.closed_at is null
      then $c$greatest(w.amount_minor, -w.amount_minor) >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null and period.closed_at is null
      then $c$-greatest(w.amount_minor, -w.amount_minor) <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when period.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor'
        when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not completely matched in another pair.
    case when period.id is null and state = 'partly_matched' then $c$not exists (
      select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no
        and o.open_minor = o.amount_minor offset 0)$c$ end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_page(period public.reconciliations, input jsonb, stands text, is_few boolean, filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  has_cursor constant boolean := input -> 'after' ->> 0 is not null;
  after constant text := case when has_cursor then '(x.value_date, x.line_no) < ($6, $7)'
    else 'true' end;
  of_source constant text := $q$
    select x.value_date, x.line_no from public.lines x
    where %s and x.tenant_id = $1 and x.source_no = s.source_no and %s and %s
    order by x.value_date desc, x.line_no desc limit $8 $q$;
begin
  if is_few then
    return format($q$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y
        where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s and %s $q$, after, filters);
  elsif stands is null then
    return format('select w.value_date, w.line_no from s cross join lateral (%s) w',
      format(of_source, 'true', after, filters));
  end if;
  -- A line that is open in several pairs is listed once. A source without a pair has only open
  -- lines.
  return format($q$
    select distinct w.value_date, w.line_no from s cross join lateral ((
      select w.value_date, w.line_no from %s and %s and exists (
        select
        from (select * from public.lines y
          where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
        where %s offset 0
      ) order by w.value_date desc, w.line_no desc limit $8
    ) %s) w $q$, stands, private.lines_by_state_filters(period, input), filters,
    case when period.id is null and input ->> 'state' <> 'partly_matched' then
      format('union all (%s)', format(of_source, 's.pair_no is null', after, filters)) end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_list_statement(period public.reconciliations, input jsonb, has_known boolean, has_scanned boolean, filters text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  state constant text := input ->> 'state';
  stands constant text := case when not has_known then private.lines_by_state(period, state) end;
  has_cursor constant boolean := input -> 'after' ->> 0 is not null;
  of_line constant text := concat_ws(' and ', private.line_field_filters(input),
    private.line_period_filters(period, state, stands is not null), nullif(filters, ''));
begin
  return private.line_page_statement(stands, case
    when has_known and has_scanned then format('(%s) union all (%s)',
      private.line_page(period, input, null, true, of_line || ' and x.source_no <> all ($11)'),
      private.line_page(period, input, null, false, of_line || ' and s.source_no = any ($11)'))
    else private.line_page(period, input, stands, has_known, of_line) end);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_caller(period public.reconciliations, input jsonb, source_nos integer[], max_count integer)
 RETURNS TABLE(place bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  search constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- If the cursor's line was removed, its day is read from the start.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1),
    9223372036854775807);
  since constant timestamptz := (input ->> 'updated_since')::timestamptz;
  first_no constant bigint := case when since is not null then private.first_line_since(since) end;
  found_lines bigint[];
  scanned_nos integer[] := '{}';
  is_searched boolean := false;
  is_changed boolean := false;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if since is not null then
    found_lines := private.lines_since(since, first_no, 200000);
    is_changed := found_lines is not null;
  end if;
  if search is not null and found_lines is null then
    found_lines := private.find_lines_of_caller(search, source_nos, 5000);
    is_searched := found_lines is not null;
  end if;
  if found_lines is null and period.id is not null then
    found_lines := private.narrow_by_state(period, state, 5000);
  elsif found_lines is null and state in ('matched', 'excluded') then
    select located.line_nos, located.scanned_nos into found_lines, scanned_nos
    from private.locate_settled_lines(state, source_nos, 5000) located;
  end if;
  return query execute private.line_list_statement(period, input, found_lines is not null,
    cardinality(scanned_nos) > 0, concat_ws(' and ',
      case when since is not null and not is_changed then private.line_changed_since() end,
      case when search is not null and not is_searched
        then private.line_search(search, 'private.line_text(x)') end))
  using tenant, input, period, source_nos, found_lines, after_date, after_no, max_count, since,
    first_no, scanned_nos;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, after_no bigint, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  search constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ',
    'x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when search is not null
        then 'exists (select from public.lines line
          where line.tenant_id = $1 and line.line_no = x.line_no and '
        || private.line_search(search, 'private.line_text(line)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end,
    case
      when input ->> 'amount_from' is not null then $c$x.open_minor >= (
        $2 ->> 'amount_from')::bigint$c$
      end,
    -- The same as a range of the index by amount.
    case when input ->> 'sort' = 'amount' and (input ->> 'amount_from')::bigint > 0
      then $c$(-abs(x.open_minor)) <= -($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'sort' = 'amount' and (input ->> 'amount_to')::bigint < 0
      then $c$(-abs(x.open_minor)) <= ($2 ->> 'amount_to')::bigint$c$ end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    case (input ->> 'suggested')::boolean
      -- Few lines have a suggestion: they are looked up.
      when true then $c$x.line_no = any (array(
        select member.line_no
        from public.matches match
        join public.match_members member on member.tenant_id = match.tenant_id
          and member.match_id = match.id
        where match.tenant_id = $1 and match.reconciliation_id = $8
          and match.state = 'suggested'))$c$
      -- With a lookup for each line until the page is full.
      when false then $c$(
        select true
        from public.match_members member
        join public.matches match on match.tenant_id = member.tenant_id
          and match.id = member.match_id
        where member.tenant_id = $1 and member.line_no = x.line_no and member.pair_no = $3
          and match.state = 'suggested' and match.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval, priority integer DEFAULT 0)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  job_of_run constant text := 'match:' || coalesce(run, reconciliation);
begin
  perform graphile_worker.add_job('match_pair',
    private.with_request_id(
      jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, max_attempts => 5, job_key => job_of_run, priority => priority,
    run_at => least(now() + delay, (
      select job.run_at from graphile_worker.jobs job
      where job.key = job_of_run and job.locked_at is null
    )),
    flags => private.job_flags(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.job_flags(tenant, 'large run') end);
end $function$;
CREATE OR REPLACE FUNCTION private.nightly_run_interval()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '06:00:00'::interval;
CREATE OR REPLACE FUNCTION private.is_night(zone text, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return extract(hour from at at time zone zone) between 1 and 4;
end $function$;
CREATE OR REPLACE FUNCTION private.grace_has_passed(period public.reconciliations, last_run public.runs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    cross join lateral (
      select private.last_day_of_grace(source,
        private.policy_of_pair(pair.tenant_id, pair.pair_no) ->> 'calendar_id') as day
    ) grace
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
      and exists (
        select from private.open_lines open_line
        where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
          and open_line.side = case source.source_no when pair.left_source_no then 'left'
            else 'right' end
          and open_line.value_date < grace.day and open_line.value_date <= period.period_end
          and open_line.value_date
            >= (last_run.conditions -> 'days_of_grace' ->> source.source_no::text)::date
      )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.is_full_run_due(period public.reconciliations, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  last_run constant public.runs := private.newest_run(period, '{queued,running,done,failed}');
begin
  if last_run.status in ('queued', 'running')
    or last_run.created_at > at - private.nightly_run_interval()
    or private.is_closing(period.tenant_id, period.pair_no, period.id) then
    return false;
  end if;
  return last_run.status = 'failed'
    or exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    or exists (select from private.decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no)
    or private.grace_has_passed(period, last_run);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_nightly_runs(batch integer DEFAULT 200, at timestamp with time zone DEFAULT now())
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  queued_count integer := 0;
begin
  for period in
    select reconciliation.*
    from public.reconciliations reconciliation
    join public.pairs pair on pair.tenant_id = reconciliation.tenant_id
      and pair.pair_no = reconciliation.pair_no and pair.opening is null
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no = pair.left_source_no
    where reconciliation.auto_run and reconciliation.closed_at is null
      and reconciliation.status <> 'archived' and private.is_night(source.time_zone, at)
      and not exists (select from graphile_worker.jobs job
        where job.key = 'match:' || reconciliation.id)
      and private.is_full_run_due(reconciliation, at)
    order by reconciliation.period_end
    limit batch
  loop
    perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '0', 10);
    queued_count := queued_count + 1;
  end loop;
  return queued_count;
end $function$;
CREATE OR REPLACE FUNCTION private.find_ready_batch(id text)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  batch public.entry_batches;
begin
  perform from public.entry_batches
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = $1 for update;
  batch := private.find_entry_batch($1);
  select * into strict period from public.reconciliations
  where reconciliations.tenant_id = batch.tenant_id
    and reconciliations.id = batch.reconciliation_id;
  if batch.exported_at is not null then
    perform private.refuse_conflict('already_exported', format(
      'Batch %s was marked as exported by %s. Do not post it again.',
      private.entry_batch_name(batch), batch.exported_by));
  elsif private.requires_second_person(period) and private.caller_worked_in(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. '
      'Ask another person to export its entries.');
  end if;
  return batch;
end $function$;
CREATE OR REPLACE FUNCTION private.risk_crossings(within_minutes integer)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY[0, (private.high_risk_below() - 1), private.medium_risk_up_to(), within_minutes];
CREATE OR REPLACE FUNCTION private.next_sla_change(as_of timestamp with time zone, input jsonb)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  within constant integer := least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
begin
  return least((
    select min(crossing.at)
    from unnest(private.risk_crossings(within)) threshold (minutes)
    cross join lateral (
      select exception.due_at - make_interval(mins => threshold.minutes) as at
      from public.exceptions exception
      where exception.tenant_id = private.tenant_id()
        and exception.status in ('open', 'in_review')
        and exception.due_at > as_of + make_interval(mins => threshold.minutes)
      order by exception.due_at limit 1
    ) crossing
  ), (
    select min(exception.paused_until) from public.exceptions exception
    where exception.tenant_id = private.tenant_id()
      and exception.paused_until <= as_of + interval '1 minute'
  ), case when input ?| '{breached_from,breached_before}' then private.next_clock_at() end);
end $function$;
CREATE OR REPLACE FUNCTION private.sla_changes_query(conditions text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format($q$
    with crossed as (
      select c.*
      from unnest(private.risk_crossings($6)) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4)
          and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4)
        order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at
      from (select * from changed union all select * from crossed) u
      order by u.at, u.id
      limit $2 + 1
    )
    select jsonb_agg(
      jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at),
        'exception', case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions);
end $function$;
grant execute on function private.queue_nightly_runs(integer,timestamp with time zone) to service_role;
grant execute on function private.risk_crossings(integer) to authenticated;
