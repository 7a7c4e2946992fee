-- Exceptions of lines that stay open past their source's grace period: one for a single line, one
-- for all lines of a suggestion. They are resolved when the lines are settled and reopened when
-- that is undone. Grouping: exceptions/line_exception_groups.sql.

-- The exception that a line has or had in a pair. Only our functions write it, after finding the
-- line and locking the pair.
create table private.exception_lines (
  tenant_id text not null,
  line_no bigint not null,
  pair_no integer not null,
  exception_id text not null,
  primary key (tenant_id, line_no, pair_no)
);
create index exception_lines_by_exception on private.exception_lines (tenant_id, exception_id);
alter table private.exception_lines enable row level security;
grant select on private.exception_lines to authenticated;
create policy exception_lines_read on private.exception_lines for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- What exceptions are about, each by its place in the arrays: the lines of a suggestion, and this
-- line; no row if none of it is open. { match_id, currency, difference_minor, is_late, lines: [{
-- line_no, id, side, source, open_minor, value_date, reference, is_free }] }. difference_minor is
-- left − right less what the suggestion's adjustments explain; is_free: the line has no exception
-- yet.
create function private.subjects_of_exceptions(period public.reconciliations, suggestions uuid[],
  line_nos bigint[]) returns table (place bigint, subject jsonb)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with requested as materialized (
    select item.place, item.suggestion, item.line_no
    from unnest(suggestions, line_nos) with ordinality item (suggestion, line_no, place)
  ), about as materialized (
    select wanted.place, member.line_no from requested wanted
    join private.members_of(period.tenant_id, suggestions) member
      on member.match_id = wanted.suggestion
    union
    select wanted.place, wanted.line_no from requested wanted where wanted.line_no is not null
  ), open_ones as materialized (
    select open_line.line_no, open_line.side, open_line.currency, open_line.open_minor,
      open_line.value_date from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.line_no = any (array(select about_line.line_no from about about_line))
      order by open_line.line_no
  )
  select about_line.place, jsonb_build_object('match_id', wanted.suggestion, 'currency',
    min(open_line.currency), 'difference_minor', greatest(-9007199254740991, least(9007199254740991,
      sum(case open_line.side when 'left' then open_line.open_minor else -open_line.open_minor end)
        - coalesce(adjusted.minor, 0))),
    'is_late', bool_or(late.line_no is not null), 'lines', jsonb_agg(
      jsonb_build_object('line_no', open_line.line_no, 'id', private.line_id_text(line.id), 'side',
        open_line.side, 'source', source.name, 'open_minor', open_line.open_minor,
        'value_date', open_line.value_date, 'reference', coalesce(line.reference, line.external_id,
        line.counterparty), 'is_free', taken.line_no is null)
      order by open_line.side, abs(open_line.open_minor) desc, open_line.line_no))
  from about about_line join requested wanted on wanted.place = about_line.place
  join open_ones open_line on open_line.line_no = about_line.line_no
  join (
    select * from public.lines line where line.tenant_id = period.tenant_id
      and line.line_no = any (array(select open_one.line_no from open_ones open_one))
    order by line.line_no
  ) line on line.line_no = about_line.line_no
  join public.sources source on source.tenant_id = period.tenant_id
    and source.source_no = line.source_no
  left join private.late_lines(period,
    array(select open_one.line_no from open_ones open_one order by open_one.line_no),
    array(select open_one.value_date from open_ones open_one order by open_one.line_no))
    late (line_no) on late.line_no = about_line.line_no
  left join (
    select exception_line.line_no from private.exception_lines exception_line
    where exception_line.tenant_id = period.tenant_id
      and exception_line.line_no = any (array(select open_one.line_no from open_ones open_one))
      and exception_line.pair_no = period.pair_no order by exception_line.line_no
  ) taken on taken.line_no = about_line.line_no
  left join private.adjusted_in_matches(period.tenant_id, suggestions) adjusted
    on adjusted.id = wanted.suggestion
  group by about_line.place, wanted.suggestion, adjusted.minor;
end $$;

-- The exceptions to open in a period: lines open past their grace period that have none yet; the
-- lines of a suggestion together, once the grace period of each is over. The most money first, at
-- most `most`; `held_back` counts the others. What a person has closed is not opened again.
create function private.lines_past_grace(tenant text, reconciliation text, most integer,
  out lines jsonb, out held_back bigint)
language plpgsql stable security definer set search_path = '' set enable_sort = off
  set enable_nestloop = off as $$
declare
  period public.reconciliations;
