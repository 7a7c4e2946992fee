-- Excluding lines from a period, and including them again.

-- The period in which a line is excluded or matched now: the earliest open one that reaches its
-- day. Refuses: not_found for a line the tenant does not have; invalid_request if the source
-- belongs to several pairs and none is named; conflict if no period is open.
create function private.open_period_of_line(id text, reconciliation text) returns text
language plpgsql stable set search_path = '' as $$
declare
  line public.lines;
  pairs integer[];
  period text;
begin
  select * into line
  from public.lines
  where lines.tenant_id = private.tenant_id() and lines.id = private.line_id($1);
  if not found then
    perform private.refuse_missing('line');
  end if;
  if reconciliation is not null then
    perform
    from public.reconciliations
    join public.pairs pair on pair.tenant_id = reconciliations.tenant_id
      and pair.pair_no = reconciliations.pair_no
    where reconciliations.tenant_id = line.tenant_id and reconciliations.id = reconciliation
      and line.source_no in (pair.left_source_no, pair.right_source_no);
    if not found then
      perform private.refuse_field('reconciliation_id',
        'There is no such reconciliation of the line''s source.');
    end if;
    return reconciliation;
  end if;
  select array_agg(pair.pair_no) into pairs from public.pairs pair
  where pair.tenant_id = line.tenant_id
    and line.source_no in (pair.left_source_no, pair.right_source_no);
  if cardinality(pairs) > 1 then
    perform private.refuse_field('reconciliation_id',
      'The line''s source is compared with several others: name the reconciliation.');
  end if;
  select reconciliations.id into period from public.reconciliations
  where reconciliations.tenant_id = line.tenant_id and reconciliations.pair_no = any (pairs)
    and reconciliations.closed_at is null and reconciliations.status <> 'archived'
    and reconciliations.period_end >= line.value_date
  order by reconciliations.period_end limit 1;
  if not found then
    perform private.refuse_conflict('no_open_period',
      'No reconciliation of the line''s source is open for its day.');
  end if;
  return period;
end $$;
grant execute on function private.open_period_of_line(text, text) to authenticated;

-- Excludes the open amount of a line from a period. Records: line.excluded. Refuses: conflict if
-- none of it is open, or another period excluded part of it.
create function private.exclude_line(id text, period text, reason text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  open_line private.open_lines;
begin
  period_row := private.lock_period(tenant, period);
  delete from private.open_lines using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and open_lines.tenant_id = tenant
    and open_lines.pair_no = period_row.pair_no and open_lines.line_no = line.line_no
    and open_lines.value_date <= period_row.period_end
  returning open_lines.* into open_line;
  if not found then
    perform private.refuse_conflict('line_not_open',
      'This line has no open amount in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone later.
  insert into public.exclusions as exclusion (tenant_id, pair_no, line_no, reconciliation_id, side,
    currency, excluded_minor, reason)
  values (tenant, period_row.pair_no, open_line.line_no, period_row.id, open_line.side,
    open_line.currency, open_line.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no)
    do update set excluded_minor = exclusion.excluded_minor + excluded.excluded_minor,
    reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where exclusion.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse_conflict('excluded_elsewhere',
      'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, period_row.pair_no, array[open_line.line_no]);
  perform private.resolve_line_exceptions(tenant, period_row.pair_no, array[open_line.line_no],
    left('Excluded: ' || $3, 1000));
  insert into private.decisions (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, period_row.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(period_row.id);
  perform private.revoke_signatures(tenant, array[period_row.id], 'A line was excluded.');
  perform private.record_security_event('line.excluded', $1, null,
    jsonb_build_object('reconciliation_id', period_row.id, 'reason', $3));
end $$;

-- Undoes an exclusion; returns its period. Records: line.included. Refuses: conflict if the line is
-- not excluded.
create function private.include_line(id text, period text, reason text) returns text
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  exclusion public.exclusions;
begin
  select current_period.* into period_row from public.lines line
  join public.exclusions on exclusions.tenant_id = line.tenant_id
    and exclusions.line_no = line.line_no
  join public.reconciliations current_period on current_period.tenant_id = exclusions.tenant_id
    and current_period.id = exclusions.reconciliation_id
  where line.tenant_id = tenant and line.id = private.line_id($1)
    and (period is null or current_period.id = period)
  order by current_period.period_end desc limit 1;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  period_row := private.lock_period(tenant, period_row.id);
  delete from public.exclusions using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and exclusions.tenant_id = tenant
    and exclusions.pair_no = period_row.pair_no and exclusions.line_no = line.line_no
  returning exclusions.* into exclusion;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select tenant, exclusion.pair_no, line.line_no, exclusion.side, line.currency,
    case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end,
    exclusion.excluded_minor, line.value_date
  from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
  where line.tenant_id = tenant and line.line_no = exclusion.line_no
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, exclusion.pair_no, array[exclusion.line_no]);
  update private.decisions decision set undone_at = now(), undone_by = private.actor()
  where decision.tenant_id = tenant and decision.line_id = private.line_id($1)
    and decision.reconciliation_id = period_row.id and decision.undone_at is null;
  perform private.record_period_work(period_row.id);
  perform private.revoke_signatures(tenant, array[period_row.id], 'A line was included again.');
  perform private.record_security_event('line.included', $1, null,
    jsonb_build_object('reconciliation_id', period_row.id, 'reason', $3));
  return period_row.id;
end $$;

-- The line with its state in the period's pair.
create function private.line_of_period(id text, period text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select private.lines_json(line.tenant_id, reconciliations.pair_no, array[line.line_no]) -> 0
    from public.lines line
    join public.reconciliations on reconciliations.tenant_id = line.tenant_id
      and reconciliations.id = period
    where line.tenant_id = private.tenant_id() and line.id = private.line_id($1)
  );
end $$;

-- input: { id, reason, reconciliation_id }. Returns the line. Refuses: not_found, conflict,
-- invalid_request.
create function public.exclude_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'exclude_line');
  period text;
begin
  if replayed is not null then
    return replayed;
  end if;
  period := private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id');
  perform private.exclude_line(input ->> 'id', period, input ->> 'reason');
  return private.finish_request(request, private.line_of_period(input ->> 'id', period));
end $$;

-- input: { id, reason, reconciliation_id }. Returns the line. Refuses: not_found, conflict.
create function public.include_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'include_line');
  period text;
begin
  if replayed is not null then
    return replayed;
  end if;
  if not exists (select from public.lines line
    where line.tenant_id = private.tenant_id() and line.id = private.line_id(input ->> 'id')) then
    perform private.refuse_missing('line');
  end if;
  period := private.include_line(input ->> 'id', input ->> 'reconciliation_id', input ->> 'reason');
  return private.finish_request(request, private.line_of_period(input ->> 'id', period));
end $$;
