-- Books: a pair recomputed from only its lines, decisions and closings, and compared with
-- everything that is shown of it. The proof, counts and open amounts are read only to be compared.
-- It is one statement, so it sees one moment, without a lock.

-- Each line of a pair as its decisions leave it.
create function private.lines_by_decisions(tenant text, pair integer)
returns table (line_no bigint, id uuid, side text, currency text, value_date date,
  amount_minor bigint, matched_minor numeric, excluded_minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with matched as materialized (
    select mm.line_no, sum(mm.allocated_minor) as minor from public.reconciliations r
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = r.id
      and m.state = 'confirmed'
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
    where r.tenant_id = tenant and r.pair_no = pair group by 1
  ), excluded as materialized (
    select x.line_no, sum(x.excluded_minor) as minor
    from public.exclusions x
    where x.tenant_id = tenant and x.pair_no = pair
    group by 1
  ), came as materialized (
    select l.line_no, l.id,
      case s.source_no when p.left_source_no then 'left' else 'right' end as side, l.currency,
      l.value_date,
      case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end as minor
    from public.pairs p
    join public.sources s on s.tenant_id = p.tenant_id
      and s.source_no in (p.left_source_no, p.right_source_no)
    join public.lines l on l.tenant_id = s.tenant_id and l.source_no = s.source_no
    where p.tenant_id = tenant and p.pair_no = pair
  )
  select coalesce(c.line_no, m.line_no, e.line_no), c.id, c.side, c.currency, c.value_date, c.minor,
    coalesce(m.minor, 0), coalesce(e.minor, 0)
  from came c full join matched m on m.line_no = c.line_no
    full join excluded e on e.line_no = coalesce(c.line_no, m.line_no);
end $$;

-- The differences in a pair: the subject, what was computed and what is shown. No row if the books
-- are right. For a pair that is being prepared, only what was decided.
create function private.books_differences(tenant text, pair integer) returns table (what text,
  subject text, computed text, shown text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with lines as materialized (
    select *, coalesce(private.line_id_text(x.id), 'line ' || x.line_no) as name
    from private.lines_by_decisions(tenant, pair) x
  ), periods as materialized (
    select r.*, c.statement, c.digest from public.reconciliations r
    left join public.closings c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
      and r.closed_at is not null
    where r.tenant_id = tenant and r.pair_no = pair
  ), matches as materialized (
    select m.id, m.reconciliation_id, m.state, m.currency, mm.line_no, mm.side, mm.allocated_minor,
      m.residual_minor
        + (select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
          from jsonb_array_elements(m.adjustments) a) as explained
    from periods r
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = r.id
      and m.state in ('confirmed', 'suggested')
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
  ), still_open as materialized (
    select * from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair
  ), settled as materialized (
    -- What each closed period saw settled, by itself or an earlier one.
    select r.id as period, x.line_no, x.side, x.currency, sum(x.minor) as minor
    from periods r join periods earlier on earlier.period_end <= r.period_end
    join (
      select m.reconciliation_id, m.line_no, m.side, m.currency, m.allocated_minor as minor
      from matches m
      where m.state = 'confirmed'
      union all
      select e.reconciliation_id, e.line_no, e.side, e.currency, e.excluded_minor
      from public.exclusions e
      where e.tenant_id = tenant and e.pair_no = pair
    ) x on x.reconciliation_id = earlier.id
    where r.closed_at is not null group by 1, 2, 3, 4
  ), digests as materialized (
    select r.id, r.digest, private.closing_digest(r.tenant_id, r.id) as computed
    from periods r
    where r.closed_at is not null and r.digest is not null
  ), carried as materialized (
    select c.*
    from periods r
    join public.carried_lines c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    where r.closed_at is not null
  )
  select 'decided of no line', l.name, null::text,
    concat_ws(' + ', l.matched_minor, l.excluded_minor)
  from lines l
  where l.amount_minor is null
  union all
  select 'given more than once', l.name, l.amount_minor::text,
    (l.matched_minor + l.excluded_minor)::text
  from lines l
  where l.matched_minor
    + l.excluded_minor not between least(l.amount_minor, 0) and greatest(l.amount_minor, 0)
    or l.matched_minor not between least(l.amount_minor, 0) and greatest(l.amount_minor, 0)
  union all
  select 'open', coalesce(l.name, 'line ' || o.line_no),
    l.amount_minor - l.matched_minor - l.excluded_minor || ' of ' || l.amount_minor || ' '
      || l.currency || ' on ' || l.value_date || ', ' || l.side,
    o.open_minor || ' of ' || o.amount_minor || ' ' || o.currency || ' on ' || o.value_date || ', '
      || o.side
  from (select * from lines x where x.amount_minor is not null) l
    full join still_open o on o.line_no = l.line_no
  where not private.is_preparing(tenant, pair) and (
    l.line_no is null
      or coalesce(o.open_minor, 0) <> l.amount_minor - l.matched_minor - l.excluded_minor
    or o.line_no is not null
    and (o.amount_minor, o.currency, o.value_date, o.side) is distinct from (l.amount_minor,
      l.currency, l.value_date, l.side)
  )
  union all
  select 'match', private.match_id_text(m.id), min(m.explained)::text,
    sum(case m.side when 'left' then m.allocated_minor else -m.allocated_minor end)::text
  from matches m group by m.id
    having min(m.explained) <> sum(case m.side when 'left' then m.allocated_minor
      else -m.allocated_minor end)
  union all
  select 'side or currency of a match', private.match_id_text(m.id), l.side || ' ' || l.currency,
    m.side || ' ' || m.currency
  from matches m join lines l on l.line_no = m.line_no
    where (l.side, l.currency) <> (m.side, m.currency)
  union all
  select 'suggested though settled, or twice', l.name || ' in ' || m.reconciliation_id,
    'at most 1 while it is open', count(*)::text
  from matches m join lines l on l.line_no = m.line_no
    left join still_open o on o.line_no = m.line_no
  where m.state = 'suggested' group by l.name, m.reconciliation_id
    having count(*) > 1 or bool_or(o.line_no is null)
  union all
  select 'matched lines', r.id, x.count::text, coalesce(c.lines, 0)::text
  from periods r
    left join private.matched_counts c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  cross join lateral (select count(*) from matches m
    where m.reconciliation_id = r.id and m.state = 'confirmed') x
  where x.count <> coalesce(c.lines, 0)
  union all
  select 'open exceptions', coalesce(l.name, 'line ' || e.line_no), 'at most 1', count(*)::text
  from public.exceptions e left join lines l on l.line_no = e.line_no
  where e.tenant_id = tenant and e.pair_no = pair and e.line_no is not null
    and e.status in ('open', 'in_review')
  group by e.line_no, l.name having count(*) > 1
  union all
  select 'exception', e.id, 'closed: nothing of its lines is open', e.status
  from public.exceptions e
  where e.tenant_id = tenant and e.pair_no = pair and e.line_no is not null
    and e.status in ('open', 'in_review') and not exists (
    select from private.exception_lines x join still_open o on o.line_no = x.line_no
    where x.tenant_id = tenant and x.exception_id = e.id and x.pair_no = pair
  )
  union all
  select 'carried',
    coalesce(l.name, 'line ' || c.line_no) || ' at the end of ' || c.reconciliation_id,
    (l.amount_minor - coalesce(s.minor, 0))::text, c.open_minor::text
  from carried c left join lines l on l.line_no = c.line_no
    left join settled s on s.period = c.reconciliation_id and s.line_no = c.line_no
  where l.amount_minor is null or l.amount_minor - coalesce(s.minor, 0) <> c.open_minor
  union all
  -- The balance that a closed period stated is what it and earlier periods settled, plus what it
  -- carried; lines that arrived later don't count.
  select 'closing balance', r.id || ' ' || (b ->> 'side') || ' ' || (b ->> 'currency'),
    x.minor::text, b ->> 'closing_minor'
  from periods r cross join lateral jsonb_array_elements(r.statement -> 'balances') b
  cross join lateral (
    select coalesce(
      (select sum(s.minor) from settled s
        where s.period = r.id and s.side = b ->> 'side' and s.currency = b ->> 'currency'),
      0)
      + coalesce(
        (select sum(c.open_minor) from carried c
          where c.reconciliation_id = r.id and c.side = b ->> 'side'
            and c.currency = b ->> 'currency'),
        0) as minor
  ) x
  where x.minor <> (b ->> 'closing_minor')::numeric
  union all
  select 'proof', r.id, 'holds', 'does not hold' from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = pair and not private.is_preparing(tenant, pair)
    and not coalesce((
    select (c.statement #>> '{proof,holds}')::boolean
    from periods c
    where c.id = r.id and c.closed_at is not null
  ), (private.proof_json(r) ->> 'holds')::boolean)
  union all
  select 'closing', d.id, d.computed, d.digest from digests d where d.digest <> d.computed;
end $$;

-- SHA-256 over what a closing settled: its statement, its confirmed matches with their lines, its
-- exclusions and its carried lines.
create function private.closing_digest(tenant text, reconciliation text) returns text
language plpgsql stable set search_path = '' as $$
begin
  return encode(sha256(
    sha256(convert_to(coalesce((
      select c.statement::text
      from public.closings c
      where c.tenant_id = tenant and c.reconciliation_id = reconciliation
    ), ''), 'UTF8'))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(m.id, m.shape, m.method, m.currency, m.amount_minor, m.residual_minor,
              m.adjustments, m.note, m.decided_by, m.created_by)::text, 'UTF8')),
        '' order by m.id)
      from public.matches m
        where m.tenant_id = tenant and m.reconciliation_id = reconciliation
          and m.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(convert_to(row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text, 'UTF8')),
        '' order by mm.match_id, mm.line_no)
      from public.matches m
        join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(x.line_no, x.side, x.currency, x.excluded_minor, x.reason, x.created_by)::text,
            'UTF8')),
        '' order by x.line_no)
      from public.exclusions x where x.tenant_id = tenant and x.reconciliation_id = reconciliation
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(row(c.line_no, c.side, c.currency, c.open_minor, c.value_date::text)::text,
            'UTF8')),
        '' order by c.line_no)
      from public.carried_lines c
        where c.tenant_id = tenant and c.reconciliation_id = reconciliation
    ), ''))
  ), 'hex');