begin
  select * into strict period from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  with past_grace as materialized (
    select * from private.open_past_grace(period)
  ), suggested as materialized (
    select match.id, abs(match.residual_minor) as minor from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = period.id
      and match.state = 'suggested'
  ), members as materialized (
    select member.line_no, (array_agg(member.match_id order by member.match_id))[1] as match_id
    from private.members_of(tenant, array(select suggestion.id from suggested suggestion)) member
    group by member.line_no
  ), young as materialized (
    select distinct members.match_id
    from members
    join private.open_among(period, array(select member.line_no from members member)) open_line
      on open_line.line_no = members.line_no
    left join past_grace past on past.line_no = members.line_no
    where past.line_no is null
  ), overdue as materialized (
    select past.line_no, past.minor, member.match_id
    from past_grace past left join members member on member.line_no = past.line_no
    left join (
      select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant
        and exception_line.line_no = any (array(select any_past.line_no from past_grace any_past))
        and exception_line.pair_no = period.pair_no order by exception_line.line_no
    ) taken on taken.line_no = past.line_no
    where taken.line_no is null
      and not exists (select from young too_young where too_young.match_id = member.match_id)
  ), subjects as materialized (
    select null::uuid as match_id, late.line_no, late.minor from overdue late
    where late.match_id is null
    union all
    select suggestion.id, min(late.line_no), suggestion.minor
    from overdue late join suggested suggestion on suggestion.id = late.match_id
    group by suggestion.id, suggestion.minor
  ), chosen as materialized (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(about_exception.subject order by about_exception.place), '[]'),
    (select count(*) from subjects) - (select count(*) from chosen)
  into lines, held_back
  from private.subjects_of_exceptions(period,
    array(select choice.match_id from chosen choice order by choice.minor desc, choice.line_no),
    array(select choice.line_no from chosen choice
      order by choice.minor desc, choice.line_no)) about_exception;
end $$;

-- rows: [{ match_id, line_nos, title, severity, assigned_to, reason_code, amount_minor, currency,
-- details }], the first of line_nos its own. Lines that have been settled since, or have an
-- exception, are left out. Returns how many were opened. Refuses: conflict if another process took
-- over the run.
create function private.open_line_exceptions(tenant text, reconciliation text, run text,
  attempt integer, rows jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  opened integer;
begin
  period := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  with wanted as materialized (
    select item.*, item.line_nos[1] as line_no from jsonb_to_recordset(rows) as item (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
    where item.match_id is null
      or exists (select from public.matches match
        where match.tenant_id = tenant and match.id = item.match_id and match.state = 'suggested')
  ), present as materialized (
    select exception_line.line_no from private.exception_lines exception_line
    where exception_line.tenant_id = tenant and exception_line.pair_no = period.pair_no
      and exception_line.line_no = any (array(select any_wanted.line_no from wanted any_wanted))
    order by exception_line.line_no
  ), opened_exceptions as (
    select created.id, created.line_no from private.change_exceptions('create', array(
      select jsonb_build_object('tenant_id', tenant, 'title', want.title, 'severity', want.severity,
        'assigned_to', want.assigned_to,
        'reason_code', want.reason_code, 'amount_minor', want.amount_minor,
        'currency', want.currency, 'reconciliation_id', period.id, 'details', want.details,
        'pair_no', period.pair_no, 'line_no', line.line_no, 'line_id', line.id,
        'suggested_match_id', want.match_id, 'grouped_match_id', want.match_id)
      from wanted want
      join public.lines line on line.tenant_id = tenant and line.line_no = want.line_no
      join private.open_lines open_line on open_line.tenant_id = tenant
        and open_line.pair_no = period.pair_no and open_line.line_no = line.line_no
      where want.line_no not in (select held.line_no from present held)
    )) created
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, own_line.line_no, period.pair_no, creation.id
    from opened_exceptions creation
    join wanted want on want.line_no = creation.line_no
    cross join unnest(want.line_nos) own_line (line_no)
    on conflict do nothing
  )
  select count(*) into opened from opened_exceptions;
  return opened;
end $$;

create function private.suggestions_in(tenant text, reconciliation text) returns uuid[]
language plpgsql stable set search_path = '' as $$
begin
  return array(select match.id from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation
      and match.state = 'suggested');
end $$;

-- The open exceptions of a period's pair, each with its own line.
create function private.open_line_exceptions_of(tenant text,
  reconciliation text) returns setof public.exceptions
language plpgsql stable set search_path = '' as $$
begin
  return query
  select exception.* from public.exceptions exception
  where exception.tenant_id = tenant and exception.line_no is not null
    and exception.status in ('open', 'in_review')
    and exception.pair_no = (select period.pair_no from public.reconciliations period
      where period.tenant_id = tenant and period.id = reconciliation);
end $$;

-- Whether any line that an exception is about is still open.
create function private.has_open_lines(exception public.exceptions) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from (
      select exception_line.line_no, exception_line.pair_no
      from private.exception_lines exception_line
      where exception_line.tenant_id = exception.tenant_id
        and exception_line.exception_id = exception.id offset 0
    ) exception_line cross join lateral (
      select
      from private.open_lines open_line
      where open_line.tenant_id = exception.tenant_id and open_line.pair_no = exception_line.pair_no
        and open_line.line_no = exception_line.line_no offset 0
    ) still_open
  );
end $$;

-- The exceptions that these lines have or had, each once.
create function private.exceptions_of_lines(tenant text, pair integer,
  line_nos bigint[]) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select distinct exception_line.exception_id from private.exception_lines exception_line
    where exception_line.tenant_id = tenant and exception_line.line_no = any (line_nos)
      and exception_line.pair_no = pair);
