-- Lists of a period's matches over the wire.

-- The SQL condition of list_matches on a line l; null if it has none.
create function private.requested_line(input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return nullif(concat_ws(' and ',
    case when input ->> 'line_id' is not null then $c$l.id = private.line_id($4 ->> 'line_id')$c$
      end,
    case
      when input ->> 'date_from' is not null then $c$l.value_date >= ($4 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$l.value_date <= ($4 ->> 'date_to')::date$c$
      end,
    case
      when nullif(btrim(input ->> 'q'), '') is not null then private.line_search(input ->> 'q',
        'private.line_text(l)')
      end
  ), '');
end $$;

-- The numbers of all lines that list_matches may need, found by ID, by words, otherwise by days;
-- null if there may be more than `max_count`.
create function private.narrow_by_filters(period public.reconciliations, input jsonb,
  max_count integer) returns bigint[]
language plpgsql stable set search_path = '' set enable_sort = off as $$
declare
  source_nos constant integer[] := (
    select array[pair.left_source_no, pair.right_source_no]
    from public.pairs pair
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no);
  search constant text := nullif(btrim(input ->> 'q'), '');
  -- As values: under row-level security no index is searched for an expression that casts.
  first_day constant date := coalesce((input ->> 'date_from')::date, '-infinity');
  last_day constant date := least((input ->> 'date_to')::date, period.period_end);
  line_nos bigint[];
begin
  if input ->> 'line_id' is not null then
    return array(select line.line_no from public.lines line
      where line.tenant_id = period.tenant_id and line.id = private.line_id(input ->> 'line_id'));
  end if;
  if search is not null then
    line_nos := private.find_lines_of_caller(search, source_nos, max_count);
  end if;
  if line_nos is null and coalesce(input ->> 'date_from', input ->> 'date_to') is not null then
    line_nos := array(
      select of_source.line_no from unnest(source_nos) wanted_source (source_no) cross
        join lateral (
        select line.line_no from public.lines line
        where line.tenant_id = period.tenant_id and line.source_no = wanted_source.source_no
          and line.value_date between first_day and last_day
        order by line.value_date, line.line_no limit max_count + 1
      ) of_source
    );
  end if;
  return case when cardinality(line_nos) <= max_count then line_nos end;
end $$;
grant execute
  on function private.requested_line(jsonb),
    private.narrow_by_filters(public.reconciliations, jsonb, integer) to authenticated;

-- The IDs of matches of a period that were made or decided at or after a moment; null if there are
-- more than 5,000. Decisions have an index by time, and IDs begin with the time of their
-- creation, which is up to ten minutes before the commit of a run's chunk.
create function private.matches_since(period public.reconciliations,
  since timestamptz) returns uuid[]
language plpgsql stable set search_path = '' set enable_sort = off as $$
declare
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
  max_count constant integer := 5000;
  ids constant uuid[] := array(
    select match.id from (
      (
        select match.id from public.matches match
        where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
          and match.id >= first_id
          and match.created_at >= since
        order by match.id limit max_count + 1
      )
      union
      (
        select match.id from public.matches match
        where match.tenant_id = period.tenant_id and match.decided_at >= since
          and match.reconciliation_id = period.id
        order by match.decided_at limit max_count + 1
      )
    ) match
    limit max_count + 1
  );
begin
  return case when cardinality(ids) <= max_count then ids end;
end $$;
grant execute on function
  private.matches_since(public.reconciliations, timestamptz) to authenticated;

-- The range of the index that list_matches reads, as a condition on a match m. Suggestions have a
-- separate index, which only a literal uses.
create function private.match_range(input jsonb, after_id uuid) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return concat_ws(' and ', 'm.reconciliation_id = $2',
    case when after_id is not null then 'm.id < $3' end,
    case when input ->> 'state' = 'suggested' then $c$m.state = 'suggested'$c$ end);
end $$;

-- The SQL condition of the filters of list_matches on a match m. `of_line`: its condition on a
-- line l. Conditions on a line are looked up match by match, by whole keys.
create function private.match_filters(input jsonb, of_line text, is_changed boolean,
  is_closed boolean) returns text
language plpgsql immutable set search_path = '' as $$
declare
  by_line constant text := 'exists (
    select from public.match_members member
    cross join lateral (
      select * from public.lines x where x.tenant_id = $1 and x.line_no = member.line_no offset 0
    ) l
    where member.tenant_id = $1 and member.match_id = m.id and ';
begin
  return concat_ws(' and ', 'true',
    case when is_changed then 'm.id = any ($7)'
      when input ->> 'updated_since' is not null then $c$(
        m.created_at >= ($4 ->> 'updated_since')::timestamptz
        or m.decided_at >= ($4 ->> 'updated_since')::timestamptz)$c$
    end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    -- Suggestions that wait for the next period do not belong to a closed one.
    case when is_closed then $c$m.state <> 'suggested'$c$ end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'missing_evidence' = 'true' then $c$(m.state = 'confirmed'
      and m.method = 'manual' and m.adjustments <> '[]'
      and private.lacks_evidence(m, ($4 ->> 'evidence_required_from')::bigint))$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then
      $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then
      $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    by_line || of_line || ' offset 0)');
end $$;
grant execute
  on function private.match_range(jsonb, uuid),
    private.match_filters(jsonb, text, boolean, boolean) to authenticated;

-- Newest first. input: { id, limit, after: [match ID] | null, state, method, shape, run_id,
-- missing_evidence, amount_from, amount_to, updated_since, line_id, date_from, date_to, q }, `id`
-- the reconciliation's; the last four apply to one line of the match.
-- Without a sort: with no statistics of the period's matches, the planner would read and sort them
-- all. Refuses: not_found, conflict.
create function public.list_matches(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set enable_sort = off
  set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  after_id constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.requested_line(input);
  max_count constant integer := greatest(page_size + 1,
    private.max_looked_at(case when of_line is null then 1.25 else 10 end));
  range constant text := private.match_range(input, after_id);
  period public.reconciliations;
  found_lines bigint[];
  changed uuid[];
  looked_at text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  period := private.find_period(input ->> 'id');
  if of_line is not null then
    found_lines := private.narrow_by_filters(period, input, 5000);
  end if;
  if input ->> 'updated_since' is not null then
    changed := private.matches_since(period, (input ->> 'updated_since')::timestamptz);
  end if;
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from (%s) m where %s order by m.id desc limit $6
    ) x',
    case when found_lines is not null then 'select m.* from (
      select distinct member.match_id from public.match_members member
      where member.tenant_id = $1 and member.line_no = any ($5)
    ) f cross join lateral (
      select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0
    ) m where m.tenant_id = $1 and ' || range
      when changed is not null
        then 'select * from public.matches m where m.tenant_id = $1 and ' || range
      else format('select * from public.matches m
        where m.tenant_id = $1 and %s order by m.id desc limit $8', range) end,
    private.match_filters(input, of_line, changed is not null, period.closed_at is not null))
  into items using tenant, period.id, after_id,
    input || jsonb_build_object('evidence_required_from', private.evidence_required_from(period)),
    found_lines, page_size + 1, changed, max_count;
  if found_lines is null and changed is null
    and coalesce(jsonb_array_length(items), 0) <= page_size then
    execute format('select array[private.match_id_text(m.id)] from public.matches m
      where m.tenant_id = $1 and %s order by m.id desc offset $4 - 1 limit 1', range)
    into looked_at using tenant, period.id, after_id, max_count;
  end if;
  return private.page_up_to(looked_at, items, page_size, 'id');
end $$;