end $$;
grant execute on function private.closing_digest(text, text) to authenticated;

-- Checks one pair. Emits: books.differ, once a day for the same differences. Returns how many there
-- are.
create function private.recount_books(tenant text, pair integer) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  found_count bigint;
  first_ones jsonb;
begin
  select count(*),
    coalesce(
      jsonb_agg(
        jsonb_build_object('what', d.what, 'subject', d.subject, 'computed', d.computed, 'shown',
          d.shown)
    order by d.what, d.subject) filter (where d.place <= 20), '[]')
  into found_count, first_ones
  from (select *, row_number() over (order by x.what, x.subject) as place
    from private.books_differences(tenant, pair) x) d;
  if found_count > 0 then
    perform private.emit(tenant, 'books.differ', (
      select jsonb_build_object('reconciliation_ids',
        coalesce(jsonb_agg(r.id order by r.period_end desc), '[]'),
        'difference_count', found_count, 'differences', first_ones)
      from (
        select x.id, x.period_end
        from public.reconciliations x
        where x.tenant_id = tenant and x.pair_no = pair
        order by x.period_end desc
        limit 100
      ) r
    ), format('%s %s %s', pair, (now() at time zone 'UTC')::date, md5(first_ones::text)));
  end if;
  return found_count;
end $$;

-- Queues the check of a pair, after those that wait already.
create function private.queue_book_recount(tenant text, pair integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform graphile_worker.add_job('examine_books',
    json_build_object('tenant_id', tenant, 'pair_no', pair),
    queue_name => 'examine_books', job_key => format('examine_books:%s:%s', tenant, pair),
    max_attempts => 5);
end $$;

-- Queues the check of every pair, one after another.
create function private.queue_book_recounts() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.queue_book_recount(p.tenant_id, p.pair_no) from public.pairs p;
end $$;
