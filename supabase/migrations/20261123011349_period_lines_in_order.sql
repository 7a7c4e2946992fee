alter table public.carried_lines add column currency text, add column value_date date;
update public.carried_lines c set currency = l.currency, value_date = l.value_date from public.lines l where l.tenant_id = c.tenant_id and l.line_no = c.line_no;
-- contracts: only private.close_own_period writes these rows, and it is replaced below, in the same transaction.
alter table public.carried_lines alter column currency set not null, alter column value_date set not null;
create index carried_lines_by_date on public.carried_lines (tenant_id, reconciliation_id, side, value_date, line_no);

-- contracts: only public.list_lines asked it, which is replaced below, in the same transaction.
drop function private.line_belongs(public.lines, public.reconciliations);
-- contracts: as above.
revoke execute on function private.line_state_was(text), private.line_state_is(text, boolean) from authenticated;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.outstanding_of(public.reconciliations);
drop function private.open_in_period(public.reconciliations);
CREATE OR REPLACE FUNCTION private.line_state_is(state text, of_several boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  opened constant text := 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = s.pair_no and o.line_no = x.line_no %s offset 0)';
  excluded constant text := 'exists (select from public.exclusions e where e.tenant_id = $1 and e.pair_no = s.pair_no and e.line_no = x.line_no offset 0)';
