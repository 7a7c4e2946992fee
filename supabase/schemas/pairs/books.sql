-- Books: a pair recomputed from only its lines, decisions and closings, and compared with
-- everything that is shown of it. The proof, counts and open amounts are read only to be compared.
-- It is one statement, so it sees one moment, without a lock.

-- Each line of a pair with its state according to the pair's decisions.
create function private.lines_by_decisions(tenant text, pair integer)
returns table (line_no bigint, id uuid, side text, currency text, value_date date,
  amount_minor bigint, matched_minor numeric, excluded_minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with matched as materialized (
    select member.line_no, sum(member.allocated_minor) as minor from public.reconciliations period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state = 'confirmed'
    join public.match_members member on member.tenant_id = match.tenant_id
      and member.match_id = match.id
    where period.tenant_id = tenant and period.pair_no = pair group by 1
  ), excluded as materialized (
    select exclusion.line_no, sum(exclusion.excluded_minor) as minor
    from public.exclusions exclusion
    where exclusion.tenant_id = tenant and exclusion.pair_no = pair
    group by 1
  ), came as materialized (
    select line.line_no, line.id,
      case source.source_no when pairs.left_source_no then 'left' else 'right' end as side,
      line.currency, line.value_date,
      case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end as minor
    from public.pairs
    join public.sources source on source.tenant_id = pairs.tenant_id
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    join public.lines line on line.tenant_id = source.tenant_id
      and line.source_no = source.source_no
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  )
  select coalesce(line.line_no, matched_line.line_no, excluded_line.line_no), line.id, line.side,
    line.currency, line.value_date, line.minor,
    coalesce(matched_line.minor, 0), coalesce(excluded_line.minor, 0)
  from came line full join matched matched_line on matched_line.line_no = line.line_no
    full join excluded excluded_line
      on excluded_line.line_no = coalesce(line.line_no, matched_line.line_no);
end $$;

-- The differences in a pair: the subject, what was computed and what is shown. No row if the books
-- are right. For a pair that is being prepared, only what was decided. One statement,
-- because all checks compare the same moment and read the lines and matches once.
create function private.books_differences(tenant text, pair integer) returns table (what text,
  subject text, computed text, shown text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with lines as materialized (
    select *, coalesce(private.line_id_text(line.id), 'line ' || line.line_no) as name
    from private.lines_by_decisions(tenant, pair) line
  ), periods as materialized (
    select period.*, closing.statement, closing.digest from public.reconciliations period
    left join public.closings closing on closing.tenant_id = period.tenant_id
      and closing.reconciliation_id = period.id and period.closed_at is not null
    where period.tenant_id = tenant and period.pair_no = pair
  ), matches as materialized (
    select match.id, match.reconciliation_id, match.state, match.currency, member.line_no,
      member.side,
      member.allocated_minor, match.residual_minor
        + (select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
          from jsonb_array_elements(match.adjustments) adjustment) as explained
    from periods period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state in ('confirmed', 'suggested')
    join public.match_members member on member.tenant_id = match.tenant_id
      and member.match_id = match.id
  ), still_open as materialized (
    select * from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
  ), settled as materialized (
    -- What each closed period saw settled, by itself or an earlier one.
    select period.id as period, settlement.line_no, settlement.side, settlement.currency,
      sum(settlement.minor) as minor
    from periods period join periods earlier on earlier.period_end <= period.period_end
    join (
      select match.reconciliation_id, match.line_no, match.side, match.currency,
        match.allocated_minor as minor
      from matches match
      where match.state = 'confirmed'
      union all
      select exclusion.reconciliation_id, exclusion.line_no, exclusion.side, exclusion.currency,
        exclusion.excluded_minor
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = pair
    ) settlement on settlement.reconciliation_id = earlier.id
    where period.closed_at is not null group by 1, 2, 3, 4
  ), digests as materialized (
    select period.id, period.digest, private.closing_digest(period.tenant_id, period.id) as computed
    from periods period
    where period.closed_at is not null and period.digest is not null
  ), carried as materialized (
    select carried_line.*
    from periods period
    join public.carried_lines carried_line on carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id
    where period.closed_at is not null
  )
  select 'decided of no line', line.name, null::text,
    concat_ws(' + ', line.matched_minor, line.excluded_minor)
  from lines line
  where line.amount_minor is null
  union all
  select 'given more than once', line.name, line.amount_minor::text,
    (line.matched_minor + line.excluded_minor)::text
  from lines line
  where line.matched_minor
    + line.excluded_minor not between least(line.amount_minor, 0) and greatest(line.amount_minor, 0)
    or line.matched_minor not between least(line.amount_minor, 0) and greatest(line.amount_minor, 0)
  union all
  select 'open', coalesce(line.name, 'line ' || open_line.line_no),
    line.amount_minor - line.matched_minor - line.excluded_minor || ' of ' || line.amount_minor
      || ' ' || line.currency || ' on ' || line.value_date || ', ' || line.side,
    open_line.open_minor || ' of ' || open_line.amount_minor || ' ' || open_line.currency || ' on '
      || open_line.value_date || ', ' || open_line.side
  from (select * from lines line where line.amount_minor is not null) line
    full join still_open open_line on open_line.line_no = line.line_no
  where not private.is_preparing(tenant, pair) and (
    line.line_no is null
      or coalesce(open_line.open_minor, 0)
        <> line.amount_minor - line.matched_minor - line.excluded_minor
    or open_line.line_no is not null
    and (open_line.amount_minor, open_line.currency, open_line.value_date, open_line.side)
      is distinct from (line.amount_minor, line.currency, line.value_date, line.side)
  )
  union all
  select 'match', private.match_id_text(match.id), min(match.explained)::text,
    sum(case match.side when 'left' then match.allocated_minor else -match.allocated_minor
      end)::text
  from matches match group by match.id
    having min(match.explained) <> sum(case match.side when 'left' then match.allocated_minor
      else -match.allocated_minor end)
  union all
  select 'side or currency of a match', private.match_id_text(match.id),
    line.side || ' ' || line.currency, match.side || ' ' || match.currency
  from matches match join lines line on line.line_no = match.line_no
    where (line.side, line.currency) <> (match.side, match.currency)
  union all
  select 'suggested though settled, or twice', line.name || ' in ' || match.reconciliation_id,
    'at most 1 while it is open', count(*)::text
  from matches match join lines line on line.line_no = match.line_no
    left join still_open open_line on open_line.line_no = match.line_no
  where match.state = 'suggested' group by line.name, match.reconciliation_id
    having count(*) > 1 or bool_or(open_line.line_no is null)
  union all
  select 'matched lines', period.id, counted.count::text, coalesce(matched_counts.lines, 0)::text
  from periods period
    left join private.matched_counts on matched_counts.tenant_id = period.tenant_id
      and matched_counts.reconciliation_id = period.id
  cross join lateral (select count(*) from matches match
    where match.reconciliation_id = period.id and match.state = 'confirmed') counted
  where counted.count <> coalesce(matched_counts.lines, 0)
  union all
  select 'open exceptions', coalesce(line.name, 'line ' || exception.line_no), 'at most 1',
    count(*)::text
  from public.exceptions exception left join lines line on line.line_no = exception.line_no
  where exception.tenant_id = tenant and exception.pair_no = pair and exception.line_no is not null
    and exception.status in ('open', 'in_review')
  group by exception.line_no, line.name having count(*) > 1
  union all
  select 'exception', exception.id, 'closed: nothing of its lines is open', exception.status
  from public.exceptions exception
  where exception.tenant_id = tenant and exception.pair_no = pair and exception.line_no is not null
    and exception.status in ('open', 'in_review') and not exists (
    select from private.exception_lines exception_line
    join still_open open_line on open_line.line_no = exception_line.line_no
    where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      and exception_line.pair_no = pair
  )
  union all
  select 'carried',
    coalesce(line.name, 'line ' || carried_line.line_no) || ' at the end of '
      || carried_line.reconciliation_id,
    (line.amount_minor - coalesce(settled_line.minor, 0))::text, carried_line.open_minor::text
  from carried carried_line left join lines line on line.line_no = carried_line.line_no
    left join settled settled_line on settled_line.period = carried_line.reconciliation_id
      and settled_line.line_no = carried_line.line_no
  where line.amount_minor is null
    or line.amount_minor - coalesce(settled_line.minor, 0) <> carried_line.open_minor
  union all
  -- The balance that a closed period stated is what it and earlier periods settled, plus what it
  -- carried; lines that arrived later don't count.
  select 'closing balance',
    period.id || ' ' || (balance ->> 'side') || ' ' || (balance ->> 'currency'),
    recomputed.minor::text, balance ->> 'closing_minor'
  from periods period
  cross join lateral jsonb_array_elements(period.statement -> 'balances') balance
  cross join lateral (
    select coalesce(
      (select sum(settled_line.minor) from settled settled_line
        where settled_line.period = period.id and settled_line.side = balance ->> 'side'
          and settled_line.currency = balance ->> 'currency'),
      0)
      + coalesce(
        (select sum(carried_line.open_minor) from carried carried_line
          where carried_line.reconciliation_id = period.id
            and carried_line.side = balance ->> 'side'
            and carried_line.currency = balance ->> 'currency'),
        0) as minor
  ) recomputed
  where recomputed.minor <> (balance ->> 'closing_minor')::numeric
  union all
  select 'proof', period.id, 'holds', 'does not hold' from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = pair
    and not private.is_preparing(tenant, pair)
    and not coalesce((
    select (closed_period.statement #>> '{proof,holds}')::boolean
    from periods closed_period
    where closed_period.id = period.id and closed_period.closed_at is not null
  ), (private.proof_json(period) ->> 'holds')::boolean)
  union all
  select 'closing', digests.id, digests.computed, digests.digest from digests
  where digests.digest <> digests.computed;
end $$;

-- SHA-256 over what a closing settled: its statement, its confirmed matches with their lines, its
-- exclusions and its carried lines.
create function private.closing_digest(tenant text, reconciliation text) returns text
language plpgsql stable set search_path = '' as $$
begin
  return encode(sha256(
    sha256(convert_to(coalesce((
      select closing.statement::text
      from public.closings closing
      where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation
    ), ''), 'UTF8'))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(match.id, match.shape, match.method, match.currency, match.amount_minor,
              match.residual_minor, match.adjustments, match.note, match.decided_by,
              match.created_by)::text, 'UTF8')),
        '' order by match.id)
      from public.matches match
        where match.tenant_id = tenant and match.reconciliation_id = reconciliation
          and match.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(convert_to(row(member.match_id, member.line_no, member.side,
          member.allocated_minor)::text, 'UTF8')),
        '' order by member.match_id, member.line_no)
      from public.matches match
        join public.match_members member on member.tenant_id = match.tenant_id
          and member.match_id = match.id
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
              exclusion.reason, exclusion.created_by)::text, 'UTF8')),
        '' order by exclusion.line_no)
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = reconciliation
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(row(carried_line.line_no, carried_line.side, carried_line.currency,
            carried_line.open_minor, carried_line.value_date::text)::text, 'UTF8')),
        '' order by carried_line.line_no)
      from public.carried_lines carried_line
        where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation
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
        jsonb_build_object('what', difference.what, 'subject', difference.subject,
          'computed', difference.computed,
          'shown', difference.shown)
    order by difference.what, difference.subject) filter (where difference.place <= 20), '[]')
  into found_count, first_ones
  from (select *, row_number() over (order by difference.what, difference.subject) as place
    from private.books_differences(tenant, pair) difference) difference;
  if found_count > 0 then
    perform private.emit(tenant, 'books.differ', (
      select jsonb_build_object('reconciliation_ids',
        coalesce(jsonb_agg(period.id order by period.period_end desc), '[]'),
        'difference_count', found_count, 'differences', first_ones)
      from (
        select period.id, period.period_end
        from public.reconciliations period
        where period.tenant_id = tenant and period.pair_no = pair
        order by period.period_end desc
        limit 100
      ) period
    ), format('%s %s %s', pair, (now() at time zone 'UTC')::date, md5(first_ones::text)));
  end if;
  return found_count;
end $$;

-- Queues the check of a pair, after those that wait already.
create function private.queue_book_recount(tenant text, pair integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform graphile_worker.add_job('recount_books',
    json_build_object('tenant_id', tenant, 'pair_no', pair),
    queue_name => 'recount_books', job_key => format('recount_books:%s:%s', tenant, pair),
    max_attempts => 5);
end $$;

-- Queues the check of every pair, one after another.
create function private.queue_book_recounts() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.queue_book_recount(pair.tenant_id, pair.pair_no) from public.pairs pair;
end $$;
