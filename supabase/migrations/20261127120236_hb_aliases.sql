-- hb aliases

-- From here on written by `npm run migration`, anew each time. Above is by hand.

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
      'The period has matches or excluded lines, and keeps its dates.');
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
CREATE OR REPLACE FUNCTION private.reconciliation_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end',
    r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'left_source_id',
    r.left_source_id, 'right_source_id', r.right_source_id,
    'auto_run', r.auto_run, 'preparing', private.is_preparing(r.tenant_id, r.pair_no),
    'matched_count', case when r.pair_no is null then r.matched_count else coalesce((
      select matched_count.lines
      from private.matched_counts matched_count
      where matched_count.tenant_id = r.tenant_id and matched_count.reconciliation_id = r.id),
        0) end,
    'unmatched_count',
    case when r.pair_no is null then r.unmatched_count when r.closed_at is not null then (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = r.tenant_id and carried_line.reconciliation_id = r.id)
    else (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
        and open_line.value_date <= r.period_end) end,
    'excluded_count',
    (select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = r.tenant_id and exclusion.reconciliation_id = r.id),
    'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
    'sign_off', case when r.pair_no is not null then private.sign_off_json(r) end,
    'closing', private.is_closing(r.tenant_id, r.pair_no, r.id), 'closing_failure', (
      select closing_request.failure
      from private.closing_requests closing_request
      where closing_request.tenant_id = r.tenant_id and closing_request.reconciliation_id = r.id
        and r.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = r.tenant_id and exception.reconciliation_id = r.id
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at',
    private.iso(r.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.create_reconciliation(input jsonb)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse_conflict('counts_computed',
        'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select opened.pair_no, opened.is_open into pair, is_open
    from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') opened;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source,
    right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date,
    (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source',
      (select source.name from public.sources source
        where source.tenant_id = private.tenant_id() and source.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source',
      (select source.name from public.sources source
        where source.tenant_id = private.tenant_id() and source.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0),
    coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id',
    coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  perform private.record_security_event('reconciliation.created', created.id, null,
    jsonb_build_object('name', created.name, 'period_start', created.period_start,
      'period_end', created.period_end, 'left_source_id', created.left_source_id,
      'right_source_id', created.right_source_id));
  if pair is not null then
    perform private.carry_from_closed(created);
  end if;
  if is_open then
    perform private.request_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return created;
end $function$;
CREATE OR REPLACE FUNCTION private.find_lines_of_caller(q text, source_nos integer[], most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  is_named constant boolean := private.has_trigrams(q)
    and (select sum(source.line_count) from public.sources source
      where source.tenant_id = tenant) > 50000;
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  -- An expression has no index.
  execute format(
    'select array(
      select line_text.line_no from private.line_texts line_text
      where %s = $1 and line_text.source_no = any ($2) and %s limit $3)',
    case when is_named then $c$(line_text.tenant_id || '')$c$ else 'line_text.tenant_id' end,
    private.line_search(q,
      case when is_named then 'line_text.text' else $c$(line_text.text || '')$c$ end))
  into found using tenant, source_nos, most + 1;
  if cardinality(found) > most then
    return null;
  end if;
  execute 'select array(
      select line.line_no from private.line_spans span cross join lateral (
        select line.line_no, line.source_no, private.line_text(line) as text from public.lines line
        where line.tenant_id = $1 and line.line_no between span.first_line_no and span.last_line_no
        offset 0
      ) line
      where span.tenant_id = $1 and span.source_no = any ($2) and line.source_no = span.source_no
        and ' || private.line_search(q, 'line.text') || ' limit $3)'
  into waiting using tenant, source_nos, most + 1;
  return case when cardinality(found) + cardinality(waiting) <= most then found || waiting end;
end $function$;
CREATE OR REPLACE FUNCTION private.index_lines(batch integer DEFAULT 5000)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with recursive waiting as (
    (select span.tenant_id from private.line_spans span order by span.tenant_id limit 1)
    union all
    select (
      select span.tenant_id from private.line_spans span
      where span.tenant_id > tenant.tenant_id order by span.tenant_id limit 1
    ) from waiting tenant where tenant.tenant_id is not null
  ), tenants as materialized (
    select tenant.tenant_id, greatest(1, batch / count(*) over ()) as share
    from waiting tenant where tenant.tenant_id is not null limit batch
  ), held as materialized (
    select tenant.share, span.* from tenants tenant cross join lateral (
      select span.tenant_id, span.span_no, span.source_no, span.first_line_no, span.last_line_no
      from private.line_spans span
      where span.tenant_id = tenant.tenant_id
      order by span.span_no limit tenant.share for update skip locked
    ) span
  ), spans as materialized (
    -- The first part of a span that exceeds the share.
    select part.*,
      least(part.last_line_no, part.first_line_no + part.share - part.before - 1) as up_to from (
      select part.*, coalesce(sum(part.last_line_no - part.first_line_no + 1) over (
        partition by part.tenant_id
          order by part.span_no rows between unbounded preceding and 1 preceding),
          0)::bigint as before
      from held part
    ) part where part.before < part.share
  ), written as (
    insert into private.line_texts (tenant_id, line_no, source_no, text)
    select line.tenant_id, line.line_no, line.source_no, private.line_text(line)
    from spans part
    cross join lateral (
      select * from public.lines line
      where line.tenant_id = part.tenant_id
        and line.line_no between part.first_line_no and part.up_to offset 0
    ) line
    where line.source_no = part.source_no
    on conflict on constraint line_texts_pkey do nothing
  ), begun as (
    update private.line_spans span set first_line_no = part.up_to + 1 from spans part
    where part.up_to < part.last_line_no and span.tenant_id = part.tenant_id
      and span.span_no = part.span_no
  )
  delete from private.line_spans span using spans part
  where part.up_to = part.last_line_no and span.tenant_id = part.tenant_id
    and span.span_no = part.span_no;
  return exists (select from private.line_spans);
end $function$;
CREATE OR REPLACE FUNCTION private.insert_of_staged(looks boolean)
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
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end
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
CREATE OR REPLACE FUNCTION private.lines_json(tenant text, pair integer, line_nos bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    with found as materialized (
      select asked.n, line.*
      from unnest(line_nos) with ordinality asked (line_no, n)
      cross join lateral (
        select * from public.lines line
        where line.tenant_id = tenant and line.line_no = asked.line_no offset 0
      ) line
    ), of_sources as materialized (
      select source.source_no, source.id, array(
        select own_pair.pair_no from public.pairs own_pair
        where own_pair.tenant_id = tenant
          and source.source_no in (own_pair.left_source_no, own_pair.right_source_no)
          and (pair is null or own_pair.pair_no = pair) and own_pair.opening is null
        order by own_pair.pair_no
      ) as pair_nos
      from public.sources source
      where source.tenant_id = tenant
        and source.source_no in (select line.source_no from found line)
    )
    select jsonb_agg(jsonb_build_object(
      'id', private.line_id_text(line.id), 'source_id', source.id, 'import_id', line.import_id,
      'file_line', line.file_line, 'external_id', line.external_id,
      'amount_minor', line.amount_minor, 'fee_minor', line.fee_minor, 'currency', line.currency,
      'value_date', line.value_date, 'booked_date', line.booked_date, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description,
      'group_key', line.group_key, 'details', coalesce(line.details, '{}'),
      'state', case
        when source.pair_nos = '{}' or standing.open_minor = standing.amount_minor then 'open'
        when standing.open_minor is not null then 'partly_matched'
        when exists (
          select from public.exclusions exclusion
          where exclusion.tenant_id = tenant and exclusion.pair_no = standing.pair_no
            and exclusion.line_no = line.line_no offset 0
        ) then 'excluded'
        else 'matched' end,
      -- With the sign as posted: a pair negates the amounts of an inverted source.
      'open_minor', case
        when source.pair_nos = '{}' then line.amount_minor
        when standing.open_minor is null then 0
        when sign(standing.amount_minor) = sign(line.amount_minor) then standing.open_minor
        else -standing.open_minor end,
      'match_ids', (
        select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]')
        from public.match_members mm
        cross join lateral (
          select match.id from public.matches match
          where match.tenant_id = tenant and match.id = mm.match_id and match.state = 'confirmed'
          offset 0
        ) match
        where mm.tenant_id = tenant and mm.line_no = line.line_no
          and (pair is null or mm.pair_no = pair)
      ),
      'exception_id', (
        select exception.id
        from (
          select exception_line.exception_id from private.exception_lines exception_line
          where exception_line.tenant_id = tenant and exception_line.line_no = line.line_no offset 0
        ) exception_line cross join lateral (
          select exception.id from public.exceptions exception
          where exception.tenant_id = tenant and exception.id = exception_line.exception_id
            and exception.status in ('open', 'in_review') offset 0
        ) exception
        order by exception.id desc limit 1
      ),
      'created_at', private.iso(line.created_at)
    ) order by line.n)
    from found line
    join of_sources source on source.source_no = line.source_no
    left join lateral (
      select own_pair.pair_no, open_line.amount_minor, open_line.open_minor
      from unnest(source.pair_nos) own_pair (pair_no)
      left join lateral (
        select open_line.amount_minor, open_line.open_minor from private.open_lines open_line
        where open_line.tenant_id = tenant and open_line.pair_no = own_pair.pair_no
          and open_line.line_no = line.line_no offset 0
      ) open_line on true
      order by abs(open_line.open_minor) desc nulls last, own_pair.pair_no limit 1
    ) standing on true
  );
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
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id >= first_id and match.created_at >= since
        and match.state <> 'suggested'
      union all
      select match.id from public.matches match
      where match.tenant_id = tenant and match.decided_at >= since
      union all
      select unnest(act.match_ids) from private.acts act
      where act.tenant_id = tenant and act.undone_at >= since
    ) match
    cross join lateral (select member.line_no from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id offset 0) mm
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
    select line.line_no from (
      select act.line_id from private.acts act
      where act.tenant_id = tenant and act.id >= first_id and act.created_at >= since
      union all
      select act.line_id from private.acts act
      where act.tenant_id = tenant and act.undone_at >= since
    ) act
    cross join lateral (select line.line_no from public.lines line
      where line.tenant_id = tenant and line.id = act.line_id offset 0) line
    union all
    select exception_line.line_no
    from (select exception.id from public.exceptions exception
      where exception.tenant_id = tenant and exception.updated_at >= since) exception
    cross join lateral (select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      offset 0) exception_line
    limit most + 1
  );
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
      cross join lateral (select match.* from public.matches match
        where match.tenant_id = $1 and match.id = mm.match_id offset 0) match
      where mm.tenant_id = $1 and mm.line_no = x.line_no
        and (match.decided_at >= $9 or match.created_at >= $9 and match.state <> 'suggested')
      offset 0)
    or exists (
      select from private.acts act
      where act.tenant_id = $1 and act.line_id = x.id
        and greatest(act.created_at, act.undone_at) >= $9
      offset 0)
    or exists (
      select from private.exception_lines exception_line
      cross join lateral (select exception.updated_at from public.exceptions exception
        where exception.tenant_id = $1 and exception.id = exception_line.exception_id
        offset 0) exception
      where exception_line.tenant_id = $1 and exception_line.line_no = x.line_no
        and exception.updated_at >= $9 offset 0))$c$;
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_condition(what text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case what
    when 'matched' then $c$exists (
      select from public.match_members mm cross join lateral (
        select from public.matches match
        where match.tenant_id = $1 and match.id = mm.match_id and match.reconciliation_id = $3.id
          and match.state = 'confirmed' offset 0
      ) match
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3.pair_no offset 0)$c$
    when 'excluded' then $c$exists (
      select from public.exclusions exclusion
      where exclusion.tenant_id = $1 and exclusion.pair_no = $3.pair_no
        and exclusion.line_no = x.line_no
        and exclusion.reconciliation_id = $3.id offset 0)$c$
    when 'open'
      then 'exists (
      select from private.open_lines open_line
      where open_line.tenant_id = $1 and open_line.pair_no = $3.pair_no
        and open_line.line_no = x.line_no offset 0)'
    when 'carried' then
      'exists (
      select from public.carried_lines carried_line
      where carried_line.tenant_id = $1 and carried_line.reconciliation_id = $3.id
        and carried_line.line_no = x.line_no offset 0)'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_state(r public.reconciliations, state text, source_nos integer[], most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  pair_nos integer[];
  line_nos bigint[];
