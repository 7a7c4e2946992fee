-- plain refusals

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.require_version(version bigint, versions jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if jsonb_typeof(versions) = 'array' and not versions @> to_jsonb(version) then
    perform private.refuse('precondition_failed',
      'It has changed since the version in If-Match. Read it again and repeat your change.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.require_free_days(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.lock_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = after.id)
    or exists (select from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = after.id)
  ) then
    perform private.refuse_conflict('has_decisions',
      'The period has matches or excluded lines, so its dates can''t be changed.');
  elsif exists (
    select from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
      and period.period_start <= after.period_end and period.period_end >= after.period_start
  ) then
    perform private.refuse_conflict('periods_overlap',
      'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
      and period.closed_at is not null
      and period.period_start > after.period_end
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, period.pair_no, period.id)
  from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
    and period.period_start > after.period_end;
end $function$;
CREATE OR REPLACE FUNCTION private.guard_period(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.require_computed_fields(after, before);
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null
    and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs pair
    join public.sources left_source on left_source.tenant_id = pair.tenant_id
      and left_source.source_no = pair.left_source_no
      and left_source.id = after.left_source_id
    join public.sources right_source on right_source.tenant_id = pair.tenant_id
      and right_source.source_no = pair.right_source_no
      and right_source.id = after.right_source_id
    where pair.tenant_id = tenant and pair.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id',
      'These are not the sources of this pair. Create the reconciliation with POST /v1/reconciliations.');
  end if;
  perform private.require_free_days(after, before);
end $function$;
CREATE OR REPLACE FUNCTION private.guard_source()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if old.line_count > 0 and (new.currency, new.sign) is distinct from (old.currency, old.sign) then
    perform private.refuse_conflict('source_has_lines',
      'The source has lines, so its currency and sign can''t be changed. Create another source.');
  -- update_source has locked it before: waiting here, with the row locked, would be the wrong
  -- order.
  elsif (new.currency, new.sign) is distinct from (old.currency, old.sign)
    and not pg_try_advisory_xact_lock(private.lock_of_source(old.tenant_id, old.source_no)) then
    perform private.refuse_conflict('lines_changing',
      'Lines of this source are coming in. Wait until that is done, and send the call again.');
  end if;
  if (new.name, new.kind, new.currency, new.time_zone, new.sign, new.mapping, new.grace_days)
    is distinct from (old.name, old.kind, old.currency, old.time_zone, old.sign, old.mapping,
      old.grace_days) then
    new.updated_at := now();
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.store_import_balances(import public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  first_day date;
begin
  with kept as (
    insert into public.source_balances (tenant_id, source_no, currency, account, period_start,
      period_end, opening_minor, closing_minor, import_id, created_by)
    select import.tenant_id, import.source_no, coalesce(stated.currency, source.currency),
      stated.account,
      case when stated.opening_balance_minor is not null then coalesce(stated.period_start,
        stated.period_end) end,
      stated.period_end, stated.opening_balance_minor, stated.closing_balance_minor, import.id,
      import.created_by
    from public.sources source
    cross join jsonb_to_recordset(import.statements) as stated (currency text, account text,
      period_start date, period_end date, opening_balance_minor bigint,
      closing_balance_minor bigint, balance_holds boolean)
    where source.tenant_id = import.tenant_id and source.source_no = import.source_no
      and stated.closing_balance_minor is not null and stated.period_end is not null
      and coalesce(stated.period_start <= stated.period_end, true)
      -- A statement from which a line is missing says nothing about the lines that are there.
      and stated.balance_holds is distinct from false
    returning period_start, period_end
  )
  select min(coalesce(kept.period_start, kept.period_end)) into first_day from kept;
  if first_day is not null then
    perform private.revoke_signatures_of_source(import.tenant_id, import.source_no, first_day,
      'A file with balances was imported.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.state_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'state_source_balance');
  source public.sources;
  balance public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  perform private.serialize_counting('stated_balances');
  if (select count(*) from public.source_balances
    where source_balances.tenant_id = source.tenant_id
      and source_balances.source_no = source.source_no and source_balances.reason is not null)
        >= 4000
  then
    perform private.refuse_conflict('quota',
      'A source can have at most 4,000 recorded balances. Remove some from earlier years.');
  end if;
  insert into public.source_balances (source_no, currency, period_end, closing_minor, reason)
  values (source.source_no, coalesce(input ->> 'currency', source.currency),
    (input ->> 'day')::date,
    (input ->> 'amount_minor')::bigint, input ->> 'reason')
  returning * into balance;
  perform private.record_source_work(source.source_no);
  perform private.revoke_signatures_of_source(source.tenant_id, source.source_no,
    balance.period_end,
    'A balance was recorded.');
  perform private.record_security_event('balance.stated', source.id, balance.reason,
    jsonb_build_object(
    'name', source.name, 'balance_id', balance.id, 'day', balance.period_end,
    'currency', balance.currency,
    'amount_minor', balance.closing_minor));
  return private.finish_request(request, private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance))));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_source_balance');
  source public.sources;
  balance public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  select * into balance from public.source_balances
  where source_balances.tenant_id = source.tenant_id
    and source_balances.source_no = source.source_no and source_balances.id = input ->> 'id'
  for update;
  if not found then
    perform private.refuse_missing('balance');
  end if;
  perform private.require_version(private.version_of(private.source_balance_json(balance)),
    request -> 'versions');
  if balance.import_id is not null then
    perform private.refuse_conflict('stated_by_file',
      'This balance is from a file. Undo its import to remove it.');
  end if;
  delete from public.source_balances where source_balances.tenant_id = balance.tenant_id
    and source_balances.id = balance.id;
  perform private.record_source_work(source.source_no);
  perform private.revoke_signatures_of_source(source.tenant_id, source.source_no,
    balance.period_end,
    'A balance was removed.');
  perform private.record_security_event('balance.removed', source.id, null, jsonb_build_object(
    'name', source.name, 'balance_id', balance.id, 'day', balance.period_end,
    'currency', balance.currency,
    'amount_minor', balance.closing_minor));
  return private.finish_request(request, private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance))));
