create index acts_by_undoing on private.acts (tenant_id, undone_at)
where undone_at is not null;
create index matches_by_decision on public.matches (tenant_id, decided_at)
where decided_at is not null;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.id_time(at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return lpad(to_hex(greatest((extract(epoch from at) * 1000)::bigint, 0)), 12, '0');
end $function$;
CREATE OR REPLACE FUNCTION private.first_line_since(since timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  low bigint := 0;
  high bigint;
  middle bigint;
  probe record;
begin
  select x.line_no + 1 into high from public.lines x
  where x.tenant_id = tenant order by x.line_no desc limit 1;
  while low < high loop
    middle := (low + high) / 2;
    select x.line_no, x.created_at into probe from public.lines x
    where x.tenant_id = tenant and x.line_no >= middle order by x.line_no limit 1;
    if probe.created_at < since - interval '1 hour' then
      low := probe.line_no + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_matched_since(since timestamp with time zone, most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
begin
  return array(
    select mm.line_no from (
      select m.id from public.matches m
      where m.tenant_id = tenant and m.id >= first_id and m.created_at >= since
        and m.state <> 'suggested'
      union all
      select m.id from public.matches m where m.tenant_id = tenant and m.decided_at >= since
      union all
      select unnest(a.match_ids) from private.acts a
      where a.tenant_id = tenant and a.undone_at >= since
    ) m
    cross join lateral (select y.line_no from public.match_members y
      where y.tenant_id = tenant and y.match_id = m.id offset 0) mm
    limit most + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_handled_since(since timestamp with time zone, most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  first_id constant text := 'dec_' || private.id_time(since - interval '10 minutes');
begin
  return array(
    select l.line_no from (
      select a.line_id from private.acts a
      where a.tenant_id = tenant and a.id >= first_id and a.created_at >= since
      union all
      select a.line_id from private.acts a where a.tenant_id = tenant and a.undone_at >= since
    ) a
    cross join lateral (select y.line_no from public.lines y
      where y.tenant_id = tenant and y.id = a.line_id offset 0) l
    union all
    select x.line_no
    from (select e.id from public.exceptions e
      where e.tenant_id = tenant and e.updated_at >= since) e
    cross join lateral (select y.line_no from private.exception_lines y
      where y.tenant_id = tenant and y.exception_id = e.id offset 0) x
    limit most + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_since(since timestamp with time zone, first_no bigint, most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  line_nos bigint[] := array(
    select x.line_no from public.lines x
    where x.tenant_id = tenant and x.line_no >= first_no and x.created_at >= since
    limit most + 1
  );
begin
  if cardinality(line_nos) <= most then
    line_nos := line_nos || private.lines_matched_since(since, most);
  end if;
  if cardinality(line_nos) <= most then
    line_nos := line_nos || private.lines_handled_since(since, most);
  end if;
  return case when cardinality(line_nos) <= most then array(
    select distinct n.line_no from unnest(line_nos) n (line_no)) end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_changed_since()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $c$(x.line_no >= $10 and x.created_at >= $9
    or exists (
      select from public.match_members mm
      cross join lateral (select y.* from public.matches y
        where y.tenant_id = $1 and y.id = mm.match_id offset 0) m
      where mm.tenant_id = $1 and mm.line_no = x.line_no
        and (m.decided_at >= $9 or m.created_at >= $9 and m.state <> 'suggested') offset 0)
    or exists (
      select from private.acts a
      where a.tenant_id = $1 and a.line_id = x.id and greatest(a.created_at, a.undone_at) >= $9
      offset 0)
    or exists (
      select from private.exception_lines y
      cross join lateral (select z.updated_at from public.exceptions z
        where z.tenant_id = $1 and z.id = y.exception_id offset 0) e
      where y.tenant_id = $1 and y.line_no = x.line_no and e.updated_at >= $9 offset 0))$c$;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_caller(r public.reconciliations, input jsonb, source_nos integer[], most integer)
 RETURNS TABLE(n bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  q constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- If the cursor's line was removed, its day is read from the start.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1),
    9223372036854775807);
  since constant timestamptz := (input ->> 'updated_since')::timestamptz;
  first_no constant bigint := case when since is not null then private.first_line_since(since) end;
  few bigint[];
  is_searched boolean := false;
  is_changed boolean := false;
  stands text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if since is not null then
    few := private.lines_since(since, first_no, 200000);
    is_changed := few is not null;
  end if;
  if q is not null and few is null then
    few := private.find_lines_of_caller(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  few := coalesce(few, private.narrow_by_state(r, state, source_nos, 5000));
  stands := case when few is null then private.standing_lines(r, state) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no)
          and p.opening is null
        order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end,
    private.line_page(r, state, stands, few is not null, after_date is not null,
      concat_ws(' and ', private.line_field_filters(input),
        private.line_period_filters(r, state, stands is not null),
        case when since is not null and not is_changed
          then private.line_changed_since() end,
        case when q is not null and not is_searched
          then private.line_search(q, 'private.line_text(x)') end)))
  using tenant, input, r, source_nos, few, after_date, after_no, most, since, first_no;
end $function$;
CREATE OR REPLACE FUNCTION private.matches_since(r public.reconciliations, since timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
  most constant integer := 50000;
  ids constant uuid[] := array(
    select x.id from (
      (
        select m.id from public.matches m
        where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.id >= first_id
          and m.created_at >= since
        limit most + 1
      )
      union
      select m.id from public.matches m
      where m.tenant_id = r.tenant_id and m.decided_at >= since and m.reconciliation_id = r.id
    ) x
    limit most + 1
  );
begin
  return case when cardinality(ids) <= most then ids end;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_json(ids text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
    from unnest(ids) with ordinality as i (id, n)
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = i.id
  );
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exceptions');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  act constant text := case when pause is not null then 'pause' when input ? 'resume' then 'resume'
    else 'edit' end;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  refused jsonb;
  skipped jsonb;
  columns jsonb;
  previous jsonb := '[]';
begin
  if replayed is not null then
    return replayed;
  end if;
  if by_filter then
    perform private.require_expected_count(input);
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.lock_exceptions(ids);
  perform private.require_exceptions(ids);
  refused := case when act <> 'edit' then private.faults_of_pause(ids, pause)
    when patch ? 'status' then private.faults_of_move(ids, patch ->> 'status') end;
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null and act = 'edit' then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  elsif refused is not null then
    perform private.refuse_conflict(case act when 'pause' then 'cannot_pause' else 'not_paused' end,
      format('Some of these exceptions cannot be %s. Nothing was changed.',
        case act when 'pause' then 'paused' else 'resumed' end), refused);
  end if;
  columns := case act
    when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason',
      pause -> 'reason')
    else patch end;
  if by_filter then
    previous := private.exceptions_json(ids);
  end if;
  perform private.change_exceptions_for_caller(act,
    array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', coalesce(skipped, '[]'), 'next',
    case when next_id is not null then jsonb_build_array(next_id) end,
    'items', private.exceptions_json(ids), 'previous', previous
  ));
end $function$;
grant execute on function private.first_line_since(timestamp with time zone) to authenticated;
grant execute on function private.id_time(timestamp with time zone) to authenticated;
grant execute on function private.line_changed_since() to authenticated;
grant execute on function private.lines_handled_since(timestamp with time zone,integer) to authenticated;
grant execute on function private.lines_matched_since(timestamp with time zone,integer) to authenticated;
grant execute on function private.lines_since(timestamp with time zone,bigint,integer) to authenticated;