begin
  if state = 'matched' and r.id is not null and coalesce((
    select matched_count.lines
    from private.matched_counts matched_count
    where matched_count.tenant_id = tenant and matched_count.reconciliation_id = r.id),
      0) <= most
  then
    return array(
      select distinct mm.line_no from public.matches match
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) mm
      where match.tenant_id = tenant and match.reconciliation_id = r.id
        and match.state = 'confirmed'
    );
  elsif state = 'excluded' then
    pair_nos := case when r.id is not null then array[r.pair_no] else array(
      select pair.pair_no from public.pairs pair
      where pair.tenant_id = tenant and (pair.left_source_no = any (source_nos)
        or pair.right_source_no = any (source_nos))) end;
    line_nos := array(select distinct exclusion.line_no from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = any (pair_nos) limit most + 1);
    return case when cardinality(line_nos) <= most then line_nos end;
  end if;
  return null;
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
  line_nos bigint[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r
    from public.reconciliations period
    where period.tenant_id = tenant and period.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select source.source_no
    from public.sources source
    left join public.pairs pair on pair.tenant_id = tenant and pair.pair_no = r.pair_no
    where source.tenant_id = tenant
      and (input ->> 'source_id' is null or source.id = input ->> 'source_id')
      and (r.id is null or source.source_no in (pair.left_source_no, pair.right_source_no))
      and (input ->> 'side' is null
      or source.source_no = case input ->> 'side' when 'left' then pair.left_source_no
      else pair.right_source_no end)
  );
  line_nos := array(
    select page_line.line_no
    from private.lines_of_caller(r, input, source_nos, page_size + 1) page_line
    order by page_line.n);
  items := private.lines_json(tenant, r.pair_no, line_nos);
  if r.closed_at is not null then
    select jsonb_agg(listed.item || private.line_in_closed(line, r) order by listed.n) into items
    from jsonb_array_elements(items) with ordinality listed (item, n)
    cross join lateral (select * from public.lines line
      where line.tenant_id = tenant and line.line_no = line_nos[listed.n] offset 0) line;
  end if;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.line_in_closed(l public.lines, r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  carried bigint;
  ids jsonb;
begin
  if r.closed_at is null then
    return '{}';
  end if;
  select carried_line.open_minor into carried from public.carried_lines carried_line
  where carried_line.tenant_id = l.tenant_id and carried_line.reconciliation_id = r.id
    and carried_line.line_no = l.line_no;
  select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]') into ids
  from public.match_members mm
    join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
  where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and match.reconciliation_id = r.id
    and match.state = 'confirmed';
  return jsonb_build_object('match_ids', ids,
    'state', case when carried is null then case when ids = '[]' then 'excluded' else 'matched' end
      when ids = '[]' then 'open' else 'partly_matched' end,
    -- With the sign as posted, as in lines_json.
    'open_minor',
    case when carried is null then 0 when sign(carried) = sign(l.amount_minor) then carried
      else -carried end);
end $function$;
CREATE OR REPLACE FUNCTION private.open_earlier_lines(pair public.pairs, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  side record;
  opened record;
begin
  if pair.opening is null then
    return true;
  end if;
  for side in select * from private.sides_to_open(pair) loop
    with next as materialized (
      select line.source_no, line.value_date, line.line_no, line.currency,
        side.factor * line.amount_minor as effective
      from public.lines line
      where line.tenant_id = pair.tenant_id and line.source_no = side.source_no
        and (line.value_date, line.line_no) > (side.after_date, side.after_no)
      order by line.value_date, line.line_no limit most
    ), written as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select pair.tenant_id, pair.pair_no, line.line_no, side.name, line.currency, line.effective,
        line.effective, line.value_date
      from next line
      -- The line arrived after the pair was created.
      on conflict do nothing
    )
    select (select count(*) from next) as lines, (
      select jsonb_build_object('source_no', line.source_no, 'value_date', line.value_date,
        'line_no', line.line_no)
      from next line order by line.value_date desc, line.line_no desc limit 1
    ) as up_to
    into opened;
    if opened.lines = most then
      update public.pairs own_pair
      set opening = opened.up_to
      where own_pair.tenant_id = pair.tenant_id and own_pair.pair_no = pair.pair_no;
      return false;
    end if;
  end loop;
  update public.pairs own_pair
  set opening = null
  where own_pair.tenant_id = pair.tenant_id and own_pair.pair_no = pair.pair_no;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.open_pair(left_source_id text, right_source_id text, OUT pair_no integer, OUT is_open boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  stand_still boolean;
  pair public.pairs;
begin
  select source.source_no into left_no from public.sources source
  where source.tenant_id = tenant and source.id = $1;
  select source.source_no into right_no from public.sources source
  where source.tenant_id = tenant and source.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id',
      'Name two sources: a source is not compared with itself.');
  end if;
  stand_still := private.try_lock_sources_exclusively(tenant, array[left_no, right_no]);
  -- A pair is only created for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening)
  values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair
    from public.pairs own_pair
    where own_pair.tenant_id = tenant and own_pair.left_source_no = left_no
      and own_pair.right_source_no = right_no;
    is_open := stand_still and pair.opening is null;
  elsif stand_still then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $function$;
