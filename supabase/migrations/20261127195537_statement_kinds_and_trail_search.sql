-- Statements by kind of outstanding item, events of finished imports, a search of the audit log by
-- an index.

-- The index needs its function. Building it takes seconds for a million events, during which
-- events wait.
create function private.security_event_search_text(actor text, target text, reason text,
  details jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lower(concat_ws(' ', actor, target, reason, details ->> 'name',
    details ->> 'target_name', details ->> 'reconciliation_name', details ->> 'file_name',
    details ->> 'email', details ->> 'url'));
end $$;
create index security_events_by_words on public.security_events
  using gin (private.security_event_search_text(actor, target, reason, details)
    extensions.gin_trgm_ops)
where seq is not null;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.queue_look(public.connections,boolean);
drop function private.security_event_search_text(public.security_events);
drop function private.end_look(text,text,text,jsonb);
drop function private.begin_look(text,text,boolean);
drop function private.queue_due_looks(integer);
drop function private.next_look(jsonb,text,jsonb,timestamp with time zone,interval,boolean);
drop function private.insert_of_staged(boolean);
CREATE OR REPLACE FUNCTION private.narrow_events_by_search(search text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_count constant integer := 5000;
  numbers bigint[];
begin
  if not private.may('read:security-events') then
    return '{}';
  elsif not private.has_trigrams(search) then
    return null;
  end if;
  execute format(
    'select array(select event.seq from public.security_events event
      where event.tenant_id = %L and event.seq is not null and %s limit %s)',
    private.tenant_id(), (
      select string_agg(format(
        'private.security_event_search_text(actor, target, reason, details) like %L', pattern),
        ' and ')
      from unnest(private.word_patterns(search)) pattern
    ), max_count + 1) into numbers;
  return case when cardinality(numbers) <= max_count then numbers end;
end $function$;
CREATE OR REPLACE FUNCTION private.security_events_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  words constant text[] := private.word_patterns(input ->> 'q');
  found_numbers constant bigint[] := case when words <> '{}' then
    private.narrow_events_by_search(input ->> 'q') end;
  items jsonb;
begin
  select jsonb_agg(private.security_event_json(event)
    order by event.at desc, event.seq desc) into items
  from (
    select * from public.security_events event
    where event.tenant_id = private.tenant_id() and event.seq is not null
      and (input -> 'after' ->> 0 is null
      or (event.at, event.seq) < ((input -> 'after' ->> 0)::timestamptz,
        (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or event.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or event.type = input ->> 'type')
      and (kind is null or starts_with(event.type, kind))
      and (input ->> 'actor' is null or event.actor = input ->> 'actor')
      and (input ->> 'target' is null or event.target = input ->> 'target')
      and (found_numbers is null or event.chain = private.tenant_id()
        and event.seq = any (found_numbers))
      and (words = '{}' or found_numbers is not null
        or private.security_event_search_text(event.actor, event.target, event.reason,
          event.details) like all (words))
      and (input ->> 'cross_tenant' is null
      or event.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or event.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or event.at < (input ->> 'until')::timestamptz)
    order by event.at desc, event.seq desc
    limit page_size + 1
  ) event;
  return private.page(items, page_size, 'at', 'seq');
end $function$;
CREATE OR REPLACE FUNCTION private.insert_of_staged(skips_known boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $sql$
    with kept as (
      insert into public.lines as line (
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, fee_minor,
        currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1,
        private.line_identity($4, staged.key,
          coalesce(repeated.nth, 1) - (staged.external_id is not null)::integer),
        $2, staged.file_line, $3,
        staged.external_id, staged.amount_minor, staged.fee_minor, staged.currency,
        staged.value_date, staged.booked_date,
        staged.reference, staged.counterparty, staged.description, staged.group_key,
        nullif(staged.details, '{}')
      from pg_temp.staged_lines staged
      left join pg_temp.repeated_lines repeated on repeated.position = staged.position
      where staged.is_second_pass = $6
        and (staged.external_id is null or staged.id_is_shared or coalesce(repeated.nth, 1) = 1)
  $sql$ || case when skips_known then 'on conflict on constraint lines_pkey do nothing' else '' end
    || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select $1, pair.pair_no, kept_line.line_no,
        case pair.left_source_no when $2 then 'left' else 'right' end,
        kept_line.currency, effective, effective, kept_line.value_date
      from kept kept_line cross join public.pairs pair
      cross join lateral (
        select case $5 when 'inverted' then -kept_line.amount_minor else kept_line.amount_minor
          end as effective) amount
      where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
    ), waiting as (
      insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
      select $1, $2, min(kept_line.line_no), max(kept_line.line_no)
      from kept kept_line having count(*) > 0
    )
    select count(*), case when $3 is null then coalesce(array_agg(kept_line.id), '{}') end,
      min(kept_line.line_no), max(kept_line.line_no)
    from kept kept_line
  $sql$;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_new_staged_lines(source public.sources, import_id text, is_second_pass boolean, OUT accepted bigint, OUT kept_ids uuid[], OUT first_no bigint, OUT last_no bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  begin
    execute private.insert_of_staged(is_second_pass or source.line_count > 0 or import_id is null)
      into accepted, kept_ids, first_no, last_no
      using source.tenant_id, source.source_no, import_id, source.id, source.sign, is_second_pass;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids, first_no, last_no
      using source.tenant_id, source.source_no, import_id, source.id, source.sign, is_second_pass;
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_staged_lines(tenant_id text, source_no integer, import_id text, ids_are_unique boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  stored record;
  stored_again record;
  accepted bigint;
  conflict_count bigint := 0;
  conflicts jsonb := '[]';
begin
  perform private.lock_source($1, $2);
  select * into strict source from public.sources where sources.tenant_id = $1
    and sources.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file($1, source.id);
  end if;
  perform private.number_repeated_lines(false);
  select * into stored from private.insert_new_staged_lines(source, $3, false);
  accepted := stored.accepted;
  if accepted < staged and not ids_are_unique
    and private.mark_ids_reused_in_source($1, source.id) > 0 then
    perform private.number_repeated_lines(true);
    select * into stored_again from private.insert_new_staged_lines(source, $3, true);
    accepted := accepted + stored_again.accepted;
    stored.first_no := least(stored.first_no, stored_again.first_no);
    stored.last_no := greatest(stored.last_no, stored_again.last_no);
  elsif accepted < staged and ids_are_unique then
    select conflict.conflict_count, conflict.conflicts into conflict_count, conflicts
    from private.conflicts_of_staged($1, source.id) conflict;
  end if;
  if accepted > 0 then
    perform private.count_arrived($1, $2, accepted, stored.first_no, stored.last_no);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count,
    'conflicts', conflicts, 'conflict_count', conflict_count,
    'items', case when $3 is null then private.items_of_staged(source.id, stored.kept_ids) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.line_page_statement(stands text, page text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no)
          and p.opening is null order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end, page);
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
  is_searched boolean := false;
  is_changed boolean := false;
  stands text;
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
  found_lines := coalesce(found_lines, private.narrow_by_state(period, state, source_nos, 5000));
  stands := case when found_lines is null then private.lines_by_state(period, state) end;
  return query execute private.line_page_statement(stands, private.line_page(period, state, stands,
      found_lines is not null, after_date is not null,
      concat_ws(' and ', private.line_field_filters(input),
        private.line_period_filters(period, state, stands is not null),
        case when since is not null and not is_changed then private.line_changed_since() end,
        case when search is not null and not is_searched
          then private.line_search(search, 'private.line_text(x)') end)))
  using tenant, input, period, source_nos, found_lines, after_date, after_no, max_count, since,
    first_no;
end $function$;
CREATE OR REPLACE FUNCTION private.record_import_end(import public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.write_security_event(
    private.new_id('sev'), import.tenant_id,
    case import.status when 'done' then 'import.finished' else 'import.failed' end,
    import.id, null,
    jsonb_strip_nulls(jsonb_build_object(
      'file_name', import.file_name, 'format', import.format,
      'sha256', (
        select event.details -> 'sha256' from public.security_events event
        where event.tenant_id = import.tenant_id and event.target = import.id
          and event.type = 'import.created' and event.seq is not null
        limit 1
      ),
      'source_id', (
        select source.id from public.sources source
        where source.tenant_id = import.tenant_id and source.source_no = import.source_no
      ),
      'read_count', import.read_count, 'accepted_count', import.accepted_count,
      'duplicate_count', import.duplicate_count, 'skipped_count', import.skipped_count,
      'refused_count', import.refused_count, 'failure', import.failure)));
end $function$;
CREATE OR REPLACE FUNCTION private.finish_import(tenant_id text, import_id text, outcome jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  import public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict import from public.imports where imports.tenant_id = $1 and imports.id = $2;
  kept := private.insert_staged_lines($1, import.source_no, $2,
    private.ids_are_unique(import.format));
  update public.imports set
    status = 'done', finished_at = now(), bytes_read = imports.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_items(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'line', conflict -> 'file_line', 'field', 'external_id', 'message', format(
          'A line with this external_id has another amount. Found "%s", expected %s.',
          conflict ->> 'found', conflict ->> 'wanted'
        )
      )), '[]') from jsonb_array_elements(kept -> 'conflicts') conflict
    ), 100),
    skips = private.first_items(outcome -> 'skips', 100),
    warnings = case when (kept ->> 'accepted')::bigint = 0 and outcome ? 'nothing_stored'
      then jsonb_build_array(outcome -> 'nothing_stored') else '[]' end
      || coalesce(outcome -> 'warnings', '[]'),
    statements = private.first_items(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where imports.tenant_id = $1 and imports.id = $2 and imports.status = 'reading'
  returning * into import;
  if not found then
    return (select imports.status from public.imports
      where imports.tenant_id = $1 and imports.id = $2);
  end if;
  delete from private.import_chunks chunk where chunk.tenant_id = $1 and chunk.import_id = $2;
  update public.sources source
  set last_import_at = now()
  where source.tenant_id = $1 and source.source_no = import.source_no;
  perform private.store_import_balances(import);
  perform private.record_import_end(import);
  perform private.emit_import_done(import);
  return 'done';
end $function$;
CREATE OR REPLACE FUNCTION private.fail_import(tenant_id text, import_id text, failure text, refusals jsonb DEFAULT '[]'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  import public.imports;
begin
  update public.imports set
    status = 'failed', finished_at = now(), failure = fail_import.failure,
    refusals = private.first_items(fail_import.refusals, 100)
  where imports.tenant_id = $1 and imports.id = $2 and imports.status in ('queued', 'reading')
  returning * into import;
  if found then
    delete from private.import_chunks chunk where chunk.tenant_id = $1 and chunk.import_id = $2;
    perform private.record_import_end(import);
    perform private.emit_import_done(import);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.update_found_matches(tenant text, run text, ids uuid[], states text[], methods text[], settled boolean[], scores real[], margins real[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], adjustments jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.matches match
  set run_id = run, method = item.method, settled = item.settled, score = item.score,
    margin = item.margin, residual_minor = item.residual,
    adjustments = coalesce(update_found_matches.adjustments -> item.id::text, '[]'),
    explanation = explanations -> item.id::text, hash_high = item.high, hash_low = item.low
  from unnest(ids, states, methods, update_found_matches.settled, scores, margins, residuals, highs,
    lows) as item (id, state, method, settled, score, margin, residual, high, low)
  where match.tenant_id = tenant and match.id = item.id and match.decided_by is null
    and match.state = item.state;
end $function$;
CREATE OR REPLACE FUNCTION private.undo_undecided_matches(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if cardinality(ids) > 0 then
    perform private.undo_matches(tenant, array(
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id = any (ids) and match.decided_by is null), null);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.matches_of_taken_lines(tenant text, pair integer, member_ids uuid[], member_lines bigint[], member_amounts bigint[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(array_agg(distinct member_ids[found.nth]), '{}')
    from private.find_open_amounts(tenant, pair, member_lines, member_amounts) found
    where found.place is null
      or found.minor not between least(found.open_minor, 0) and greatest(found.open_minor, 0)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.save_matches(tenant text, reconciliation text, run text, attempt integer, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[], adjustments jsonb DEFAULT '{}'::jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  lost_ids uuid[];
  confirmed uuid[];
begin
  period := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  perform private.undo_undecided_matches(tenant, gone);
  if cardinality(member_ids) = 0 then
    perform private.update_found_matches(tenant, run, ids, states, methods, settled, scores,
      margins, residuals, explanations, highs, lows, adjustments);
    return 0;
  end if;
  lost_ids := private.matches_of_taken_lines(tenant, period.pair_no, member_ids, member_lines,
    member_amounts);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape,
    method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, item.id, period.pair_no, period.id, run, item.state, item.shape, item.method,
    item.settled, item.score, item.margin, item.currency, item.amount, item.residual,
    coalesce(save_matches.adjustments -> item.id::text, '[]'), explanations -> item.id::text,
    item.high, item.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts,
    residuals, highs, lows) as item (id, state, shape, method, settled, score, margin, currency,
    amount, residual, high, low) where cardinality(lost_ids) = 0 or item.id <> all (lost_ids);
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, item.match_id, period.pair_no, item.line_no, item.side, item.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as item (match_id,
    line_no, side, minor) where cardinality(lost_ids) = 0 or item.match_id <> all (lost_ids);
  if 'suggested' = any (states) then
    perform private.drop_moved_suggestions(period, member_lines, ids);
  end if;
  confirmed := array(select item.id from unnest(ids, states) as item (id, state)
    where item.state = 'confirmed' and (cardinality(lost_ids) = 0 or item.id <> all (lost_ids)));
  if cardinality(confirmed) > 0 then
    perform private.claim_matched_lines(tenant, period, member_ids, member_lines, member_amounts,
      confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost_ids);
end $function$;
CREATE OR REPLACE FUNCTION private.statement_outstanding(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with outstanding as materialized (
      select outstanding.line_no, outstanding.side, outstanding.open_minor, outstanding.currency,
        period.period_end - outstanding.value_date as age
      from private.outstanding_lines(period) outstanding
    ), aged as (
      select outstanding.currency, outstanding.side, count(*) as line_count,
        sum(outstanding.open_minor) as minor,
        count(*) filter (where outstanding.open_minor < 0) as payments,
        coalesce(sum(outstanding.open_minor) filter (where outstanding.open_minor < 0), 0) as paid,
        case when outstanding.age > 90 then 91 when outstanding.age > 60 then 61
          when outstanding.age > 30 then 31
          when outstanding.age > 7 then 8 else 0 end as days_from
      from outstanding
      group by outstanding.currency, outstanding.side, days_from
    )
    select jsonb_build_object(
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', aged.currency, 'side', aged.side, 'days_from', aged.days_from,
          'line_count', aged.line_count, 'open_minor', private.exact_sum(aged.minor),
          'receipt_count', aged.line_count - aged.payments,
          'receipt_minor', private.exact_sum(aged.minor - aged.paid),
          'payment_count', aged.payments, 'payment_minor', private.exact_sum(aged.paid)
        ) order by aged.currency, aged.side, aged.days_from), '[]')
        from aged
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(
          jsonb_agg(private.outstanding_json(period, summed.line_no, summed.side, summed.open_minor)
            order by summed.place),
          '[]')
        from (
          select outstanding.*, row_number() over (order by abs(outstanding.open_minor) desc,
            outstanding.line_no) as place
          from outstanding
        ) summed
        where summed.place <= 250
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_source_kinds(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('left_kind', left_source.kind, 'right_kind', right_source.kind)
    from public.pairs pair
    join public.sources left_source on left_source.tenant_id = pair.tenant_id
      and left_source.source_no = pair.left_source_no
    join public.sources right_source on right_source.tenant_id = pair.tenant_id
      and right_source.source_no = pair.right_source_no
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_json(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'reconciliation_id', period.id, 'name', period.name, 'period_start', period.period_start,
    'period_end', period.period_end, 'left_source', period.left_source,
    'right_source', period.right_source,
    'as_of', private.iso(coalesce(period.closed_at, now())),
    'closed_at', private.iso(period.closed_at),
    'closed_by', period.closed_by, 'proof', private.proof_json(period)
  ) || private.statement_source_kinds(period) || private.statement_totals(period)
    || private.statement_outstanding(period)
    || private.statement_items(period);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_book_recount(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('recount_books',
    json_build_object('tenant_id', tenant, 'pair_no', pair),
    queue_name => 'recount_books', job_key => format('recount_books:%s:%s', tenant, pair),
    max_attempts => 5);
end $function$;
CREATE OR REPLACE FUNCTION private.next_fetch(schedule jsonb, zone text, open_days jsonb, moment timestamp with time zone, pause interval, is_missing boolean)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  today constant date := (moment at time zone zone)::date;
  opens constant timestamptz := (today + (schedule ->> 'at')::time) at time zone zone;
  closes constant timestamptz := (today + (schedule ->> 'retry_until')::time) at time zone zone;
  ends constant timestamptz := (today + 1)::timestamp at time zone zone;
  later_at constant timestamptz := moment + greatest(pause, interval '15 minutes');
  day date;
begin
  if private.is_business_day(open_days, today) and moment >= opens then
    if moment + pause <= closes then
      return moment + pause;
    elsif is_missing and later_at < ends then
      return later_at;
    end if;
  end if;
  day := private.next_business_day(open_days, case when moment < opens then today
    else today + 1 end);
  return (day + (schedule ->> 'at')::time) at time zone zone;
end $function$;
CREATE OR REPLACE FUNCTION private.plan_connection(connection public.connections)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  clock constant jsonb := private.clock_of_connection(connection);
  zone constant text := clock ->> 'zone';
  open_days constant jsonb := nullif(clock -> 'open_days', 'null');
  is_planned constant boolean := connection.schedule is not null and connection.deleted_at is null;
begin
  update public.connections set
    next_look_at = case when is_planned and connection.status = 'active'
      and connection.kind <> 'mail' then
      private.next_fetch(connection.schedule, zone, open_days, now(), '0', false) end,
    expected_at = case when is_planned and connection.status <> 'paused' then
      private.next_expected(connection.schedule, zone, open_days, now(), now()) end
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id
  returning * into connection;
  return connection;
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
  perform private.queue_fetch(connection, true);
  perform private.record_security_event('connection.fetch_requested', connection.id, null,
    jsonb_build_object('name', private.connection_facts(connection) -> 'name'));
  return private.finish_request(request, private.connection_json(connection));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_fetch(connection public.connections, by_hand boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('fetch_connection',
    private.with_request_id(jsonb_build_object(
      'tenant_id', connection.tenant_id, 'connection_id', connection.id, 'by_hand', by_hand)),
    queue_name => 'connection:' || connection.id, max_attempts => 25,
    job_key => 'connection:' || connection.id || case when by_hand then ':by hand' else '' end,
    flags => private.job_flags(connection.tenant_id, 'connection'));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_due_fetches(batch integer DEFAULT 500)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection public.connections;
  queued integer := 0;
begin
  for connection in
    select * from public.connections where connections.next_look_at <= now()
    order by connections.next_look_at limit batch for no key update skip locked
  loop
    perform private.queue_fetch(connection, false);
    -- The fetch plans the next one. A fetch that is lost is queued again.
    update public.connections set next_look_at = now() + interval '1 hour'
    where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
    queued := queued + 1;
  end loop;
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_fetch(tenant text, connection text, by_hand boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  update public.connections set lease = private.new_id('lck')
  where connections.tenant_id = tenant and connections.id = connection
    and connections.deleted_at is null
    and (connections.status = 'active' or by_hand and connections.status = 'paused')
  returning * into connection_row;
  if not found then
    return null;
  end if;
  -- What an earlier fetch began and did not finish.
  delete from public.imports import using public.connection_files file
  where file.tenant_id = tenant and file.connection_id = connection_row.id
    and file.outcome = 'fetching'
    and import.tenant_id = tenant and import.id = file.import_id and import.status = 'receiving';
  delete from public.connection_files file
  where file.tenant_id = tenant and file.connection_id = connection_row.id
    and file.outcome = 'fetching';
  return private.connection_json(connection_row)
    || coalesce(private.sealed_credential(connection_row), '{}')
    || jsonb_build_object('lease', connection_row.lease, 'source', (
      select jsonb_build_object('currency', source.currency, 'time_zone', source.time_zone,
        'mapping', source.mapping)
      from public.sources source
      where source.tenant_id = tenant and source.source_no = connection_row.source_no));
end $function$;
CREATE OR REPLACE FUNCTION private.require_lease(tenant text, connection text, lease text)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into connection_row from public.connections
  where connections.tenant_id = tenant and connections.id = connection and connections.lease = $3
    and connections.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'Another fetch of this connection has taken over, or it was deleted.');
  end if;
  return connection_row;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_file_part(tenant text, import text, seq integer, bytes bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.imports set bytes_read = imports.bytes_read + octet_length(bytes)
  where imports.tenant_id = tenant and imports.id = import and imports.status = 'receiving';
  if not found then
    perform private.refuse_conflict('state_changed', 'Another fetch has taken over.');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (tenant, import, seq, bytes);
end $function$;
CREATE OR REPLACE FUNCTION private.end_fetch(tenant text, connection text, lease text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  clock constant jsonb := private.clock_of_connection(connection_row);
  pause interval := interval '5 minutes';
begin
  if result ->> 'error' is not null then
    connection_row := private.note_failure(connection_row, result ->> 'error',
      coalesce((result ->> 'needs_person')::boolean, false));
    pause := private.pause_after_failures(connection_row.failure_count);
  else
    update public.connections set
      last_outcome = case when (result ->> 'found')::integer > 0 then 'fetched'
        else 'nothing_new' end,
      last_error = null, failing_since = null, failure_count = 0, alerted_at = null
    where connections.tenant_id = tenant and connections.id = connection_row.id;
  end if;
  update public.connections set lease = null, last_look_at = now(),
    next_look_at = case when connections.schedule is not null and connections.status = 'active' then
      private.next_fetch(connections.schedule,
        clock ->> 'zone', nullif(clock -> 'open_days', 'null'), now(),
        pause, not private.has_file_of_day(connection_row, now())) end
  where connections.tenant_id = tenant and connections.id = connection_row.id;
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_files(batch integer DEFAULT 200)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection public.connections;
  checked integer := 0;
begin
  for connection in
    select * from public.connections where connections.expected_at <= now()
    order by connections.expected_at limit batch for no key update skip locked
  loop
    if not private.has_file_of_day(connection, connection.expected_at) then
      perform private.open_missing_file(connection);
    end if;
    perform private.expect_next_file(connection);
    checked := checked + 1;
  end loop;
  return checked;
end $function$;
CREATE OR REPLACE FUNCTION private.settle_connection_file()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  file public.connection_files;
  connection public.connections;
  is_unreadable constant boolean := new.status = 'done' and new.refused_count > 0
    and new.accepted_count + new.duplicate_count = 0;
begin
  update public.connection_files set
    outcome = case when is_unreadable or new.status = 'failed' then 'failed'
      when new.status = 'done' then 'imported' else 'undone' end,
    error = case when is_unreadable then format(
      'None of its %s lines could be read, such as line %s: %s', new.refused_count,
      new.refusals #>> '{0,line}', new.refusals #>> '{0,message}') else new.failure end,
    tried_at = now()
  where connection_files.tenant_id = new.tenant_id and connection_files.import_id = new.id
    and connection_files.outcome in ('importing', 'imported')
  returning * into file;
  if not found then
    return null;
  end if;
  select * into connection from public.connections
  where connections.tenant_id = file.tenant_id and connections.id = file.connection_id;
  if file.outcome = 'failed' then
    perform private.note_failure(connection, format('%s: %s', file.path, file.error), true);
  elsif file.outcome = 'imported' then
    perform private.resolve_missing_file(file);
    if connection.afterwards <> 'leave' and connection.deleted_at is null then
      perform private.queue_fetch(connection, true);
    end if;
  end if;
  return null;
end $function$;
grant execute on function private.begin_fetch(text,text,boolean) to service_role;
grant execute on function private.end_fetch(text,text,text,jsonb) to service_role;
grant execute on function private.narrow_events_by_search(text) to authenticated;
grant execute on function private.queue_due_fetches(integer) to service_role;
grant execute on function private.security_event_search_text(text,text,text,jsonb) to authenticated;
grant execute on function private.statement_source_kinds(public.reconciliations) to authenticated;
insert into private.operations select ('(get_reconciliation,exportMatches,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_reconciliation,exportStatement,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_signed_statements,exportStatement,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