end $$;

-- Resolves the open exceptions of lines once none of the lines they are about is open.
create function private.resolve_line_exceptions(tenant text, pair integer, line_nos bigint[],
  resolution text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id,
      'status', 'resolved', 'resolution',
      resolve_line_exceptions.resolution,
      'resolved_by_matching', true, 'suggested_match_id', null)
    from public.exceptions exception
    where exception.tenant_id = tenant
      and exception.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[])
      and exception.status in ('open', 'in_review')
      and not private.has_open_lines(exception)
    order by exception.id for no key update
  ));
end $$;

-- The exceptions that the lines of matches have or had, each with the first of these matches.
create function private.exceptions_of_matches(tenant text, pair integer,
  matches uuid[]) returns table (exception_id text, match_id uuid)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with members as materialized (select member.match_id, member.line_no
  from private.members_of(tenant, matches) member)
  select exception_line.exception_id, (array_agg(members.match_id order by members.match_id))[1]
  from members join (
    select exception_line.line_no, exception_line.exception_id
    from private.exception_lines exception_line
    where exception_line.tenant_id = tenant
      and exception_line.line_no = any (array(select members.line_no from members))
      and exception_line.pair_no = pair
      order by exception_line.line_no
  ) exception_line on exception_line.line_no = members.line_no
  group by exception_line.exception_id;
end $$;

-- Resolves the exceptions of matched lines, each by its match; if there are several, by the first.
create function private.resolve_matched_exceptions(tenant text, pair integer,
  matches uuid[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  -- Only the exceptions of these lines are read, not all that the tenant has open.
  perform private.change_exceptions('edit', array(
    with found as materialized (
      select * from private.exceptions_of_matches(tenant, pair, matches)
    )
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id,
      'status', 'resolved', 'resolution',
      format('Matched by %s.', private.match_id_text(found.match_id)),
      'resolved_by_matching', true, 'suggested_match_id', null)
    from found
    join public.exceptions exception on exception.id = found.exception_id
    where exception.tenant_id = tenant
      and exception.id = any (array(select found.exception_id from found))
      and exception.status in ('open', 'in_review') and not private.has_open_lines(exception)
    order by exception.id for no key update of exception
  ));
end $$;

-- The columns that move an exception of a closed period, whose line is open again, to the next open
-- period; {} if it stays.
create function private.move_from_closed(exception public.exceptions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select jsonb_build_object('reconciliation_id', private.next_open_period(period))
    from public.reconciliations period
    where period.tenant_id = exception.tenant_id and period.id = exception.reconciliation_id
      and period.closed_at is not null
      and private.next_open_period(period) is not null
  ), '{}');
end $$;

-- Reopens the exceptions that matching had resolved and whose lines are open again.
create function private.reopen_line_exceptions(tenant text, pair integer,
  line_nos bigint[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'status', 'open',
      'resolved_by_matching', false)
      || private.move_from_closed(exception)
    from public.exceptions exception
    where exception.tenant_id = tenant
      and exception.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[])
      and exception.status = 'resolved'
      and exception.resolved_by_matching and private.has_open_lines(exception)
    order by exception.id for no key update
  ));
end $$;

grant execute on function
  private.lines_past_grace(text, text, integer),
  private.open_line_exceptions(text, text, text, integer, jsonb),
  private.link_exceptions_to_suggestions(text, text, text, integer)
to service_role;