CREATE OR REPLACE FUNCTION private.prepare_pair(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  p public.pairs;
begin
  begin
    perform private.lock_sources_exclusively(own_pair.tenant_id,
      array[own_pair.left_source_no, own_pair.right_source_no])
    from public.pairs own_pair
    where own_pair.tenant_id = tenant and own_pair.pair_no = pair;
  exception when sqlstate 'TO001' then
    perform private.queue_preparing(tenant, pair, interval '5 seconds');
    return false;
  end;
  select * into strict p
  from public.pairs own_pair
  where own_pair.tenant_id = tenant and own_pair.pair_no = pair for no key update;
  if not private.open_earlier_lines(p, 25000) then
    return true;
  end if;
  perform private.queue_run(queued.tenant_id, queued.pair_no, queued.reconciliation_id,
    queued.asked, interval '0')
  from (
    select run.tenant_id, run.pair_no, run.reconciliation_id,
      case when run.dry_run is not null then run.id end as asked
    from public.runs run
      join public.reconciliations period on period.tenant_id = run.tenant_id
        and period.id = run.reconciliation_id
    where run.tenant_id = tenant and run.pair_no = pair and run.status = 'queued'
      order by period.period_end, run.id
  ) queued;
  perform private.request_runs(tenant, pair);
  return false;
end $function$;
CREATE OR REPLACE FUNCTION private.require_undoable(tenant_id text, source_no integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  held public.reconciliations;
begin
  perform private.require_not_closing(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no);
  select period.* into held from (
    select match.reconciliation_id as id from public.match_members mm
    join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
      and match.state = 'confirmed'
    where mm.tenant_id = $1 and mm.line_no = any (line_nos)
    union all
    select exclusion.reconciliation_id
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.line_no = any (line_nos)
    union all
    select carried_line.reconciliation_id from public.pairs pair
    join public.reconciliations period on period.tenant_id = pair.tenant_id
      and period.pair_no = pair.pair_no
      and period.closed_at is not null
    join public.carried_lines carried_line on carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id
      and carried_line.line_no = any (line_nos)
    where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
  ) used_in
  join public.reconciliations period on period.tenant_id = $1 and period.id = used_in.id
    and (period.closed_at is not null or period.status = 'archived')
  limit 1;
  if found then
    perform private.refuse_conflict(
      case held.status when 'archived' then 'archived' else 'period_closed' end,
      format('%s, which is %s, matched, excluded or carried forward a line of this import. %s',
      held.name, case held.status when 'archived' then 'archived' else 'closed' end,
      case held.status when 'archived' then 'Exclude the lines in an open period instead.'
        else 'Reopen it first.' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.detach_removed_lines(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source constant integer := (select import.source_no from public.imports import
    where import.tenant_id = $1 and import.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  perform private.mark_pair_changed(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and source in (pair.left_source_no, pair.right_source_no);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  perform private.revoke_signatures_of_source($1, source, '-infinity', 'An import was undone.');
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select pair.pair_no from public.pairs pair where pair.tenant_id = $1 loop
    delete
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.pair_no = touched.pair_no
      and exclusion.line_no = any (line_nos);
    delete
    from private.open_lines open_line
    where open_line.tenant_id = $1 and open_line.pair_no = touched.pair_no
      and open_line.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos,
      'The import of the line was undone.');
  end loop;
  delete from private.line_texts line_text
  where line_text.tenant_id = $1 and line_text.line_no = any (line_nos);
end $function$;
CREATE OR REPLACE FUNCTION private.refresh_statistics(tenant text, anyway boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  lines constant bigint := coalesce(
    (select sum(source.line_count) from public.sources source where source.tenant_id = tenant),
    0);
  in_pairs constant bigint := coalesce((
    select sum(source.line_count)
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = tenant and pair.opening is null), 0);
  matched constant bigint := coalesce(
    (select sum(matched_count.lines) from private.matched_counts matched_count
      where matched_count.tenant_id = tenant),
    0);
  x record;
begin
  for x in
    -- A match has two lines, and seldom more than four.
    select *
    from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched),
      ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0),
      ('private.exception_lines', 0)) expected (of_table, rows)
  loop
    if anyway or x.rows > 10000
      and x.rows > (select relation.reltuples / 300 from pg_class relation
        where relation.oid = x.of_table::regclass)
      and private.expected_rows(tenant, x.of_table) <= x.rows / 4 then
      execute 'analyze ' || x.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $function$;
CREATE OR REPLACE FUNCTION private.count_matched(tenant text, ids uuid[], sign integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.matched_counts as matched_count (tenant_id, reconciliation_id, lines)
  select match.tenant_id, match.reconciliation_id, greatest(0, sign) * sum(mm.lines)
  from public.matches match
  cross join lateral (select count(*) as lines from public.match_members member
    where member.tenant_id = tenant and member.match_id = match.id) mm
  where match.tenant_id = tenant and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id
  on conflict (tenant_id, reconciliation_id)
    do update set lines = matched_count.lines + case when sign > 0 then excluded.lines else -(
    select sum(mm.lines) from public.matches match
    cross join lateral (select count(*) as lines from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id) mm
    where match.tenant_id = tenant and match.id = any (ids)
      and match.reconciliation_id = excluded.reconciliation_id
  ) end;
end $function$;
CREATE OR REPLACE FUNCTION private.release_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select mm.tenant_id, mm.pair_no, mm.line_no, mm.side, line.currency,
    direction.factor * line.amount_minor, sum(mm.allocated_minor), line.value_date
  from public.match_members mm
  join public.lines line on line.tenant_id = mm.tenant_id and line.line_no = mm.line_no
  join public.sources source on source.tenant_id = line.tenant_id
    and source.source_no = line.source_no
  cross join lateral (
    select case source.sign when 'inverted' then -1 else 1 end as factor) direction
  where mm.tenant_id = tenant and mm.match_id = any (ids)
  group by mm.tenant_id, mm.pair_no, mm.line_no, mm.side, line.currency, direction.factor,
    line.amount_minor, line.value_date
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'A match was undone.');
end $function$;
CREATE OR REPLACE FUNCTION private.undo_matches(tenant text, ids uuid[], who text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  confirmed uuid[];
  suggested uuid[];
  touched record;
begin
  select array_agg(match.id order by match.id) filter (where match.state = 'confirmed'),
    array_agg(match.id order by match.id) filter (where match.state = 'suggested')
  into confirmed, suggested
  from public.matches match where match.tenant_id = tenant and match.id = any (ids);
  if suggested is not null then
    perform private.delete_matches(tenant, suggested);
  end if;
  if confirmed is null then
    return 0;
  end if;
  perform private.release_open_amounts(tenant, confirmed);
  if who is not null then
    insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
    select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
    where match.tenant_id = tenant and match.id = any (confirmed) and match.decided_by is null
      and not match.settled and match.shape = '1:1'
      order by match.id;
  end if;
  update public.matches match
  set state = 'undone', decided_by = coalesce(who, match.decided_by), decided_at = now()
  where match.tenant_id = tenant and match.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select match.tenant_id, 'match.undone',
    jsonb_build_object('match', private.match_event(match), 'undone_by', coalesce(who, 'system'))
  from public.matches match where match.tenant_id = tenant and match.id = any (confirmed)
  order by match.id;
  for touched in
    select mm.pair_no, array_agg(distinct mm.line_no) as line_nos from public.match_members mm
    where mm.tenant_id = tenant and mm.match_id = any (confirmed) group by mm.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $function$;
CREATE OR REPLACE FUNCTION private.confirm_matches(tenant text, pair integer, ids uuid[], who text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  perform private.allocate_open_amounts(tenant, ids);
  update public.matches match
  set state = 'confirmed', decided_by = who, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, true, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
  select array_agg(distinct mm.line_no) into line_nos
  from public.match_members mm
  where mm.tenant_id = tenant and mm.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_pair(pair integer, ids jsonb)
 RETURNS TABLE(n bigint, line_no bigint, side text, currency text, open_minor bigint, value_date date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'line_ids.' || (given.n - 1), 'message',
      'There is no such line in the two sources.')
  order by given.n) into missing
  from jsonb_array_elements_text(ids) with ordinality as given (id, n)
  where not exists (
    select
    from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
    join public.pairs own_pair on own_pair.tenant_id = source.tenant_id and own_pair.pair_no = pair
      and source.source_no in (own_pair.left_source_no, own_pair.right_source_no)
    where line.tenant_id = tenant and line.id = private.line_id(given.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select given.n, line.line_no,
    case line.source_no when own_pair.left_source_no then 'left' else 'right' end,
    line.currency, coalesce(open_line.open_minor, 0), line.value_date
  from jsonb_array_elements_text(ids) with ordinality as given (id, n)
  join public.lines line on line.tenant_id = tenant and line.id = private.line_id(given.id)
  join public.pairs own_pair on own_pair.tenant_id = tenant and own_pair.pair_no = pair
  left join private.open_lines open_line on open_line.tenant_id = tenant
    and open_line.pair_no = pair and open_line.line_no = line.line_no
  order by given.n;
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  asked record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What the match takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.lock_period(tenant, period);
  perform private.require_open_in_period(r, match_by_hand.line_ids);
  asked := private.sums_of_lines(r, match_by_hand.line_ids);
  is_reversal := asked.lefts = 0 or asked.rights = 0;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  end if;
  if split is null then
    explained := private.explain_difference(explained, asked.left_minor, asked.right_minor,
      asked.fees, asked.currency);
  else
    difference := asked.left_minor - asked.right_minor - private.sum_of_adjustments(explained);
    select part.line_no, part.side, part.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(r, match_by_hand.line_ids, split, difference, asked.currency) part;
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when is_reversal then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    private.shape_of(asked.lefts, asked.rights), 'manual', asked.currency, amount, explained,
    match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, line.line_no, line.side,
    case when line.line_no = split_no then split_minor else line.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) line;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.record_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION private.open_period_of_line(id text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  l public.lines;
  pairs integer[];
  period text;
begin
  select * into l
  from public.lines line
  where line.tenant_id = private.tenant_id() and line.id = private.line_id($1);
  if not found then
    perform private.refuse_missing('line');
  end if;
  if reconciliation is not null then
    perform
    from public.reconciliations own_period
    join public.pairs pair on pair.tenant_id = own_period.tenant_id
      and pair.pair_no = own_period.pair_no
    where own_period.tenant_id = l.tenant_id and own_period.id = reconciliation
      and l.source_no in (pair.left_source_no, pair.right_source_no);
    if not found then
      perform private.refuse_field('reconciliation_id',
        'There is no such reconciliation of the line''s source.');
    end if;
    return reconciliation;
  end if;
  select array_agg(pair.pair_no) into pairs from public.pairs pair
  where pair.tenant_id = l.tenant_id and l.source_no in (pair.left_source_no, pair.right_source_no);
  if cardinality(pairs) > 1 then
    perform private.refuse_field('reconciliation_id',
      'The line''s source is compared with several others: name the reconciliation.');
  end if;
  select own_period.id into period from public.reconciliations own_period
  where own_period.tenant_id = l.tenant_id and own_period.pair_no = any (pairs)
    and own_period.closed_at is null and own_period.status <> 'archived'
    and own_period.period_end >= l.value_date
  order by own_period.period_end limit 1;
  if not found then
    perform private.refuse_conflict('no_open_period',
      'No reconciliation of the line''s source is open for its day.');
  end if;
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  o private.open_lines;
begin
  r := private.lock_period(tenant, period);
  delete from private.open_lines open_line using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and open_line.tenant_id = tenant
    and open_line.pair_no = r.pair_no and open_line.line_no = line.line_no
    and open_line.value_date <= r.period_end
  returning open_line.* into o;
  if not found then
    perform private.refuse_conflict('line_not_open',
      'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone later.
  insert into public.exclusions as exclusion (tenant_id, pair_no, line_no, reconciliation_id, side,
    currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no)
    do update set excluded_minor = exclusion.excluded_minor + excluded.excluded_minor,
    reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where exclusion.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse_conflict('excluded_elsewhere',
      'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no],
    left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(r.id);
  perform private.revoke_signatures(tenant, array[r.id], 'A line was excluded.');
  perform private.record_security_event('line.excluded', $1, null,
    jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.include_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  x public.exclusions;
begin
  select r2.* into r from public.lines line
  join public.exclusions exclusion on exclusion.tenant_id = line.tenant_id
    and exclusion.line_no = line.line_no
  join public.reconciliations r2 on r2.tenant_id = exclusion.tenant_id
    and r2.id = exclusion.reconciliation_id
  where line.tenant_id = tenant and line.id = private.line_id($1)
    and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  r := private.lock_period(tenant, r.id);
  delete from public.exclusions exclusion using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and exclusion.tenant_id = tenant
    and exclusion.pair_no = r.pair_no and exclusion.line_no = line.line_no
  returning exclusion.* into x;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select tenant, x.pair_no, line.line_no, x.side, line.currency,
    case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end,
    x.excluded_minor, line.value_date
  from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
  where line.tenant_id = tenant and line.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts act set undone_at = now(), undone_by = private.actor()
  where act.tenant_id = tenant and act.line_id = private.line_id($1)
    and act.reconciliation_id = r.id and act.undone_at is null;
  perform private.record_period_work(r.id);
  perform private.revoke_signatures(tenant, array[r.id], 'A line was included again.');
  perform private.record_security_event('line.included', $1, null,
    jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.suggest_again(tenant text, pair integer, ids uuid[], taken boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  select array_agg(distinct mm.line_no) into line_nos
  from public.match_members mm
  where mm.tenant_id = tenant and mm.match_id = any (ids);
  if taken then
    perform private.release_open_amounts(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select match.tenant_id, 'match.undone',
      jsonb_build_object('match', private.match_event(match), 'undone_by', private.actor())
    from public.matches match where match.tenant_id = tenant and match.id = any (ids)
    order by match.id;
  elsif exists (
    select from public.match_members mm
    left join private.open_lines open_line on open_line.tenant_id = mm.tenant_id
      and open_line.pair_no = mm.pair_no and open_line.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = any (ids)
      and coalesce(
        mm.allocated_minor not between
          least(open_line.open_minor, 0) and greatest(open_line.open_minor, 0),
        true)
  ) then
    perform private.refuse_conflict('state_changed',
      'A line of it is not open any more. Nothing was changed.');
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
CREATE OR REPLACE FUNCTION private.rejected_matches_of_line(r public.reconciliations, line_no bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('left', rejected.lefts, 'right', rejected.rights)),
      '[]')
    from (
      select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'),
        '[]') as lefts,
        coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'),
          '[]') as rights
      from public.match_members mine
      join public.matches match on match.tenant_id = mine.tenant_id and match.id = mine.match_id
        and match.decided_by is not null and match.state in ('rejected', 'undone')
      join public.match_members other on other.tenant_id = match.tenant_id
        and other.match_id = match.id
      join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
      where mine.tenant_id = r.tenant_id and mine.line_no = rejected_matches_of_line.line_no
        and mine.pair_no = r.pair_no
      group by match.id
    ) rejected
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  l public.lines;
  o private.open_lines;
  p public.pairs;
  policy jsonb;
begin
  perform private.begin_request(request, 'list_line_suggestions');
  r := private.find_period(
    private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l
  from public.lines line
  where line.tenant_id = r.tenant_id and line.id = private.line_id(input ->> 'id');
  select * into o
  from private.open_lines open_line
  where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
    and open_line.line_no = l.line_no;
  select * into p from public.pairs pair
  where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no;
  policy := private.policy_of_pair(r.tenant_id, r.pair_no);
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor, policy) end,
    'rules',
    (select rules_version.rules from public.pair_rules rules_version
      where rules_version.tenant_id = r.tenant_id and rules_version.pair_no = r.pair_no
        and rules_version.version = p.rules_version),
    'candidates', private.suggestion_candidates(r, o, policy),
    'rejected', private.rejected_matches_of_line(r, l.line_no)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, after_no bigint, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  q constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ',
    'x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null
        then 'exists (select from public.lines line
          where line.tenant_id = $1 and line.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(line)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end,
    case
      when input ->> 'amount_from' is not null then $c$x.open_minor >= (
        $2 ->> 'amount_from')::bigint$c$
      end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    case (input ->> 'suggested')::boolean
      -- Few lines have a suggestion: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no
        from public.matches match
        join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
        where match.tenant_id = $1 and match.reconciliation_id = $8
          and match.state = 'suggested'))$c$
      -- With a lookup for each line until the page is full.
      when false then $c$(
        select true
        from public.match_members mm
        join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3
          and match.state = 'suggested' and match.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  q constant text := nullif(btrim(input ->> 'q'), '');
  r public.reconciliations;
  -- If the cursor's line was removed, its day or amount is read from the start.
  after_no bigint;
  hits bigint[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_open_lines');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return private.page(null, page_size, 'id');
  end if;
  if input ->> 'after' is not null then
    after_no := coalesce(private.line_no_of(input -> 'after' ->> 1), 0);
  end if;
  if q is not null then
    hits := private.find_lines_of_caller(q, (
      select array[pair.left_source_no, pair.right_source_no]
      from public.pairs pair
      where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no),
        5000);
  end if;
  select jsonb_agg(private.open_line_json(line, open_line.side, open_line.amount_minor,
    open_line.open_minor, r)
  order by open_line.n) into items
  from private.open_lines_of_caller(r, input, hits, private.amount_of_word(q), after_no,
    page_size + 1) open_line
  cross join lateral (select * from public.lines line
    where line.tenant_id = r.tenant_id and line.line_no = open_line.line_no offset 0) line;
  return private.page(items, page_size,
    case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_json(l public.lines, side text, amount_minor bigint, open_minor bigint, r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'side', side, 'currency', l.currency, 'amount_minor',
    amount_minor, 'open_minor', open_minor,
    'fee_minor', nullif(private.fee_of_whole(l, open_minor), 0), 'value_date', l.value_date,
    'booked_date', l.booked_date,
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
    'group_key', l.group_key, 'external_id', l.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(match.id), 'score', match.score,
        'shape', match.shape)
      from public.match_members mm
        join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = r.pair_no
        and match.state = 'suggested' and match.reconciliation_id = r.id
      order by match.score desc nulls last, match.id limit 1
    ),
    'exception_id', (
      select exception.id from (
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = l.tenant_id and exception_line.line_no = l.line_no
          and exception_line.pair_no = r.pair_no offset 0
      ) exception_line cross join lateral (
        select exception.id
        from public.exceptions exception
        where exception.tenant_id = l.tenant_id and exception.id = exception_line.exception_id
          and exception.status in ('open', 'in_review') offset 0
      ) exception
      limit 1
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.suggested_lines(r public.reconciliations)
 RETURNS TABLE(currency text, side text, lines bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select open_line.currency, open_line.side, count(*), sum(open_line.open_minor)
  from (
    select distinct mm.line_no
    from public.matches match cross join lateral (
      select member.line_no
      from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id offset 0
    ) mm
    where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
      and match.state = 'suggested'
  ) suggested cross join lateral (
    select open_line.currency, open_line.side, open_line.open_minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.line_no = suggested.line_no offset 0
  ) open_line
  group by open_line.currency, open_line.side;
end $function$;
CREATE OR REPLACE FUNCTION private.members_of(tenant text, match_ids uuid[], until date DEFAULT NULL::date)
 RETURNS TABLE(match_id uuid, line_no bigint, side text, allocated_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  if until is null then
    return query select member.match_id, member.line_no, member.side, member.allocated_minor
      from public.match_members member
      where member.tenant_id = tenant and member.match_id = any ((select match_ids)::uuid[])
        order by member.match_id;
  else
    return query
    with members as materialized (select * from private.members_of(tenant, match_ids))
    select member.match_id, member.line_no, member.side, member.allocated_minor from members member
    join (
      select line.line_no from public.lines line
      where line.tenant_id = tenant
        and line.line_no = any (array(select member.line_no from members member))
        and line.value_date <= until
        order by line.line_no
    ) line on line.line_no = member.line_no;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_up_to_end(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with sides as materialized (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  )
  select line.currency, source.side, count(*), sum(source.factor * line.amount_minor)
  from sides source
    join public.lines line on line.tenant_id = r.tenant_id and line.source_no = source.source_no
      and line.value_date <= r.period_end
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_around(r public.reconciliations)
 RETURNS TABLE(currency text, side text, earlier numeric, matched numeric, excluded numeric, later numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select period.id,
      case when period.id = r.id then 0
        when period.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
  ), confirmed as (
    select match.currency, period.place, array_agg(match.id) as ids
    from of_pair period
      join public.matches match on match.tenant_id = r.tenant_id
        and match.reconciliation_id = period.id and match.state = 'confirmed'
    group by 1, 2
  ), settled as (
    -- What later periods settled, only of lines that this period covers.
    select match_group.currency, mm.side, match_group.place, mm.minor as matched, 0 as excluded
    from confirmed match_group
      cross join lateral private.allocated_in(r.tenant_id, match_group.ids,
        case when match_group.place = 1 then r.period_end end) mm
    union all
    select exclusion.currency, exclusion.side, period.place, 0, sum(exclusion.excluded_minor)
    from of_pair period
      join public.exclusions exclusion on exclusion.tenant_id = r.tenant_id
        and exclusion.reconciliation_id = period.id
      join public.lines line on line.tenant_id = exclusion.tenant_id
        and line.line_no = exclusion.line_no and line.value_date <= r.period_end
    group by 1, 2, 3
  )
  select settlement.currency, settlement.side,
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = -1), 0),
    coalesce(sum(settlement.matched) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.excluded) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = 1), 0)
  from settled settlement
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_rows(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with came as materialized (
    select * from private.lines_up_to_end(r)
  ), settled as materialized (
    select * from private.settled_around(r)
  ), still_open as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.value_date <= r.period_end
    group by 1, 2
  ), explained as materialized (
    select explanation.currency, explanation.residual, explanation.adjustments
    from private.explained_in_period(r) explanation
  ), rows as (
    select used.currency, sides.side, case sides.side when 'left' then 1 else -1 end as sign
    from (
      select arrival.currency from came arrival
      union select settlement.currency from settled settlement
      union select open_sum.currency from still_open open_sum
      union select explanation.currency from explained explanation
    ) used cross join (values ('left'), ('right')) sides (side)
  )
  select proof_row.currency, proof_row.side, coalesce(arrival.line_count, 0),
    coalesce(arrival.minor, 0) - coalesce(settlement.earlier, 0), coalesce(settlement.matched, 0),
    coalesce(settlement.excluded, 0), coalesce(open_sum.minor, 0) + coalesce(settlement.later, 0),
    greatest(proof_row.sign * coalesce(explanation.adjustments, 0), 0),
    greatest(proof_row.sign * coalesce(explanation.residual, 0), 0)
  from rows proof_row
    left join came arrival on arrival.currency = proof_row.currency
      and arrival.side = proof_row.side
    left join settled settlement on settlement.currency = proof_row.currency
      and settlement.side = proof_row.side
    left join still_open open_sum on open_sum.currency = proof_row.currency
      and open_sum.side = proof_row.side
    left join explained explanation on explanation.currency = proof_row.currency
  order by proof_row.currency, proof_row.side;
end $function$;
CREATE OR REPLACE FUNCTION private.close_preview(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'suggestions_count', (
      select count(*) from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'suggested'
    ),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = r.tenant_id and exception.reconciliation_id = r.id
        and exception.line_no is not null and exception.status in ('open', 'in_review')
    ),
    'days_until_over', (
      select greatest(0, r.period_end + 1 - min((now() at time zone source.time_zone)::date))
      from public.sources source
      where source.tenant_id = r.tenant_id and source.id in (r.left_source_id, r.right_source_id)
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.coverage_of(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'side', source.side, 'name', source.name, 'until', source.until,
      'missing_days', private.business_days_between(r.tenant_id,
        private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id',
        coalesce(source.until, r.period_start - 1), r.period_end),
      'breaks',
      private.balance_breaks(r.tenant_id, source.source_no, source.currency, r.period_start,
        r.period_end),
      'has_balance', exists (
        select
        from private.balance_on(r.tenant_id, source.source_no, source.currency, r.period_end))
    ) order by source.side)
    from (
      select source.source_no, source.name, source.currency,
        case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
        greatest(
          (select max(line.value_date) from public.lines line
            where line.tenant_id = source.tenant_id and line.source_no = source.source_no),
          (select max(balance.period_end) from public.source_balances balance
            where balance.tenant_id = source.tenant_id
              and balance.source_no = source.source_no)) as until
      from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
    ) source
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_end < r.period_start and period.closed_at is null
      and period.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(r) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs pair
    join public.imports import on import.tenant_id = pair.tenant_id
      and import.source_no in (pair.left_source_no, pair.right_source_no)
      and import.status = 'undoing'
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(r);
  perform private.require_checks(r);
  if private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added '
      'lines in this period. Someone who did not has to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.write_closing(r public.reconciliations, closed_by text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor,
    currency, value_date)
  select open_line.tenant_id, r.id, open_line.line_no, open_line.side, open_line.open_minor,
    open_line.currency, open_line.value_date
  from private.open_in_period(r) open_line
  order by open_line.line_no;
  r.closed_at := now();
  r.closed_by := write_closing.closed_by;
  statement := private.statement_json(r)
    || jsonb_build_object('evidence', private.list_evidence_on_statement(r))
    || private.write_entries(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse_conflict('proof_broken',
      'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select difference into unexplained
  from jsonb_array_elements(statement -> 'differences') difference
  where difference -> 'difference_minor' <> '0'
  limit 1;
  if found then
    perform private.refuse_conflict('difference_unexplained',
      format(
        'The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.',
      unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (r.tenant_id, r.id, statement, r.closed_at, r.closed_by);
  update public.closings closing set digest = private.closing_digest(r.tenant_id, r.id)
  where closing.tenant_id = r.tenant_id and closing.reconciliation_id = r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c
  from public.closings closing
  where closing.tenant_id = before.tenant_id and closing.reconciliation_id = before.id;
  delete
  from private.closing_requests closing_request
  where closing_request.tenant_id = before.tenant_id
    and closing_request.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(c);
  if before.status = 'open' then
    update public.reconciliations period
    set status = 'in_progress'
    where period.tenant_id = before.tenant_id and period.id = before.id;
  end if;
  update public.reconciliations period
  set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where period.tenant_id = before.tenant_id and period.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null,
    jsonb_build_object('name', r.name, 'digest', c.digest,
      'open_lines', c.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', balance -> 'currency', 'side',
          balance -> 'side', 'open_minor', balance -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(c.statement -> 'balances') balance
        where balance -> 'outstanding_minor' <> '0'
      )) || private.complete_entry_batch(r));
  perform private.queue_book_recount(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.worked_in_period(r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  is_admin constant boolean := auth.jwt() -> 'roles' ? 'tenant_admin';
begin
  return exists (
    select from private.period_workers worker
    where worker.tenant_id = tenant and worker.reconciliation_id = r.id
      and ((worker.issuer, worker.subject) = (private.actor_issuer(), private.actor_subject())
        or worker.name = who or worker.is_service_role and is_admin)
  ) or exists (
    select from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = r.id
      and (match.method = 'manual' and match.created_by = who
        or match.state = 'undone' and match.decided_by = who)
  ) or exists (
    select from private.acts act where act.tenant_id = tenant and act.reconciliation_id = r.id
      and (act.kind in ('match', 'exclude') and act.created_by = who or act.undone_by = who)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.write_requested_closing(tenant text, reconciliation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  q private.closing_requests;
begin
  if current_setting('transaction_isolation') = 'read committed' then
    raise exception 'A closing is written down of one snapshot.';
  end if;
  select * into q
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null;
  if not found then
    return false;
  end if;
  -- Written by an earlier attempt.
  if not exists (select from public.closings closing
    where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation) then
    perform private.write_closing(period, q.asked_by #>> '{claims,actor}')
    from public.reconciliations period
    where period.tenant_id = tenant and period.id = reconciliation;
  end if;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.move_suggestions_of_closing(tenant text, reconciliation text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  target text;
  ids uuid[];
begin
  perform private.lock_pair(closing_request.tenant_id, closing_request.pair_no)
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation;
  perform
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null;
  if not found then
    return 0;
  end if;
  select * into strict r
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  target := private.next_open_period(r);
  if target is null then
    return 0;
  end if;
  ids := array(
    select match.id
    from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation
      and match.state = 'suggested'
    order by match.id limit 5000
  );
  perform private.move_suggestions(tenant, ids, target);
  return cardinality(ids);
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_with_open_lines(tenant text, pair integer, periods text[])
 RETURNS TABLE(id text, last_date date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.carry_forward(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  target constant text := private.next_open_period(r);
  periods constant text[] := array(
    select period.id from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and (period.id = r.id or period.period_end < r.period_start and period.closed_at is not null)
  );
begin
  if target is null then
    return;
  end if;
  perform private.move_suggestions(r.tenant_id, array(
    select match.id from public.matches match
    where match.tenant_id = r.tenant_id and match.reconciliation_id = any (periods)
      and match.state = 'suggested'
  ), target);
  perform private.move_exceptions(r.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(r.tenant_id, r.pair_no, periods) exception
  ), target);
end $function$;
CREATE OR REPLACE FUNCTION private.bring_back(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  later constant text[] := array(
    select period.id from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_start > r.period_end and period.closed_at is null
  );
  suggested uuid[];
begin
  select coalesce(array_agg(match.id), '{}') into suggested from public.matches match
  where match.tenant_id = r.tenant_id and match.reconciliation_id = any (later)
    and match.state = 'suggested';
  perform private.move_suggestions(r.tenant_id, array(
    select member.match_id
    from private.members_of(r.tenant_id, suggested) member
    join (
      select open_line.line_no, open_line.value_date from private.open_lines open_line
      where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
    ) open_line on open_line.line_no = member.line_no
    group by member.match_id having max(open_line.value_date) <= r.period_end
  ), r.id);
  perform private.move_exceptions(r.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(r.tenant_id, r.pair_no, later) exception
    where exception.last_date <= r.period_end
  ), r.id);
end $function$;
CREATE OR REPLACE FUNCTION private.residual_items(r public.reconciliations, after_id uuid, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(match.id), 'line_id',
        private.line_id_text(line.id), 'value_date', line.value_date,
      'currency', match.currency, 'amount_minor', match.residual_minor, 'reference', line.reference,
      'counterparty', line.counterparty,
      'description', line.description, 'reason', match.method, 'decided_by', match.decided_by,
      'decided_at', private.iso(match.decided_at))
        order by match.id)
    from (
      select match.id, match.currency, match.residual_minor, match.method, match.decided_by,
        coalesce(match.decided_at, match.created_at) as decided_at
      from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'confirmed' and match.residual_minor <> 0
        and match.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
      order by match.id limit most
    ) match
    cross join lateral (
      select mm.line_no
      from public.match_members mm
      where mm.tenant_id = r.tenant_id and mm.match_id = match.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ) largest
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = r.tenant_id and line.line_no = largest.line_no offset 0
    ) line
  );
end $function$;
CREATE OR REPLACE FUNCTION private.matched_line_items(r public.reconciliations, after_id uuid, after_no bigint, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(item.id), 'line_id',
        private.line_id_text(line.id), 'side', item.side,
      'value_date', line.value_date, 'currency', item.currency,
      'amount_minor', item.allocated_minor, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description, 'method', item.method,
      'note', item.note, 'decided_by', item.decided_by,
      'decided_at', private.iso(item.decided_at)) order by item.id, item.line_no)
    from (
      select match.*, mm.line_no, mm.side, mm.allocated_minor
      from (
        select match.id, match.currency, match.method, match.note, match.decided_by,
          coalesce(match.decided_at, match.created_at) as decided_at
        from public.matches match
        where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
          and match.state = 'confirmed'
          and match.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        -- Each match has at least one line; all lines of the first may have been returned already.
        order by match.id limit most + 1
      ) match
      cross join lateral (
        select member.line_no, member.side, member.allocated_minor
        from public.match_members member
        where member.tenant_id = r.tenant_id and member.match_id = match.id offset 0
      ) mm
      where (match.id > after_id or mm.line_no > after_no) is not false
      order by match.id, mm.line_no limit most
    ) item
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = r.tenant_id and line.line_no = item.line_no offset 0
    ) line
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_in_period(r public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select r.tenant_id, open_part.line_no, open_part.side, open_part.currency, open_part.value_date,
    sum(open_part.minor)::bigint
  from (
    select open_line.line_no, open_line.side, open_line.currency, open_line.value_date,
      open_line.open_minor as minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.value_date <= r.period_end
    union all
    select mm.line_no, mm.side, match.currency, line.value_date, mm.allocated_minor
    from public.reconciliations later
    join public.matches match on match.tenant_id = r.tenant_id
      and match.reconciliation_id = later.id and match.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor
      from public.match_members mm
      where mm.tenant_id = match.tenant_id and mm.match_id = match.id offset 0
    ) mm
    cross join lateral (
      select line.value_date
      from public.lines line
      where line.tenant_id = match.tenant_id and line.line_no = mm.line_no
        and line.value_date <= r.period_end offset 0
    ) line
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
    union all
    select exclusion.line_no, exclusion.side, exclusion.currency, line.value_date,
      exclusion.excluded_minor
    from public.reconciliations later
    join public.exclusions exclusion on exclusion.tenant_id = r.tenant_id
      and exclusion.reconciliation_id = later.id
    join public.lines line on line.tenant_id = exclusion.tenant_id
      and line.line_no = exclusion.line_no and line.value_date <= r.period_end
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
  ) open_part
  group by open_part.line_no, open_part.side, open_part.currency, open_part.value_date;
end $function$;
CREATE OR REPLACE FUNCTION private.stated_balances(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select stated.currency, source.side, source.factor * opening_balance.minor,
    source.factor * closing_balance.minor, closing_balance.stated_on,
    coalesce((
      select sum(case when line.value_date > r.period_end then source.factor else -source.factor end
        * line.amount_minor)
      from public.lines line
      where line.tenant_id = r.tenant_id and line.source_no = source.source_no
        and line.currency = stated.currency
        and line.value_date between r.period_end - 60 and r.period_end + 60
        and (line.booked_date <= r.period_end) <> (line.value_date <= r.period_end)
    ), 0),
    source.factor * (closing_balance.minor - opening_balance.minor
      - private.booked_between(r.tenant_id, source.source_no, stated.currency, r.period_start,
        r.period_end))
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) source
  cross join lateral (
    select distinct balance.currency from public.source_balances balance
    where balance.tenant_id = r.tenant_id and balance.source_no = source.source_no
  ) stated
  cross join lateral private.balance_on(r.tenant_id, source.source_no, stated.currency,
    r.period_end) closing_balance
  left join lateral private.balance_on(r.tenant_id, source.source_no, stated.currency,
    r.period_start - 1) opening_balance on true;
end $function$;
CREATE OR REPLACE FUNCTION private.booked_balances(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select line.currency, source.side,
    coalesce(sum(source.factor * line.amount_minor) filter (where line.value_date < r.period_start),
      0),
    sum(source.factor * line.amount_minor),
    count(*) filter (where line.value_date >= r.period_start)
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) source
  join public.lines line on line.tenant_id = r.tenant_id and line.source_no = source.source_no
    and line.value_date <= r.period_end
  group by line.currency, source.side;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_sums(r public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint, outstanding numeric, excluded numeric, stated_opening numeric, stated_closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with booked as materialized (
    select * from private.booked_balances(r)
  ), outstanding as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.outstanding_of(r) open_line
    group by open_line.currency, open_line.side
  ), excluded as materialized (
    select exclusion.currency, exclusion.side, sum(exclusion.excluded_minor) as minor
    from public.reconciliations period
    join public.exclusions exclusion on exclusion.tenant_id = period.tenant_id
      and exclusion.reconciliation_id = period.id
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_end <= r.period_end
    group by exclusion.currency, exclusion.side
  ), currencies as (
    select booked_balance.currency from booked booked_balance
    union select explanation.currency from private.statement_explained(r) explanation
  )
  select used.currency, sides.side, coalesce(booked_balance.opening, 0),
    coalesce(booked_balance.closing, 0), coalesce(booked_balance.line_count, 0),
    coalesce(open_sum.minor, 0), coalesce(exclusion_sum.minor, 0),
    stated.opening, stated.closing, stated.stated_on, stated.timing, stated.unaccounted
  from currencies used
  cross join (values ('left'), ('right')) sides (side)
  left join booked booked_balance on booked_balance.currency = used.currency
    and booked_balance.side = sides.side
  left join outstanding open_sum on open_sum.currency = used.currency and open_sum.side = sides.side
  left join excluded exclusion_sum on exclusion_sum.currency = used.currency
    and exclusion_sum.side = sides.side
  left join private.stated_balances(r) stated
    on stated.currency = used.currency and stated.side = sides.side;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_decisions(tenant text, pair integer)
 RETURNS TABLE(line_no bigint, id uuid, side text, currency text, value_date date, amount_minor bigint, matched_minor numeric, excluded_minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with matched as materialized (
    select mm.line_no, sum(mm.allocated_minor) as minor from public.reconciliations period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state = 'confirmed'
    join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
    where period.tenant_id = tenant and period.pair_no = pair group by 1
  ), excluded as materialized (
    select exclusion.line_no, sum(exclusion.excluded_minor) as minor
    from public.exclusions exclusion
    where exclusion.tenant_id = tenant and exclusion.pair_no = pair
    group by 1
  ), came as materialized (
    select line.line_no, line.id,
      case source.source_no when own_pair.left_source_no then 'left' else 'right' end as side,
      line.currency, line.value_date,
      case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end as minor
    from public.pairs own_pair
    join public.sources source on source.tenant_id = own_pair.tenant_id
      and source.source_no in (own_pair.left_source_no, own_pair.right_source_no)
    join public.lines line on line.tenant_id = source.tenant_id
      and line.source_no = source.source_no
    where own_pair.tenant_id = tenant and own_pair.pair_no = pair
  )
  select coalesce(line.line_no, matched_line.line_no, excluded_line.line_no), line.id, line.side,
    line.currency, line.value_date, line.minor,
    coalesce(matched_line.minor, 0), coalesce(excluded_line.minor, 0)
  from came line full join matched matched_line on matched_line.line_no = line.line_no
    full join excluded excluded_line
      on excluded_line.line_no = coalesce(line.line_no, matched_line.line_no);
end $function$;
CREATE OR REPLACE FUNCTION private.books_differences(tenant text, pair integer)
 RETURNS TABLE(what text, subject text, computed text, shown text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
    select match.id, match.reconciliation_id, match.state, match.currency, mm.line_no, mm.side,
      mm.allocated_minor, match.residual_minor
        + (select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
          from jsonb_array_elements(match.adjustments) adjustment) as explained
    from periods period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state in ('confirmed', 'suggested')
    join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
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
  select 'matched lines', period.id, counted.count::text, coalesce(matched_count.lines, 0)::text
  from periods period
    left join private.matched_counts matched_count on matched_count.tenant_id = period.tenant_id
      and matched_count.reconciliation_id = period.id
  cross join lateral (select count(*) from matches match
    where match.reconciliation_id = period.id and match.state = 'confirmed') counted
  where counted.count <> coalesce(matched_count.lines, 0)
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
  select 'closing', digest.id, digest.computed, digest.digest from digests digest
  where digest.digest <> digest.computed;
end $function$;
CREATE OR REPLACE FUNCTION private.closing_digest(tenant text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
        sha256(convert_to(row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text, 'UTF8')),
        '' order by mm.match_id, mm.line_no)
      from public.matches match
        join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
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
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_about_line(l public.lines)
 RETURNS TABLE(type text, at timestamp with time zone, actor text, reconciliation_id text, match_id uuid, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with matched as materialized (
    select match.*
    from public.match_members mm
    join public.matches match on match.tenant_id = mm.tenant_id and match.id = mm.match_id
    where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
  ), decided as materialized (
    select match.id as match_id, act.kind, act.reconciliation_id, act.created_at, act.created_by,
      act.undone_at, act.undone_by
    from matched match
    join private.acts act on act.tenant_id = match.tenant_id
      and act.reconciliation_id = match.reconciliation_id and match.id = any (act.match_ids)
  )
  -- Matches made by the engine: whatever was decided since then began as a suggestion.
  select case when match.state in ('suggested', 'rejected')
      or exists (select from decided decision where decision.match_id = match.id)
      then 'suggested' else 'matched' end,
    match.created_at, match.created_by, match.reconciliation_id, match.id, match.method
  from matched match where match.method <> 'manual'
  union all
  select case decision.kind when 'match' then 'matched' when 'confirm' then 'confirmed'
      else 'rejected' end,
    decision.created_at, decision.created_by, decision.reconciliation_id, decision.match_id, null
  from decided decision
  union all
  select 'undone', decision.undone_at, decision.undone_by, decision.reconciliation_id,
    decision.match_id, null
  from decided decision where decision.undone_at is not null
  union all
  select 'undone', match.decided_at, coalesce(match.decided_by, 'system'), match.reconciliation_id,
    match.id, null
  from matched match
  where match.state = 'undone'
    and not exists (select from decided decision
      where decision.match_id = match.id and decision.undone_at = match.decided_at)
  union all
  select 'excluded', act.created_at, act.created_by, act.reconciliation_id, null, act.reason
  from private.acts act where act.tenant_id = l.tenant_id and act.line_id = l.id
  union all
  select 'included', act.undone_at, act.undone_by, act.reconciliation_id, null, null
  from private.acts act
  where act.tenant_id = l.tenant_id and act.line_id = l.id and act.undone_at is not null;
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  l public.lines;
begin
  perform private.begin_request(request, 'list_line_history');
  select * into l
  from public.lines line
  where line.tenant_id = private.tenant_id() and line.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with about as materialized (
      select exception.* from public.exceptions exception
      where exception.tenant_id = l.tenant_id and exception.id = any (array(
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = l.tenant_id and exception_line.line_no = l.line_no))
      union
      select exception.* from public.exceptions exception
      where exception.tenant_id = l.tenant_id and exception.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, import.created_by, null, null::uuid, null, import.id,
        import.file_name
      from (select 1) one
      left join public.imports import on import.tenant_id = l.tenant_id and import.id = l.import_id
      union all
      select decision.type, decision.at, decision.actor, decision.reconciliation_id,
        decision.match_id, null, null, decision.note
      from private.decisions_about_line(l) decision
      union all
      select 'exception_opened', exception.created_at, exception.created_by,
        exception.reconciliation_id, null, exception.id, null, exception.reason_code
      from about exception
      union all
      select case exception.status when 'dismissed' then 'exception_dismissed'
          else 'exception_resolved' end,
        exception.closed_at, case when exception.resolved_by_matching then 'system' end,
        exception.reconciliation_id, null, exception.id, null, exception.resolution
      from about exception where exception.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', item.type,
      'at', private.iso(item.at), 'actor', item.actor, 'reconciliation_id', item.reconciliation_id,
      'match_id', private.match_id_text(item.match_id), 'exception_id', item.exception_id,
      'import_id', item.import_id, 'note', item.note) order by item.at, item.place), '[]'))
    from (
      select item.*, array_position(
        array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], item.type) as place
      from told item order by item.at desc limit 200
    ) item
  );
end $function$;
CREATE OR REPLACE FUNCTION private.sign_statement(c public.closings)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.statements (tenant_id, reconciliation_id, number, statement, digest, closed_by,
    closer_issuer, closer_subject, closed_at, signatures)
  select c.tenant_id, c.reconciliation_id, coalesce(max(statement.number), 0) + 1, c.statement,
    c.digest, c.closed_by, private.actor_issuer(), private.actor_subject(), c.closed_at,
    (
      select coalesce(jsonb_agg(private.period_signature_json(signature) order by signature.number),
        '[]')
      from public.period_signatures signature
      where signature.tenant_id = c.tenant_id and signature.reconciliation_id = c.reconciliation_id
        and signature.revoked_at is null
    )
  from public.statements statement
  where statement.tenant_id = c.tenant_id and statement.reconciliation_id = c.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.signed_rows(tenant text, reconciliation text, kind text, after text, page_size integer)
 RETURNS TABLE(key text, content text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  case kind
    when 'matches' then
      return query
      select match.id::text,
        row(match.id, match.shape, match.method, match.currency, match.amount_minor,
          match.residual_minor, match.adjustments, match.note, match.decided_by,
          match.created_by)::text
      from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed' and (after is null or match.id > after::uuid)
      order by match.id limit page_size;
    when 'members' then
      return query
      select mm.match_id || ' ' || mm.line_no,
        row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text
      from public.matches match
      join public.match_members mm on mm.tenant_id = match.tenant_id and mm.match_id = match.id
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed'
        and (after is null or match.id >= split_part(after, ' ', 1)::uuid
          and (mm.match_id, mm.line_no)
            > (split_part(after, ' ', 1)::uuid, split_part(after, ' ', 2)::bigint))
      order by mm.match_id, mm.line_no limit page_size;
    when 'exclusions' then
      return query
      select exclusion.line_no::text,
        row(exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
          exclusion.reason, exclusion.created_by)::text
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = reconciliation
        and (after is null or exclusion.line_no > after::bigint)
      order by exclusion.line_no limit page_size;
    when 'carried' then
      return query
      select carried_line.line_no::text,
        row(carried_line.line_no, carried_line.side, carried_line.currency, carried_line.open_minor,
          carried_line.value_date::text)::text
      from public.carried_lines carried_line
      where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation
        and (after is null or carried_line.line_no > after::bigint)
      order by carried_line.line_no limit page_size;
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_signed_items(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  signed constant integer := (
    select max(statement.number) from public.statements statement
    where statement.tenant_id = r.tenant_id and statement.reconciliation_id = r.id
      and statement.reopened_at is null
  );
  kind text;
  after text;
  last_key text;
  contents text[];
  place integer;
begin
  if signed is null then
    return;
  end if;
  foreach kind in array '{matches,members,exclusions,carried}'::text[] loop
    after := null;
    place := 0;
    loop
      select array_agg(item.content order by item.n), (array_agg(item.key order by item.n desc))[1]
      into contents, last_key
      from (
        select item.*, row_number() over () as n
        from private.signed_rows(r.tenant_id, r.id, kind, after, 5000) item
      ) item;
      exit when contents is null;
      insert into private.reopened_items (tenant_id, reconciliation_id, number, kind, seq, rows)
      values (r.tenant_id, r.id, signed, kind, place, contents);
      place := place + 1;
      after := last_key;
    end loop;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION public.open_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  s public.statements;
  chain jsonb;
  closed_seq bigint;
begin
  perform private.begin_request(request, 'open_statement_bundle');
  r := private.find_period(input ->> 'id');
  select * into s from public.statements statement
  where statement.tenant_id = r.tenant_id and statement.reconciliation_id = r.id
    and statement.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  chain := private.chain_state_of_caller();
  select max(event.seq) into closed_seq from public.security_events event
  where event.tenant_id = r.tenant_id and event.chain = r.tenant_id and event.target = r.id
    and event.type = 'reconciliation.closed' and event.details ->> 'digest' = s.digest;
  return jsonb_build_object(
    'statement', s.statement::text, 'signature', private.signature_json(s),
    'rules', (
      select jsonb_build_object('version', rules_version.version, 'rules', rules_version.rules,
        'policy', rules_version.policy)
      from public.pair_rules rules_version
      where rules_version.tenant_id = r.tenant_id and rules_version.pair_no = r.pair_no
        and rules_version.created_at <= s.closed_at
      order by rules_version.version desc limit 1
    ),
    'engine_versions', (
      select coalesce(jsonb_agg(distinct run.engine_version), '[]') from public.runs run
      where run.tenant_id = r.tenant_id and run.reconciliation_id = r.id
        and run.engine_version is not null
    ),
    'audit', case when closed_seq is not null then jsonb_build_object(
      'from', closed_seq,
      'through', (
        select max((checkpoint ->> 'seq')::bigint)
        from jsonb_array_elements(chain -> 'checkpoints') checkpoint
        where checkpoint ->> 'kind' = 'head'
      ),
      'checkpoints', chain -> 'checkpoints') end);
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  numbered constant integer := (input ->> 'number')::integer;
  place integer;
  s public.statements;
  contents jsonb;
  next_key text;
begin
  perform private.begin_request(request || '{"continues": true}', 'list_statement_bundle');
  select * into s from public.statements statement
  where statement.tenant_id = tenant and statement.reconciliation_id = input ->> 'id'
    and statement.number = numbered;
  if not found then
    perform private.refuse_missing('statement');
  elsif input ->> 'kind' = 'evidence' then
    return jsonb_build_object('next', null, 'rows', (
      select coalesce(jsonb_agg(evidence.content order by evidence.evidence_id), '[]')
      from public.statement_evidence evidence
      where evidence.tenant_id = tenant and evidence.reconciliation_id = s.reconciliation_id
        and evidence.number = numbered
    ));
  elsif input ->> 'kind' = 'entries' then
    return private.entry_rows(s, coalesce((input ->> 'after')::integer, 0),
      (input ->> 'limit')::integer);
  elsif s.reopened_at is not null then
    place := coalesce((input ->> 'after')::integer + 1, 0);
    contents := to_jsonb(
      private.reopened_rows(s.reconciliation_id, numbered, input ->> 'kind', place));
    return jsonb_build_object('rows', coalesce(contents, '[]'),
      'next', case when contents is not null then place::text end);
  end if;
  select jsonb_agg(item.content order by item.n), (array_agg(item.key order by item.n desc))[1]
  into contents, next_key
  from (
    select item.*, row_number() over () as n
    from private.signed_rows(tenant, s.reconciliation_id, input ->> 'kind', input ->> 'after',
      (input ->> 'limit')::integer) item
  ) item;
  return jsonb_build_object('rows', coalesce(contents, '[]'), 'next', next_key);
end $function$;
CREATE OR REPLACE FUNCTION public.get_closing_board(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'get_closing_board');
  with shown as materialized (
    select pair.pair_no, pair.opening is not null as is_preparing, left_source.id as left_id,
      left_source.name as left_name, right_source.id as right_id,
      right_source.name as right_name,
      private.default_policy() || coalesce(rules_version.policy, '{}') as policy,
      least((now() at time zone left_source.time_zone)::date,
        (now() at time zone right_source.time_zone)::date) as today
    from public.pairs pair
    join public.sources left_source on left_source.tenant_id = tenant
      and left_source.source_no = pair.left_source_no
    join public.sources right_source on right_source.tenant_id = tenant
      and right_source.source_no = pair.right_source_no
    left join public.pair_rules rules_version on rules_version.tenant_id = tenant
      and rules_version.pair_no = pair.pair_no and rules_version.version = pair.rules_version
    where pair.tenant_id = tenant and (input -> 'after' ->> 0 is null
      or (left_source.id, right_source.id) > (input -> 'after' ->> 0, input -> 'after' ->> 1))
    order by left_source.id, right_source.id limit page_size + 1
  ), periods as materialized (
    select period, pair.is_preparing, pair.today, pair.policy ->> 'calendar_id' as calendar_id,
      (pair.policy ->> 'close_days')::integer as close_days
    from shown pair join public.reconciliations period on period.tenant_id = tenant
      and period.pair_no = pair.pair_no
      and period.period_end between (input ->> 'from')::date and (input ->> 'to')::date
  ), due_days as materialized (
    select due.calendar_id, due.close_days, due.period_end,
      private.business_day_after(tenant, due.calendar_id, due.period_end, due.close_days) as due_day
    from (select distinct dated.calendar_id, dated.close_days,
      (dated.period).period_end from periods dated) due
  ), cells as materialized (
    select (dated.period).pair_no, jsonb_agg(
      private.board_period_json(dated.period, dated.is_preparing, due.due_day, dated.today)
      order by (dated.period).period_start) as periods
    from periods dated join due_days due on due.calendar_id is not distinct from dated.calendar_id
      and due.close_days = dated.close_days and due.period_end = (dated.period).period_end
    group by (dated.period).pair_no
  )
  select jsonb_agg(jsonb_build_object(
    'left_source_id', pair.left_id, 'left_source', pair.left_name,
    'right_source_id', pair.right_id, 'right_source', pair.right_name,
    'periods', coalesce(cell.periods, '[]')
  ) order by pair.left_id, pair.right_id) into items
  from shown pair left join cells cell on cell.pair_no = pair.pair_no;
  return private.page(items, page_size, 'left_source_id', 'right_source_id');
end $function$;
