-- Carrying: suggestions and open exceptions belong to the open period that holds their lines.
-- Closing a period, or creating the next one, moves them on with their lines. Reopening brings them
-- back.

-- The first open period of the pair after this one, or null.
create function private.next_open_period(period public.reconciliations) returns text
language plpgsql stable set search_path = '' as $$
begin
  return (
    select reconciliations.id from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_start > period.period_end
      and reconciliations.closed_at is null and reconciliations.status <> 'archived'
    order by reconciliations.period_start limit 1
  );
end $$;

-- Moves suggestions to a period of their pair, which is locked. One that shares a line with a
-- suggestion that the period has already is deleted, so that no line is suggested twice in it.
create function private.move_suggestions(tenant text, ids uuid[], target text) returns void
language plpgsql volatile
set search_path = '' set enable_sort = off set enable_nestloop = off as $$
declare
  repeated_ids uuid[];
begin
  repeated_ids := array(
    select distinct moving_member.match_id
    from private.members_of(tenant, ids) moving_member
    join private.members_of(tenant, private.suggestions_in(tenant, target)) target_member
      on target_member.line_no = moving_member.line_no
        and target_member.match_id <> moving_member.match_id
    where target_member.match_id <> all (ids)
    union
    -- Suggestions of two periods may share a line until they are in one.
    select distinct moving_member.match_id
    from private.members_of(tenant, ids) moving_member
    join private.members_of(tenant, ids) sharing_member
      on sharing_member.line_no = moving_member.line_no
        and sharing_member.match_id < moving_member.match_id
  );
  if cardinality(repeated_ids) > 0 then
    perform private.delete_matches(tenant, repeated_ids);
  end if;
  perform set_config('app.moves_suggestions', 'on', true);
  update public.matches match set reconciliation_id = target
  where match.tenant_id = tenant and match.id = any (ids) and match.state = 'suggested'
    and match.reconciliation_id <> target;
  perform set_config('app.moves_suggestions', '', true);
end $$;

-- Moves exceptions to a period. No person decided it, so the history names the system.
create function private.move_exceptions(tenant text, ids text[], target text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
begin
  perform set_config('request.jwt.claims', '', true);
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', item.id, 'reconciliation_id', target)
    from unnest(ids) item (id) order by item.id
  ));
  perform set_config('request.jwt.claims', claims, true);
end $$;

-- The open exceptions of these periods of a pair that have an open line, each with the last value
-- date of its open lines.
create function private.exceptions_with_open_lines(tenant text, pair integer, periods text[])
returns table (id text, last_date date)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select exception.id, max(open_line.value_date)
  from public.exceptions exception
  join private.exception_lines exception_line on exception_line.tenant_id = exception.tenant_id
    and exception_line.exception_id = exception.id
  join private.open_lines open_line
    on open_line.tenant_id = exception_line.tenant_id
      and open_line.pair_no = exception_line.pair_no
      and open_line.line_no = exception_line.line_no
  where exception.tenant_id = tenant and exception.pair_no = pair
    and exception.reconciliation_id = any (periods) and exception.status in ('open', 'in_review')
    and exception_line.pair_no = pair
  group by exception.id;
end $$;

-- Moves the suggestions and open exceptions of a period, whose pair is locked, and of the closed
-- ones before it, to the next open one. Without one they wait until it is created.
create function private.carry_forward(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
declare
  target constant text := private.next_open_period(period);
  periods constant text[] := array(
    select reconciliations.id from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and (reconciliations.id = period.id or reconciliations.period_end < period.period_start
      and reconciliations.closed_at is not null)
  );
begin
  if target is null then
    return;
  end if;
  perform private.move_suggestions(period.tenant_id, array(
    select match.id from public.matches match
    where match.tenant_id = period.tenant_id and match.reconciliation_id = any (periods)
      and match.state = 'suggested'
  ), target);
  perform private.move_exceptions(period.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(period.tenant_id, period.pair_no, periods) exception
  ), target);
end $$;

-- For a new period: moves what the closed periods before it could not move on.
create function private.carry_from_closed(created public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.carry_forward(latest.period) from (
    select period from public.reconciliations period
    where period.tenant_id = created.tenant_id and period.pair_no = created.pair_no
      and period.period_end < created.period_start and period.closed_at is not null
    order by period.period_end desc limit 1
  ) latest;
end $$;

-- Returns to a reopened period, whose pair is locked, what later open periods hold of only its
-- lines.
create function private.return_to_reopened(period public.reconciliations) returns void
language plpgsql volatile
set search_path = '' set enable_sort = off set enable_nestloop = off as $$
declare
  later constant text[] := array(
    select reconciliations.id from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_start > period.period_end and reconciliations.closed_at is null
  );
  suggested uuid[];
begin
  select coalesce(array_agg(match.id), '{}') into suggested from public.matches match
  where match.tenant_id = period.tenant_id and match.reconciliation_id = any (later)
    and match.state = 'suggested';
  perform private.move_suggestions(period.tenant_id, array(
    select member.match_id
    from private.members_of(period.tenant_id, suggested) member
    join (
      select open_line.line_no, open_line.value_date from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
    ) open_line on open_line.line_no = member.line_no
    group by member.match_id having max(open_line.value_date) <= period.period_end
  ), period.id);
  perform private.move_exceptions(period.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(period.tenant_id, period.pair_no, later) exception
    where exception.last_date <= period.period_end
  ), period.id);
end $$;

-- Links open exceptions to what the engine would match their line with now. Refuses: conflict if
-- another process took over the run.
create function private.link_exceptions_to_suggestions(tenant text, reconciliation text, run text,
  attempt integer) returns void
language plpgsql volatile security definer set search_path = '' set enable_sort = off
  set enable_nestloop = off as $$
begin
  perform private.require_attempt(tenant, run, attempt);
  perform private.change_exceptions('edit', array(
    select distinct
      on (exception.id) jsonb_build_object('tenant_id', tenant, 'id', exception.id,
        'suggested_match_id', member.match_id)
    from private.members_of(tenant, private.suggestions_in(tenant, reconciliation)) member
    join private.open_line_exceptions_of(tenant, reconciliation) exception
      on exception.line_no = member.line_no
      and exception.suggested_match_id is distinct from member.match_id
  ));
end $$;