begin
  if of_several then
    return format('(private.line_standing(x, $3.pair_no)).state = any (%L::text[])', case state
      when 'outstanding' then array['open', 'partly_matched'] else array[state] end);
  end if;
  return case state
    when 'outstanding' then '(s.pair_no is null or ' || format(opened, '') || ')'
    when 'open' then '(s.pair_no is null or ' || format(opened, 'and o.open_minor = o.amount_minor') || ')'
    when 'partly_matched' then format(opened, 'and o.open_minor <> o.amount_minor')
    when 'excluded' then excluded || ' and not ' || format(opened, '')
    when 'matched' then 's.pair_no is not null and not ' || format(opened, '') || ' and not ' || excluded
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_was(state text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  carried constant text := private.line_was('carried');
  matched constant text := private.line_was('matched');
begin
  return case state
    when 'outstanding' then carried
    when 'open' then carried || ' and not ' || matched
    when 'partly_matched' then carried || ' and ' || matched
    when 'matched' then matched || ' and not ' || carried
    when 'excluded' then 'not ' || matched || ' and not ' || carried
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_was(what text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case what
    when 'matched' then $c$exists (
      select from public.match_members mm cross join lateral (
        select from public.matches m
        where m.tenant_id = $1 and m.id = mm.match_id and m.reconciliation_id = $3.id and m.state = 'confirmed' offset 0
      ) m where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3.pair_no offset 0)$c$
    when 'excluded' then $c$exists (
      select from public.exclusions e
      where e.tenant_id = $1 and e.pair_no = $3.pair_no and e.line_no = x.line_no and e.reconciliation_id = $3.id offset 0)$c$
    when 'open' then 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = $3.pair_no and o.line_no = x.line_no offset 0)'
    when 'carried' then
      'exists (select from public.carried_lines c where c.tenant_id = $1 and c.reconciliation_id = $3.id and c.line_no = x.line_no offset 0)'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.few_own_lines(r public.reconciliations, state text, most integer)
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
    select c.lines from private.matched_counts c where c.tenant_id = tenant and c.reconciliation_id = r.id), 0) <= most
  then
    return array(
      select distinct mm.line_no from public.matches m
      cross join lateral (select x.line_no from public.match_members x where x.tenant_id = tenant and x.match_id = m.id offset 0) mm
      where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'confirmed'
    );
  elsif state = 'excluded' then
    line_nos := array(select e.line_no from public.exclusions e where e.tenant_id = tenant and e.pair_no = r.pair_no limit most + 1);
    return case when cardinality(line_nos) <= most then line_nos end;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.own_lines(r public.reconciliations, input jsonb, source_nos integer[], most integer)
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
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce((
    select x.line_no from public.lines x where x.tenant_id = tenant and x.id = private.line_id(input -> 'after' ->> 1)
  ), 9223372036854775807);
  few bigint[];
  is_searched boolean := false;
  stands text;
  of_standing text;
  filters text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if q is not null then
    few := private.find_own_lines(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  if few is null and r.pair_no is not null then
    few := private.few_own_lines(r, state, 5000);
  end if;
  stands := case when few is null and r.pair_no is not null and state in ('open', 'partly_matched', 'outstanding') then
    case when r.closed_at is null then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = $3.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id' end end;
  filters := concat_ws(' and ',
    case when q is not null and not is_searched then private.line_search(q, 'private.line_text(x)') end,
    case when stands is null and after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and stands is null then format('(%s or %s or %s)',
      private.line_was(case when r.closed_at is null then 'open' else 'carried' end), private.line_was('matched'), private.line_was('excluded')) end,
    case when r.closed_at is not null then case when stands is null or state <> 'outstanding' then private.line_state_was(state) end
      when stands is null and state is not null then private.line_state_is(state, exists (
        select from unnest(source_nos) x join public.pairs p on p.tenant_id = tenant and x in (p.left_source_no, p.right_source_no)
        where r.id is null group by x having count(*) > 1
      )) end,
    'true'
  );
  of_standing := concat_ws(' and ', 'w.side = s.side and w.value_date <= $3.period_end',
    case when after_date is not null then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when r.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor' when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end);
  return query execute format($sql$
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (
      select x.source_no, coalesce($3.pair_no, (
        select p.pair_no from public.pairs p where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) limit 1
      )) as pair_no, case x.source_no when (
        select p.left_source_no from public.pairs p where p.tenant_id = $1 and p.pair_no = $3.pair_no) then 'left' else 'right' end as side
      from unnest($4) x (source_no)
    ) s cross join lateral (%s limit $8) l
    order by l.value_date desc, l.line_no desc limit $8 $sql$, case
    when few is not null then format($sql$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      where x.source_no = s.source_no and %s order by x.value_date desc, x.line_no desc $sql$, filters)
    when stands is not null then format($sql$
      select w.value_date, w.line_no from %s and %s and exists (
        select from (select * from public.lines y where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x where %s offset 0
      ) order by w.value_date desc, w.line_no desc $sql$, stands, of_standing, filters)
    else format($sql$
      select x.value_date, x.line_no from public.lines x
      where x.tenant_id = $1 and x.source_no = s.source_no and %s order by x.value_date desc, x.line_no desc $sql$, filters)
    end)
  using tenant, input, r, source_nos, few, after_date, after_no, most;
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
  r public.reconciliations;
  source_nos integer[];
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
  end if;
  source_nos := array(
    select s.source_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  );
  select jsonb_agg(private.line_json(l, s.id, r.pair_no) || private.line_in_closed(l, r) order by f.n) into items
  from private.own_lines(r, input, source_nos, page_size + 1) f
  cross join lateral (select * from public.lines y where y.tenant_id = tenant and y.line_no = f.line_no offset 0) l
  join public.sources s on s.tenant_id = tenant and s.source_no = l.source_no;
  return private.page(items, page_size, 'value_date', 'id');
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
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor, currency, value_date)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date from private.open_in_period(r) o order by o.line_no;
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
CREATE OR REPLACE FUNCTION private.open_in_period(r public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select r.tenant_id, x.line_no, x.side, x.currency, x.value_date, sum(x.minor)::bigint
  from (
    select o.line_no, o.side, o.currency, o.value_date, o.open_minor as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    union all
    select mm.line_no, mm.side, m.currency, l.value_date, mm.allocated_minor
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
    select e.line_no, e.side, e.currency, l.value_date, e.excluded_minor
    from public.reconciliations later
    join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = later.id
    join public.lines l on l.tenant_id = e.tenant_id and l.line_no = e.line_no and l.value_date <= r.period_end
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no and later.period_start > r.period_end
  ) x
  group by x.line_no, x.side, x.currency, x.value_date;
end $function$;
CREATE OR REPLACE FUNCTION private.outstanding_of(r public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if r.closed_at is null then
    return query select * from private.open_in_period(r);
  else
    return query select c.tenant_id, c.line_no, c.side, c.currency, c.value_date, c.open_minor
    from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
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
      select o.line_no, o.side, o.open_minor, o.currency, r.period_end - o.value_date as age from private.outstanding_of(r) o
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
  select jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.value_date, x.line_no) into items
  from (
    select o.line_no, o.side, o.open_minor, o.value_date
    from private.outstanding_of(r) o
    where input -> 'after' ->> 0 is null or (o.value_date, o.line_no) > ((input -> 'after' ->> 0)::date, coalesce((
      select l.line_no from public.lines l where l.tenant_id = r.tenant_id and l.id = private.line_id(input -> 'after' ->> 1)), 0))
    order by o.value_date, o.line_no limit page_size + 1
  ) x;
  return private.page(items, page_size, 'value_date', 'line_id');
end $function$;
grant execute on function private.open_in_period(public.reconciliations) to authenticated;
grant execute on function private.outstanding_of(public.reconciliations) to authenticated;
grant execute on function private.own_lines(public.reconciliations,jsonb,integer[],integer) to authenticated;