end $function$;
CREATE OR REPLACE FUNCTION private.require_room(files integer, bytes bigint, database_max_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  waiting record;
begin
  if require_room.files > 0 then
    perform private.serialize_counting('imports');
  end if;
  select count(*) as files,
    coalesce(sum(greatest(import.bytes_total, import.bytes_read)), 0) as bytes into waiting
  from public.imports import
    where import.tenant_id = private.tenant_id()
      and import.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse_conflict('import_queue_full',
      'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database())
    + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable',
      'There is not enough disk space for this file. Nothing was stored.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_undoing(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  import public.imports;
begin
  select * into import
  from public.imports
  where imports.tenant_id = private.tenant_id() and imports.id = $1
    and imports.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if import.status in ('queued', 'reading') then
    update public.imports
    set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where imports.tenant_id = import.tenant_id and imports.id = import.id
    returning * into import;
    delete from private.import_chunks chunk where chunk.tenant_id = import.tenant_id
      and chunk.import_id = import.id;
    return import;
  elsif import.status = 'done' and import.accepted_count <= private.max_lines_in_request() then
    return private.remove_import(import.tenant_id, import.id, private.actor());
  elsif import.status = 'done' then
    -- So that no period of these pairs starts to close unseen.
    perform private.lock_pairs_of_source(import.tenant_id, import.source_no);
    perform private.require_undoable(import.tenant_id, import.source_no,
      private.line_nos_of_import(import.tenant_id, import.id));
    update public.imports
    set status = 'undoing', undone_by = private.actor()
    where imports.tenant_id = import.tenant_id and imports.id = import.id
    returning * into import;
    perform graphile_worker.add_job(
      'undo_import', private.with_request_id(jsonb_build_object('tenant_id', import.tenant_id,
        'import_id', import.id)),
      queue_name => 'source:' || import.tenant_id || ':' || import.source_no, max_attempts => 6,
      flags => private.job_flags(import.tenant_id, 'lines')
    );
    return import;
  end if;
  perform private.refuse_conflict(
    case import.status when 'failed' then 'import_failed' else 'already_undone' end,
      case import.status
    when 'failed' then 'This import failed and stored nothing: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.lock_period(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif period.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform private.require_prepared(tenant, period.pair_no);
  perform private.lock_pair(tenant, period.pair_no);
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation
    for no key update;
  if period.closed_at is not null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif period.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived and can''t be changed.');
  end if;
  perform private.require_not_closing(tenant, period.pair_no, period.id);
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_change_of_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- private.move_suggestions may: suggestions do not belong to what a period closed with.
  if tg_op = 'UPDATE' and current_setting('app.moves_suggestions', true) = 'on' then
    return null;
  end if;
  if exists (
    select from (
      select distinct changed_row.tenant_id, changed_row.reconciliation_id
      from changed changed_row
      where tg_op <> 'DELETE' or tg_table_name <> 'matches'
        or to_jsonb(changed_row) ->> 'state' = 'confirmed'
    ) closed_pair
    join public.reconciliations period on period.tenant_id = closed_pair.tenant_id
      and period.id = closed_pair.reconciliation_id
    where (period.closed_at is not null or period.status = 'archived')
      and not (tg_op = 'DELETE' and private.is_being_reset(period.tenant_id))
  ) then
    perform private.refuse_conflict('period_closed',
      'The period is closed or archived. Reopen a closed one first; an archived one can''t be changed.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.allocate_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  short jsonb;
  taken record;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (item.place - 1), 'message',
      'A line of this match is no longer open.')
  order by item.place) into short
  from unnest(ids) with ordinality as item (id, place)
  where exists (
    select from public.match_members member
    left join private.open_lines open_line on open_line.tenant_id = member.tenant_id
      and open_line.pair_no = member.pair_no
      and open_line.line_no = member.line_no
    where member.tenant_id = tenant and member.match_id = item.id
      and coalesce(
        member.allocated_minor not between least(open_line.open_minor, 0)
          and greatest(open_line.open_minor, 0),
        true)
  ) or exists (
    select from public.match_members member join public.match_members other
      on other.tenant_id = member.tenant_id and other.line_no = member.line_no
        and other.match_id = any (ids) and other.match_id < member.match_id
    where member.tenant_id = tenant and member.match_id = item.id
  );
  if short is not null then
    perform private.refuse_conflict('state_changed',
      'Lines that it needs are no longer open. Nothing was changed.',
      short);
  end if;
  for taken in
    select member.pair_no, array_agg(member.line_no) as line_nos,
      array_agg(member.allocated_minor) as minors
    from public.match_members member where member.tenant_id = tenant and member.match_id = any (ids)
      group by member.pair_no
  loop
    perform private.reduce_open_amounts(tenant, taken.pair_no, taken.line_nos, taken.minors);
  end loop;
  perform private.count_matched(tenant, ids, 1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'Lines were matched.');
end $function$;
CREATE OR REPLACE FUNCTION private.matches_to_decide(action text, filter jsonb, expected integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  found_ids uuid[];
begin
  perform private.find_period(filter ->> 'reconciliation_id');
  select coalesce(array_agg(match.id order by match.id), '{}') into found_ids
  from (
    select match.id from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = filter ->> 'reconciliation_id'
      and match.state = case action when 'undo' then 'confirmed' else 'suggested' end
      and (filter ->> 'method' is null or match.method = filter ->> 'method')
      and (filter ->> 'shape' is null or match.shape = filter ->> 'shape')
      and (filter ->> 'run_id' is null or match.run_id = filter ->> 'run_id')
      and (filter ->> 'score_from' is null or match.score >= private.score(filter ->> 'score_from'))
      and (filter ->> 'score_below' is null
      or match.score < private.score(filter ->> 'score_below'))
    order by match.id limit 5001
  ) match;
  if cardinality(found_ids) > 5000 then
    perform private.refuse_field('filter',
      'The filter finds more than 5,000 matches. Narrow it.');
  elsif cardinality(found_ids) <> expected then
    perform private.refuse_conflict('count_changed',
      format('The filter finds %s matches, not %s. Review them again. Nothing was changed.',
        cardinality(found_ids), expected));
  end if;
  return found_ids;
end $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
begin
  if replayed is not null then
    return replayed;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required',
      'This credential may confirm and reject suggestions, but not undo matches.');
  end if;
  found_ids := case when filter is null then private.match_ids(input -> 'ids')
    else private.matches_to_decide(action, filter, (input ->> 'expected_count')::integer) end;
  return private.finish_request(request, (
    select jsonb_build_object('count', count(*), 'items',
      coalesce(
        jsonb_agg(private.match_json(match)
          order by changed.ordinality) filter (where changed.ordinality <= 500),
        '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality changed
    join public.matches match on match.tenant_id = changed.tenant_id and match.id = changed.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.require_adjustable(period public.reconciliations, adjustments jsonb, larger numeric, currency text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  adjusted constant numeric := (select coalesce(sum(abs((adjustment ->> 'amount_minor')::numeric)),
    0)
    from jsonb_array_elements(coalesce($2, '[]')) adjustment);
  max_count numeric;
begin
  if private.principal_type() = 'user' then
    return;
  elsif adjustments @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required',
      'Only people can write off: sign in as tenant_admin or tenant_lead.');
  end if;
  max_count := private.tolerance_of_pair(period.tenant_id, period.pair_no, larger);
  if adjusted > max_count then
    perform private.refuse('role_required',
      format(
        'An API key can adjust at most %s in minor units of %s here, by the tolerance of the rules, not %s. '
      'Leave the difference open with split_line_id, or have a tenant_admin or tenant_lead match these lines.',
      max_count, currency, adjusted));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  sums record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  match public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What the match takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  period_row := private.lock_period(tenant, period);
  perform private.require_open_in_period(period_row, match_by_hand.line_ids);
  sums := private.sums_of_lines(period_row, match_by_hand.line_ids);
  is_reversal := sums.left_count = 0 or sums.right_count = 0;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  end if;
  if split is null then
    explained := private.explain_difference(explained, sums.left_minor, sums.right_minor,
      sums.fees, sums.currency);
  else
    difference := sums.left_minor - sums.right_minor - private.sum_of_adjustments(explained);
    select part.line_no, part.side, part.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(period_row, match_by_hand.line_ids, split, difference,
      sums.currency) part;
  end if;
  left_taken := sums.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := sums.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when is_reversal then sums.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines add up to more than 9007199254740991 in minor units. Match fewer at a time.');
  end if;
  perform private.require_adjustable(period_row, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), sums.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), period_row.pair_no, period_row.id, 'confirmed',
    private.match_shape(sums.left_count, sums.right_count), 'manual', sums.currency, amount,
    explained,
    match_by_hand.note, private.actor(), now()) returning * into match;
  perform private.take_lines_by_hand(match, match_by_hand.line_ids, split_no, split_minor);
  return match;
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, period_row.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(period_row.id);
  perform private.revoke_signatures(tenant, array[period_row.id], 'A line was excluded.');
  perform private.record_security_event('line.excluded', $1, null,
    jsonb_build_object('reconciliation_id', period_row.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.return_to_suggestions(tenant text, pair integer, ids uuid[], taken boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  select array_agg(distinct member.line_no) into line_nos
  from public.match_members member
  where member.tenant_id = tenant and member.match_id = any (ids);
  if taken then
    perform private.release_open_amounts(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select match.tenant_id, 'match.undone',
      jsonb_build_object('match', private.match_event(match), 'undone_by', private.actor())
    from public.matches match where match.tenant_id = tenant and match.id = any (ids)
    order by match.id;
  elsif exists (
    select from public.match_members member
    left join private.open_lines open_line on open_line.tenant_id = member.tenant_id
      and open_line.pair_no = member.pair_no and open_line.line_no = member.line_no
    where member.tenant_id = tenant and member.match_id = any (ids)
      and coalesce(
        member.allocated_minor not between
          least(open_line.open_minor, 0) and greatest(open_line.open_minor, 0),
        true)
  ) then
    perform private.refuse_conflict('state_changed',
      'One of its lines is no longer open. Nothing was changed.');
  end if;
  delete
  from private.decisions decision
  where decision.tenant_id = tenant and decision.pair_no = pair and decision.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos);
  update public.matches match
  set state = 'suggested', decided_by = null, decided_at = null
  where match.tenant_id = tenant and match.id = any (ids);
  if taken then
    perform private.reopen_line_exceptions(tenant, pair, line_nos);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.request_run(reconciliation text, trial jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  requested_run public.runs;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = reconciliation
    for no key update;
  if period.closed_at is not null and trial is null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif period.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived and can''t be changed.');
  end if;
  if trial is null then
    perform private.require_not_closing(period.tenant_id, period.pair_no, period.id);
    select * into requested_run from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.status = 'queued'
      and run.dry_run is null;
    if found then
      return requested_run;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage)
  values (period.id, period.pair_no, trial, 'queued')
  returning * into requested_run;
  perform private.queue_run(period.tenant_id, period.pair_no, period.id,
    case when trial is not null then requested_run.id end, interval '0');
  return requested_run;
end $function$;
CREATE OR REPLACE FUNCTION private.require_no_run(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.run_is_under_way(period) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is in progress. Sign when it is done.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.prepare_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'prepare_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(period) ->> 'state' <> 'open' then
    perform private.refuse_conflict('already_prepared',
      'The period is already prepared. Send it back first to prepare it again.');
  end if;
  perform private.require_no_run(period);
  perform private.require_checks(period);
  perform private.sign_period(period, 'prepared', 0, input ->> 'note');
  perform private.emit(period.tenant_id, 'reconciliation.prepared',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION public.review_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'review_reconciliation');
  period public.reconciliations;
  sign_off jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  sign_off := private.sign_off_json(period);
  if sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'The period is not prepared. Prepare it first.');
  elsif jsonb_array_length(sign_off -> 'signatures') > greatest((sign_off ->> 'levels')::integer, 1)
  then
    perform private.refuse_conflict('already_reviewed',
      'The period has all the reviews that its policy requires. Close it now.');
  elsif exists (
    select from jsonb_array_elements(sign_off -> 'signatures') signature
    where signature ->> 'issuer' = private.actor_issuer()
      and signature ->> 'subject' = private.actor_subject()
  ) then
    perform private.refuse_conflict('second_person_required',
      'You have signed this period already. Ask someone else to review it.');
  elsif private.requires_second_person(period) and private.worked_in_period(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. Someone who did not has to review it.');
  end if;
  perform private.require_no_run(period);
  perform private.sign_period(period, 'reviewed', jsonb_array_length(sign_off -> 'signatures'),
    input ->> 'note');
  perform private.emit(period.tenant_id, 'reconciliation.reviewed',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION public.return_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'return_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(period) ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'Nobody has signed this period, so it can''t be sent back.');
  end if;
  perform private.revoke_signatures(period.tenant_id, array[period.id], input ->> 'reason');
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_people(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(period) and private.worked_in_period(period)),
      'block', null,
      case when not private.requires_second_person(period)
        then 'The policy requires no second person.'
        when private.worked_in_period(period)
          then 'You worked in this period. Someone else has to close it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        sign_off.levels = 0 or sign_off.reviews >= sign_off.levels, 'block', sign_off.reviews,
        case when sign_off.levels = 0 then 'The policy requires no review.'
          when sign_off.state = 'open' then 'The period is not prepared.'
          else format('%s of %s signed.', sign_off.reviews,
            private.pluralize(sign_off.levels, 'review is', 'reviews are')) end)
      from (
        select (sign_off ->> 'levels')::integer as levels, sign_off ->> 'state' as state,
          (select count(*) from jsonb_array_elements(sign_off -> 'signatures') signature
            where signature ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(period) sign_off
      ) sign_off
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_files(coverage jsonb, weights jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance text;
begin
  select sum((source_coverage ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', source_coverage ->> 'name',
      coalesce(source_coverage ->> 'until', 'the period began')), '; ')
      filter (where (source_coverage ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(source_coverage -> 'breaks')),
    string_agg(source_coverage ->> 'name', ' and ') filter (
      where not (source_coverage ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
  from jsonb_array_elements(coverage) source_coverage;
  return jsonb_build_array(
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides have data up to the last business day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('The balance of %s is unknown. Record it, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.pluralize(break_count,
          'statement does not continue the one before.',
          'statements do not continue the one before.')
        else 'All balances are known, and each statement continues the one before.' end)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(period.tenant_id, period.pair_no) -> 'checks';
  preview constant jsonb := private.close_preview(period);
  totals constant jsonb := private.statement_totals(period);
  unexplained bigint;
begin
  select count(*) into unexplained from jsonb_array_elements(totals -> 'differences') difference
  where coalesce(nullif(difference -> 'unexplained_minor', 'null'),
    difference -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.pluralize((preview ->> 'days_until_over')::bigint, 'day', 'days')) end)
  ) || private.checks_of_files(private.coverage_of(period), weights) || jsonb_build_array(
    private.check_json('suggestions', preview -> 'suggestions_count' = '0',
      weights ->> 'suggestions', (preview ->> 'suggestions_count')::bigint,
      case when preview -> 'suggestions_count' = '0' then 'No suggestions are waiting.'
        else private.pluralize((preview ->> 'suggestions_count')::bigint,
          'suggestion is waiting for a decision and moves to the next period.',
          'suggestions are waiting for a decision and move to the next period.') end),
    private.check_json('exceptions', preview -> 'open_exceptions' = '0',
      weights ->> 'exceptions', (preview ->> 'open_exceptions')::bigint,
      case when preview -> 'open_exceptions' = '0' then 'No exceptions are open.'
        else private.pluralize((preview ->> 'open_exceptions')::bigint,
          'exception is open and moves to the next period with its lines.',
          'exceptions are open and move to the next period with their lines.') end),
    private.check_json('difference', unexplained = 0, weights ->> 'difference', unexplained,
      case when unexplained = 0 then 'Nothing is unexplained.'
        else format('A difference is unexplained in %s.',
          private.pluralize(unexplained, 'currency', 'currencies')) end),
    (
      select private.check_json('evidence', adjusted.missing = 0,
        coalesce(weights ->> 'evidence', 'warn'), adjusted.missing,
        case when adjusted.missing = 0 then 'No required evidence is missing.'
          else private.pluralize(adjusted.missing, 'adjusted match has no evidence.',
            'adjusted matches have no evidence.') end)
      from private.missing_evidence(period) adjusted (missing)
    )
  ) || private.checks_of_people(period);
end $function$;
CREATE OR REPLACE FUNCTION private.require_checks(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(period.tenant_id, period.pair_no) -> 'checks';
  failed text;
begin
  -- Most policies only warn, and sums over a million lines take seconds.
  if not exists (select from jsonb_each_text(weights) weight_of_check
    where weight_of_check.value = 'block') then
    return;
  end if;
  select string_agg(outcome ->> 'detail', ' ') into failed
  from jsonb_array_elements(private.checks_of(period)) outcome
  where outcome ->> 'outcome' = 'block'
    and outcome ->> 'check' not in ('second_person', 'signatures');
  if failed is not null then
    perform private.refuse_conflict('checklist_incomplete', failed
      || ' The policy of these sources does not allow signing or closing before that.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.get_checklist(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_checklist');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    perform private.refuse_conflict('period_closed',
      'The period is closed, so it has no checklist.');
  end if;
  return jsonb_build_object('items', private.checks_of(period),
    'sources', private.coverage_of(period),
    'sign_off', private.sign_off_json(period));
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_end < period.period_start and reconciliations.closed_at is null
      and reconciliations.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(period) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is in progress. Close it when the run is done.');
  elsif exists (
    select from public.pairs pair
    join public.imports import on import.tenant_id = pair.tenant_id
      and import.source_no in (pair.left_source_no, pair.right_source_no)
      and import.status = 'undoing'
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(period);
  perform private.require_checks(period);
  if private.requires_second_person(period) and private.worked_in_period(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added '
      'lines in this period. Someone who did not has to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.find_view(id text, to_change boolean DEFAULT false)
 RETURNS public.views
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  saved_view public.views;
  caller constant text := auth.jwt() ->> 'principal_id';
begin
  select * into saved_view
  from public.views
  where views.tenant_id = private.tenant_id() and views.id = $1
    and (views.shared or views.principal_id = caller);
  if not found then
    perform private.refuse_missing('view');
  elsif to_change then
    select * into saved_view from public.views where views.tenant_id = private.tenant_id()
      and views.id = $1
      and (views.principal_id = caller or views.shared and auth.jwt() -> 'roles' ? 'tenant_admin')
    for update;
    if not found then
      perform private.refuse('role_required',
        'Only the creator of this view or an admin can change it. Save your own instead.');
    end if;
  end if;
  return saved_view;
end $function$;
CREATE OR REPLACE FUNCTION public.put_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  moved record;
  impact jsonb;
begin
  perform private.begin_request(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array'
    and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format(
        'The policy has changed since the version in If-Match, last by %s. Read it again and repeat your change.',
        before.updated_by));
  end if;
  after := private.changed_policy(before, input);
  select array_agg(deadline.id) as ids, array_agg(deadline.severity) as severities,
    array_agg(deadline.calendar_id) as calendars, array_agg(deadline.calendar_no) as calendar_nos,
    array_agg(deadline.due_at) as due_ats, array_agg(deadline.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) deadline;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    after := private.store_policy(before, after);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos,
        moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
  end if;
  return private.sla_policy_json(after)
    || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $function$;
CREATE OR REPLACE FUNCTION private.require_evidence_room(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  subject constant jsonb := private.evidence_subject(input ->> 'subject_id');
  before public.evidence;
begin
  perform private.serialize_counting('evidence');
  if (select count(*) from public.evidence
    where evidence.tenant_id = tenant and evidence.subject_id = input ->> 'subject_id'
      and evidence.removed_at is null) >= 50
  then
    perform private.refuse_conflict('quota', format(
      'There can be at most 50 files of evidence for one %s. Remove one, or combine several in a PDF.',
      subject ->> 'type'));
  end if;
  perform private.require_quota('evidence_mib',
    ceil((input ->> 'bytes')::numeric / 1048576)::bigint);
  if input ->> 'supersedes' is not null then
    before := private.find_evidence(input ->> 'supersedes');
    if before.subject_id <> input ->> 'subject_id' then
      perform private.refuse_field('supersedes', 'Name a file of the same subject.');
    elsif exists (select from public.evidence where evidence.tenant_id = tenant
      and evidence.supersedes = before.id and evidence.removed_at is null) then
      perform private.refuse_conflict('already_superseded',
        'Another file has superseded this one. Supersede the newest.');
    end if;
  end if;
  return subject;
end $function$;
CREATE OR REPLACE FUNCTION public.remove_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_evidence');
  tenant constant text := private.tenant_id();
  subject jsonb;
  attachment public.evidence;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  attachment := private.find_evidence(input ->> 'id');
  subject := private.evidence_subject(attachment.subject_id);
  perform from public.evidence where evidence.tenant_id = tenant and evidence.id = attachment.id
    for update;
  attachment := private.find_evidence(attachment.id);
  answer := private.evidence_json(attachment);
  perform private.require_version(private.version_of(answer), request -> 'versions');
  if (answer ->> 'is_signed')::boolean then
    perform private.refuse_conflict('evidence_signed',
      'A signed statement lists this file, so it can''t be removed. Add another file that supersedes it.');
  elsif answer ->> 'superseded_by' is not null then
    perform private.refuse_conflict('already_superseded',
      'Another file has superseded this one. Remove that one first.');
  end if;
  delete from private.evidence_contents contents
  where contents.tenant_id = tenant and contents.evidence_id = attachment.id;
  update public.evidence set removed_at = now(), removed_by = private.actor(),
    removed_reason = input ->> 'reason'
  where evidence.tenant_id = tenant and evidence.id = attachment.id;
  if subject ->> 'reconciliation_id' is not null then
    perform private.revoke_signatures(tenant, array(
      select period.id from public.reconciliations period
      where period.tenant_id = tenant and period.id = subject ->> 'reconciliation_id'
        and period.closed_at is null
    ), left(format('Evidence was removed: %s', attachment.file_name), 1000));
  end if;
  perform private.record_evidence('evidence.removed', attachment, subject, input ->> 'reason');
  return private.finish_request(request, answer
    || jsonb_build_object('version', private.version_of(answer), 'bucket', attachment.bucket));
end $function$;
CREATE OR REPLACE FUNCTION private.require_connection(connection public.connections)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  fitting constant text[] := case connection.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (connection.kind = 'mail') <> (cardinality(connection.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Required for mail, otherwise not allowed.');
  elsif connection.kind <> 'mail'
    and (connection.kind = 'sftp') <> starts_with(connection.address, 'sftp:') then
    perform private.refuse_field('address', case connection.kind when 'sftp' then
      'Enter an sftp address, such as sftp://sftp.bank.example/outgoing.' else
      'Enter an https address.' end);
  elsif connection.auth <> all (fitting) then
    perform private.refuse_field('auth', format('With %s, send one of: %s.', connection.kind,
      array_to_string(fitting, ', ')));
  elsif connection.auth in ('password', 'private_key', 'access_key')
    and connection.user_name is null then
    perform private.refuse_field('user_name', case connection.kind when 's3' then
      'Enter the ID of the access key.' else 'Enter the name to sign in with.' end);
  elsif connection.auth = 'signed_query' and strpos(connection.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif connection.kind = 's3' and connection.region is null then
    perform private.refuse_field('region', 'Enter the region of the bucket.');
  elsif connection.kind in ('https', 'mail') and connection.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.',
      connection.kind));
  elsif (connection.afterwards = 'move') <> (connection.move_to is not null) then
    perform private.refuse_field('move_to',
      'Required with afterwards: move, otherwise not allowed.');
  elsif connection.host_key is not null and connection.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif connection.schedule ->> 'calendar_id' is not null
    and private.current_calendar_no(connection.tenant_id,
    connection.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.update_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_connection');
  patch constant jsonb := input -> 'patch';
  before public.connections;
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(before), request -> 'versions');
  connection := jsonb_populate_record(before, patch);
  connection.schedule := nullif(connection.schedule, 'null');
  if patch ->> 'afterwards' in ('leave', 'delete') and not patch ? 'move_to' then
    connection.move_to := null;
  end if;
  if before.status = 'stopped' and patch ? 'host_key' and not patch ? 'status' then
    connection.status := 'active';
  end if;
  if connection.kind = 'mail' and connection.address <> before.address then
    perform private.refuse_field('address', 'The address of a mailbox can''t be changed.');
  end if;
  perform private.require_connection(connection);
  if substring(connection.address from '^[a-z0-9]+://[^/?#]+')
    <> substring(before.address from '^[a-z0-9]+://[^/?#]+') and not patch ? 'host_key' then
    connection.host_key := null;
  end if;
  connection := private.write_connection(before, connection, patch);
  return private.finish_request(request, private.versioned_connection_json(connection));
end $function$;
CREATE OR REPLACE FUNCTION public.fetch_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'fetch_connection');
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  connection := private.lock_connection(input ->> 'id');
  if connection.status = 'stopped' then
    perform private.refuse_conflict('host_key_changed',
      'The server presented a different host key. Check it with the bank, then set host_key.');
  end if;
  if connection.kind = 'mail' then
    perform private.refuse_conflict('not_fetched',
      'Mail can''t be fetched: ask the sender to send the file to the address.');
  end if;
  perform private.queue_look(connection, true);
  perform private.record_security_event('connection.fetch_requested', connection.id, null,
    jsonb_build_object('name', private.connection_facts(connection) -> 'name'));
  return private.finish_request(request, private.connection_json(connection));
end $function$;
CREATE OR REPLACE FUNCTION private.check_push_settings(ledger jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if ledger #>> '{push,connection_id}' is not null and not exists (
    select from public.connections connection
    where connection.tenant_id = private.tenant_id()
      and connection.id = ledger #>> '{push,connection_id}'
      and connection.kind in ('sftp', 's3') and connection.deleted_at is null
  ) then
    perform private.refuse_field('ledger.push.connection_id',
      'Choose an SFTP or S3 connection: files can only be written there.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.create_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_invitation');
  created public.invitations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_live_tenant(
    'No mail leaves a sandbox. Invite people to its live tenant: they can use the sandbox, too.');
  perform private.serialize_counting('invitation_mails');
  perform private.require_quota('members');
  if private.is_member_address(input ->> 'email') then
    perform private.refuse_conflict('already_member',
      'This person is already a member. Change their roles instead.');
  end if;
  update public.invitations invitation set revoked_at = now(), revoked_by = private.actor()
  where invitation.tenant_id = private.tenant_id() and invitation.email = input ->> 'email'
    and invitation.accepted_at is null
    and invitation.revoked_at is null
    and invitation.expires_at <= now();
  insert into public.invitations (email, roles)
  values (input ->> 'email', private.text_array(input -> 'roles'))
  on conflict (tenant_id, email) where accepted_at is null and revoked_at is null do nothing
  returning * into created;
  if not found then
    perform private.refuse_conflict('invitation_open',
      'This address has an invitation that is still open. Resend that one, or revoke it first.');
  end if;
  perform private.send_invitation(created.id);
  perform private.record_security_event('member.invited', created.id, null,
    jsonb_build_object('email', created.email, 'roles', created.roles));
  return private.finish_request(request,
    private.invitation_json(created)
      || jsonb_build_object('version', private.invitation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.create_sandbox(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_sandbox');
  sandbox constant text := private.tenant_id() || '.sandbox';
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_live_tenant('This is already a sandbox. Create one from a live tenant.');
  insert into public.tenants (id, name)
  select sandbox, tenant.name from public.tenants tenant where tenant.id = private.tenant_id()
  on conflict do nothing;
  if found then
    insert into public.sla_policies (tenant_id) values (sandbox);
    perform private.record_security_event('sandbox.created');
  end if;
  return private.finish_request(request,
    jsonb_build_object('tenant_id', sandbox, 'reconciliation_id', null));
end $function$;
CREATE OR REPLACE FUNCTION private.lock_sandbox()
 RETURNS public.tenants
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  sandbox public.tenants;
begin
  select * into sandbox from public.tenants
  where tenants.id = tenant and tenants.kind = 'sandbox' for no key update;
  if not found then
    perform private.refuse_conflict('tenant_kind',
      'Only a sandbox can be reset, and this tenant is live. Nothing was deleted.');
  end if;
  perform private.lock_sources_exclusively(tenant,
    array(select source.source_no from public.sources source where source.tenant_id = tenant));
  perform from public.pairs pair where pair.tenant_id = tenant order by pair.pair_no for update;
  -- Otherwise a matcher could begin a run after the check below.
  perform from public.runs run where run.tenant_id = tenant and run.status = 'queued'
  order by run.id for update;
  if exists (select from public.runs run where run.tenant_id = tenant and run.status = 'running')
    or exists (select from public.imports import
      where import.tenant_id = tenant and import.status in ('reading', 'undoing'))
    or exists (select from public.pairs pair
      where pair.tenant_id = tenant and pair.opening is not null)
    or exists (select from private.closing_requests closing_request
      where closing_request.tenant_id = tenant and closing_request.failure is null) then
    perform private.refuse_conflict('sandbox_busy',
      'A run, import or close is in progress in this sandbox. Try again when it is done.');
  end if;
  return sandbox;
end $function$;
