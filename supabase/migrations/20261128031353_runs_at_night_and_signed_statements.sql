create index open_lines_partly_matched
  on private.open_lines (tenant_id, pair_no, side, value_date, line_no)
where open_minor <> amount_minor;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.line_page(public.reconciliations,text,text,boolean,boolean,text);
drop function private.lines_by_state_filters(public.reconciliations,text,boolean);
drop function private.narrow_by_state(public.reconciliations,text,integer[],integer);
drop function private.checks_of_files(jsonb,jsonb);
drop function private.queue_run(text,integer,text,text,interval);
CREATE OR REPLACE FUNCTION private.record_reconciliation_change(before public.reconciliations, after public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  changes constant jsonb := (
    select coalesce(jsonb_object_agg(new_field.key,
      jsonb_build_object('from', old_field.value, 'to', new_field.value)), '{}')
    from jsonb_each(to_jsonb(after)) new_field
    join jsonb_each(to_jsonb(before)) old_field on old_field.key = new_field.key
    where old_field.value is distinct from new_field.value
      and new_field.key in ('name', 'status', 'period_start', 'period_end', 'left_source',
        'right_source', 'auto_run')
  );
begin
  if changes = '{}' then
    return;
  end if;
  if changes - '{status,auto_run}'::text[] <> '{}' and after.closed_at is null then
    perform private.revoke_signatures(after.tenant_id, array[after.id], 'The period was changed.');
  end if;
  perform private.record_security_event('reconciliation.updated', after.id, null,
    jsonb_build_object('name', after.name, 'changes', changes));
end $function$;
CREATE OR REPLACE FUNCTION public.update_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.lock_pair_of(input ->> 'id');
  select * into before
  from public.reconciliations period
  where period.tenant_id = private.tenant_id() and period.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations period set
      name = after.name, status = after.status, period_start = after.period_start,
      period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count,
      auto_run = after.auto_run
    where period.tenant_id = before.tenant_id and period.id = before.id
    returning * into after;
    perform private.record_reconciliation_change(before, after);
  end if;
  return private.finish_request(request,
    private.reconciliation_json(after)
      || jsonb_build_object('version', private.reconciliation_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if replayed is not null then
    return replayed;
  end if;
  -- Exclusively if its currency or sign changes, with which its lines are read.
  perform private.lock_sources_exclusively(source.tenant_id, array[source.source_no])
    from public.sources source
  where source.tenant_id = private.tenant_id() and source.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', source.currency),
      coalesce(input #>> '{patch,sign}', source.sign)) <> (source.currency, source.sign);
  select * into before
  from public.sources source
  where source.tenant_id = private.tenant_id() and source.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources source set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone,
      sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where source.tenant_id = before.tenant_id and source.id = before.id
    returning * into after;
    if after.kind <> before.kind then
      perform private.revoke_signatures_of_source(after.tenant_id, after.source_no, '-infinity',
        'The kind of a source was changed.');
    end if;
    perform private.record_security_event('source.updated', after.id, null, (
      select jsonb_build_object('name', after.name, 'changes', coalesce(jsonb_object_agg(
        new_field.key, jsonb_build_object('from', old_field.value, 'to', new_field.value)), '{}'))
      from jsonb_each(private.source_facts(after)) new_field
      join jsonb_each(private.source_facts(before)) old_field on old_field.key = new_field.key
      where old_field.value is distinct from new_field.value
    ));
  end if;
  return private.finish_request(request,
    private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_state(period public.reconciliations, state text, max_count integer)
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
    select matched_count.lines
    from private.matched_counts matched_count
    where matched_count.tenant_id = tenant and matched_count.reconciliation_id = period.id),
      0) <= max_count
  then
    return array(
      select distinct settled_member.line_no from public.matches match
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
      where match.tenant_id = tenant and match.reconciliation_id = period.id
        and match.state = 'confirmed'
    );
  elsif state = 'excluded' then
    line_nos := array(select exclusion.line_no from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = period.pair_no
      limit max_count + 1);
    return case when cardinality(line_nos) <= max_count then line_nos end;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_count(pair integer, side text, state text, max_count integer)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return case state
    when 'matched' then (
      select coalesce(sum(of_period.lines), 0) from public.reconciliations period
      join private.matched_counts of_period on of_period.tenant_id = tenant
        and of_period.reconciliation_id = period.id
      where period.tenant_id = tenant and period.pair_no = pair)
    else (
      select count(*) from (
        select from public.exclusions exclusion
        where exclusion.tenant_id = tenant and exclusion.pair_no = pair
          and exclusion.side = settled_count.side limit max_count + 1
      ) excluded)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.locate_settled_lines(state text, source_nos integer[], max_count integer, OUT line_nos bigint[], OUT scanned_nos integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  few_pairs integer[];
  few_sides text[];
begin
  with counted as (
    select source.source_no, first_pair.pair_no, first_pair.side,
      private.settled_count(first_pair.pair_no, first_pair.side, state, max_count) as lines
    from unnest(source_nos) source (source_no) cross join lateral (
      select pair.pair_no,
        case source.source_no when pair.left_source_no then 'left' else 'right' end as side
      from public.pairs pair
      where pair.tenant_id = tenant and pair.opening is null
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      order by pair.pair_no limit 1
    ) first_pair
  ), summed as (
    select counted.*, sum(counted.lines) over (order by counted.lines, counted.source_no) as total
    from counted where counted.lines > 0
  )
  select coalesce(array_agg(summed.source_no) filter (where summed.total > max_count), '{}'),
    array_agg(summed.pair_no) filter (where summed.total <= max_count),
    array_agg(summed.side) filter (where summed.total <= max_count)
  into scanned_nos, few_pairs, few_sides from summed;
  if state = 'matched' then
    line_nos := array(
      select distinct settled_member.line_no from public.reconciliations period
      join public.matches match on match.tenant_id = tenant
        and match.reconciliation_id = period.id and match.state = 'confirmed'
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
      where period.tenant_id = tenant and period.pair_no = any (few_pairs));
  else
    line_nos := array(
      select distinct exclusion.line_no from unnest(few_pairs, few_sides) few (pair_no, side)
      join public.exclusions exclusion on exclusion.tenant_id = tenant
        and exclusion.pair_no = few.pair_no and exclusion.side = few.side);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_state_filters(period public.reconciliations, input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  state constant text := input ->> 'state';
begin
  return concat_ws(' and ', 'w.side = s.side',
    case when period.id is not null then 'w.value_date <= $3.period_end' end,
    case when input -> 'after' ->> 0 is not null
      then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when input ->> 'currency' is not null then $c$w.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null and period.closed_at is null
      then $c$greatest(w.amount_minor, -w.amount_minor) >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null and period.closed_at is null
      then $c$-greatest(w.amount_minor, -w.amount_minor) <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when period.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor'
        when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not completely matched in another pair.
    case when period.id is null and state = 'partly_matched' then $c$not exists (
      select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no
        and o.open_minor = o.amount_minor offset 0)$c$ end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_page(period public.reconciliations, input jsonb, stands text, is_few boolean, filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  has_cursor constant boolean := input -> 'after' ->> 0 is not null;
  after constant text := case when has_cursor then '(x.value_date, x.line_no) < ($6, $7)'
    else 'true' end;
  of_source constant text := $q$
    select x.value_date, x.line_no from public.lines x
    where %s and x.tenant_id = $1 and x.source_no = s.source_no and %s and %s
    order by x.value_date desc, x.line_no desc limit $8 $q$;
begin
  if is_few then
    return format($q$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y
        where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s and %s $q$, after, filters);
  elsif stands is null then
    return format('select w.value_date, w.line_no from s cross join lateral (%s) w',
      format(of_source, 'true', after, filters));
  end if;
  -- A line that is open in several pairs is listed once. A source without a pair has only open
  -- lines.
  return format($q$
    select distinct w.value_date, w.line_no from s cross join lateral ((
      select w.value_date, w.line_no from %s and %s and exists (
        select
        from (select * from public.lines y
          where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
        where %s offset 0
      ) order by w.value_date desc, w.line_no desc limit $8
    ) %s) w $q$, stands, private.lines_by_state_filters(period, input), filters,
    case when period.id is null and input ->> 'state' <> 'partly_matched' then
      format('union all (%s)', format(of_source, 's.pair_no is null', after, filters)) end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_list_statement(period public.reconciliations, input jsonb, has_known boolean, has_scanned boolean, filters text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  state constant text := input ->> 'state';
  stands constant text := case when not has_known then private.lines_by_state(period, state) end;
  has_cursor constant boolean := input -> 'after' ->> 0 is not null;
  of_line constant text := concat_ws(' and ', private.line_field_filters(input),
    private.line_period_filters(period, state, stands is not null), nullif(filters, ''));
begin
  return private.line_page_statement(stands, case
    when has_known and has_scanned then format('(%s) union all (%s)',
      private.line_page(period, input, null, true, of_line || ' and x.source_no <> all ($11)'),
      private.line_page(period, input, null, false, of_line || ' and s.source_no = any ($11)'))
    else private.line_page(period, input, stands, has_known, of_line) end);
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
  scanned_nos integer[] := '{}';
  is_searched boolean := false;
  is_changed boolean := false;
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
  if found_lines is null and period.id is not null then
    found_lines := private.narrow_by_state(period, state, 5000);
  elsif found_lines is null and state in ('matched', 'excluded') then
    select located.line_nos, located.scanned_nos into found_lines, scanned_nos
    from private.locate_settled_lines(state, source_nos, 5000) located;
  end if;
  return query execute private.line_list_statement(period, input, found_lines is not null,
    cardinality(scanned_nos) > 0, concat_ws(' and ',
      case when since is not null and not is_changed then private.line_changed_since() end,
      case when search is not null and not is_searched
        then private.line_search(search, 'private.line_text(x)') end))
  using tenant, input, period, source_nos, found_lines, after_date, after_no, max_count, since,
    first_no, scanned_nos;
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
  perform private.lock_pairs_of_open_source(source.tenant_id, source.source_no);
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
  perform private.lock_pairs_of_open_source(source.tenant_id, source.source_no);
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
CREATE OR REPLACE FUNCTION private.expected_balance(before public.source_balances, balance public.source_balances)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := balance.tenant_id;
  source constant integer := balance.source_no;
  currency constant text := balance.currency;
begin
  if balance.opening_minor is null then
    return before.closing_minor
      + private.booked_between(tenant, source, currency, before.period_end + 1, balance.period_end);
  elsif balance.period_start > before.period_end then
    return before.closing_minor + private.booked_between(tenant, source, currency,
      before.period_end + 1, balance.period_start - 1);
  elsif before.opening_minor is null then
    return before.closing_minor - private.booked_between(tenant, source, currency,
      balance.period_start, before.period_end);
  end if;
  return before.opening_minor
    + private.booked_between(tenant, source, currency, before.period_start,
      balance.period_start - 1)
    - private.booked_between(tenant, source, currency, balance.period_start,
      before.period_start - 1);
end $function$;
CREATE OR REPLACE FUNCTION private.continues_another(balance public.source_balances, accounts integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from (
      select other.*, max(other.period_end) filter (where other.period_end < balance.period_start)
        over () as last_before
      from public.source_balances other
      where other.tenant_id = balance.tenant_id and other.source_no = balance.source_no
        and other.currency = balance.currency and other.id <> balance.id
        and (accounts < 2 or other.account is not distinct from balance.account)
        and other.period_end <= coalesce(balance.period_start, balance.period_end)
    ) other
    where case when balance.opening_minor is null
      then other.period_end = balance.period_end and other.closing_minor = balance.closing_minor
      else other.closing_minor = balance.opening_minor
        and other.period_end >= coalesce(other.last_before, balance.period_start) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.account_count(tenant text, source integer, currency text)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(distinct source_balances.account) from public.source_balances
    where source_balances.tenant_id = tenant and source_balances.source_no = source
      and source_balances.currency = account_count.currency
  );
end $function$;
CREATE OR REPLACE FUNCTION private.balance_breaks(tenant text, source integer, currency text, first date, last date)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  accounts constant integer := private.account_count(tenant, source, currency);
  -- The last one of an earlier day, the one before in the order below, and which of them counts.
  day_before public.source_balances;
  before public.source_balances;
  previous public.source_balances;
  balance public.source_balances;
  beyond numeric;
  breaks jsonb := '[]';
begin
  for balance in
    select distinct on (case when accounts > 1 then source_balances.account end,
      source_balances.period_end, source_balances.period_start, source_balances.opening_minor,
      source_balances.closing_minor) source_balances.*
    from public.source_balances
    where source_balances.tenant_id = tenant and source_balances.source_no = source
      and source_balances.currency = balance_breaks.currency
      and coalesce(source_balances.period_start, source_balances.period_end) <= last
      and source_balances.period_end >= coalesce((
        select max(earlier.period_end) from public.source_balances earlier
        where earlier.tenant_id = tenant and earlier.source_no = source
          and earlier.currency = balance_breaks.currency and earlier.period_end < first
      ), first)
    order by case when accounts > 1 then source_balances.account end,
      source_balances.period_end, source_balances.period_start, source_balances.opening_minor,
      source_balances.closing_minor, source_balances.id
  loop
    if before.period_end is distinct from balance.period_end then
      day_before := before;
    end if;
    -- Several statements of one day continue one another in an order that isn't known.
    previous := case when balance.period_start = balance.period_end
      and before.period_start = balance.period_end then day_before
      else before end;
    if (accounts < 2 or previous.account is not distinct from balance.account)
      and balance.opening_minor is distinct from previous.closing_minor then
      beyond := coalesce(balance.opening_minor, balance.closing_minor)
        - private.expected_balance(previous, balance);
      if beyond <> 0 and not private.continues_another(balance, accounts) then
        breaks := breaks || private.balance_break_json(previous, balance, beyond);
      end if;
    end if;
    before := balance;
  end loop;
  return breaks;
end $function$;
CREATE OR REPLACE FUNCTION private.balance_break_json(before public.source_balances, balance public.source_balances, minor numeric)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  first_day constant date := coalesce(balance.period_start, balance.period_end);
begin
  return jsonb_build_object(
    'kind', case when first_day > before.period_end then 'gap' else 'overlap' end,
    'from', least(before.period_end, first_day), 'to', greatest(before.period_end, first_day),
    'minor', private.exact_sum(minor));
end $function$;
CREATE OR REPLACE FUNCTION private.balance_breaks_of_source(tenant text, source integer, first date, last date)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(found.item order by stated.currency, found.place), '[]')
    from (
      select distinct source_balances.currency from public.source_balances
      where source_balances.tenant_id = tenant and source_balances.source_no = source
    ) stated
    cross join lateral jsonb_array_elements(
      private.balance_breaks(tenant, source, stated.currency, first, last)
    ) with ordinality found (item, place)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, after_no bigint, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  search constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ',
    'x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when search is not null
        then 'exists (select from public.lines line
          where line.tenant_id = $1 and line.line_no = x.line_no and '
        || private.line_search(search, 'private.line_text(line)') || ')' end,
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
    -- The same as a range of the index by amount.
    case when input ->> 'sort' = 'amount' and (input ->> 'amount_from')::bigint > 0
      then $c$(-abs(x.open_minor)) <= -($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'sort' = 'amount' and (input ->> 'amount_to')::bigint < 0
      then $c$(-abs(x.open_minor)) <= ($2 ->> 'amount_to')::bigint$c$ end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    case (input ->> 'suggested')::boolean
      -- Few lines have a suggestion: they are looked up.
      when true then $c$x.line_no = any (array(
        select member.line_no
        from public.matches match
        join public.match_members member on member.tenant_id = match.tenant_id
          and member.match_id = match.id
        where match.tenant_id = $1 and match.reconciliation_id = $8
          and match.state = 'suggested'))$c$
      -- With a lookup for each line until the page is full.
      when false then $c$(
        select true
        from public.match_members member
        join public.matches match on match.tenant_id = member.tenant_id
          and match.id = member.match_id
        where member.tenant_id = $1 and member.line_no = x.line_no and member.pair_no = $3
          and match.state = 'suggested' and match.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval, priority integer DEFAULT 0)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  job_of_run constant text := 'match:' || coalesce(run, reconciliation);
begin
  perform graphile_worker.add_job('match_pair',
    private.with_request_id(
      jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, max_attempts => 5, job_key => job_of_run, priority => priority,
    run_at => least(now() + delay, (
      select job.run_at from graphile_worker.jobs job
      where job.key = job_of_run and job.locked_at is null
    )),
    flags => private.job_flags(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.job_flags(tenant, 'large run') end);
end $function$;
CREATE OR REPLACE FUNCTION private.nightly_run_interval()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '06:00:00'::interval;
CREATE OR REPLACE FUNCTION private.is_night(zone text, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return extract(hour from at at time zone zone) between 1 and 4;
end $function$;
CREATE OR REPLACE FUNCTION private.grace_has_passed(period public.reconciliations, last_run public.runs)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    cross join lateral (
      select private.last_day_of_grace(source,
        private.policy_of_pair(pair.tenant_id, pair.pair_no) ->> 'calendar_id') as day
    ) grace
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
      and exists (
        select from private.open_lines open_line
        where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
          and open_line.side = case source.source_no when pair.left_source_no then 'left'
            else 'right' end
          and open_line.value_date < grace.day and open_line.value_date <= period.period_end
          and open_line.value_date
            >= (last_run.conditions -> 'days_of_grace' ->> source.source_no::text)::date
      )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.is_full_run_due(period public.reconciliations, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  last_run constant public.runs := private.newest_run(period, '{queued,running,done,failed}');
begin
  if last_run.status in ('queued', 'running')
    or last_run.created_at > at - private.nightly_run_interval()
    or private.is_closing(period.tenant_id, period.pair_no, period.id) then
    return false;
  end if;
  return last_run.status = 'failed'
    or exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    or exists (select from private.decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no)
    or private.grace_has_passed(period, last_run);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_nightly_runs(batch integer DEFAULT 200, at timestamp with time zone DEFAULT now())
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  queued_count integer := 0;
begin
  for period in
    select reconciliation.*
    from public.reconciliations reconciliation
    join public.pairs pair on pair.tenant_id = reconciliation.tenant_id
      and pair.pair_no = reconciliation.pair_no and pair.opening is null
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no = pair.left_source_no
    where reconciliation.auto_run and reconciliation.closed_at is null
      and reconciliation.status <> 'archived' and private.is_night(source.time_zone, at)
      and not exists (select from graphile_worker.jobs job
        where job.key = 'match:' || reconciliation.id)
      and private.is_full_run_due(reconciliation, at)
    order by reconciliation.period_end
    limit batch
  loop
    perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '0', 10);
    queued_count := queued_count + 1;
  end loop;
  return queued_count;
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_pair(tenant text, pair integer, since date, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  periods constant text[] := array(
    select distinct signature.reconciliation_id from public.period_signatures signature
    join public.reconciliations period on period.tenant_id = signature.tenant_id
      and period.id = signature.reconciliation_id
      and period.closed_at is null
    where signature.tenant_id = tenant and signature.pair_no = pair and signature.revoked_at is null
      and signature.period_end >= since
      and not private.is_closing(tenant, pair, signature.reconciliation_id)
  );
begin
  if cardinality(periods) > 0 then
    perform private.revoke_signatures(tenant, periods, reason);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.coverage_of(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'side', source.side, 'name', source.name, 'currency', source.currency, 'until', source.until,
      'missing_days', private.business_days_between(period.tenant_id,
        private.policy_of_pair(period.tenant_id, period.pair_no) ->> 'calendar_id',
        coalesce(source.until, period.period_start - 1), period.period_end),
      'breaks', private.balance_breaks_of_source(period.tenant_id, source.source_no,
        period.period_start, period.period_end),
      'has_balance', exists (
        select
        from private.balance_on(period.tenant_id, source.source_no, source.currency,
          period.period_end))
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
      where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
    ) source
  );
end $function$;
CREATE OR REPLACE FUNCTION private.unknown_balances(coverage jsonb, balances jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select string_agg(unknown.name, ' and ' order by unknown.side, unknown.name)
    from (
      select source ->> 'side' as side, source ->> 'name' as name
      from jsonb_array_elements(coverage) source
      where not (source ->> 'has_balance')::boolean
      union all
      select source ->> 'side', format('%s in %s', source ->> 'name', balance ->> 'currency')
      from jsonb_array_elements(coverage) source
      join jsonb_array_elements(balances) balance on balance -> 'side' = source -> 'side'
        and balance -> 'currency' <> source -> 'currency'
      where balance -> 'stated_closing_minor' = 'null'
        and (balance -> 'line_count' <> '0' or balance -> 'closing_minor' <> '0')
    ) unknown
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_files(coverage jsonb, balances jsonb, weights jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance constant text := private.unknown_balances(coverage, balances);
begin
  select sum((source_coverage ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', source_coverage ->> 'name',
      coalesce(to_char((source_coverage ->> 'until')::date, 'FMDD Mon YYYY'),
        'the period began')), '; ')
      filter (where (source_coverage ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(source_coverage -> 'breaks'))
  into missing_days, late, break_count
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
  ) || private.checks_of_files(private.coverage_of(period), totals -> 'balances', weights)
  || jsonb_build_array(
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
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  closing public.closings;
  period public.reconciliations;
begin
  select * into strict closing
  from public.closings
  where closings.tenant_id = before.tenant_id and closings.reconciliation_id = before.id;
  perform private.require_signatures(before);
  delete
  from private.closing_requests closing_request
  where closing_request.tenant_id = before.tenant_id
    and closing_request.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(closing);
  if before.status = 'open' then
    update public.reconciliations
    set status = 'in_progress'
    where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id;
  end if;
  update public.reconciliations
  set status = 'completed', closed_at = closing.closed_at, closed_by = closing.closed_by
  where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id
  returning * into period;
  perform private.complete_last_run(period);
  perform private.record_security_event('reconciliation.closed', period.id, null,
    jsonb_build_object('name', period.name, 'digest', closing.digest,
      'signatures', private.sign_off_json(before) -> 'signatures',
      'open_lines', closing.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', balance -> 'currency',
          'side', balance -> 'side', 'open_minor', balance -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(closing.statement -> 'balances') balance
        where balance -> 'outstanding_minor' <> '0'
      )) || private.complete_entry_batch(period));
  perform private.queue_book_recount(period.tenant_id, period.pair_no);
  perform private.emit(period.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_pairs_of_open_source(tenant text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.lock_pairs_of_source(tenant, source_no);
  perform private.require_not_closing(tenant, pair.pair_no) from public.pairs pair
  where pair.tenant_id = tenant
    and lock_pairs_of_open_source.source_no in (pair.left_source_no, pair.right_source_no);
end $function$;
CREATE OR REPLACE FUNCTION private.find_ready_batch(id text)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  batch public.entry_batches;
begin
  perform from public.entry_batches
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = $1 for update;
  batch := private.find_entry_batch($1);
  select * into strict period from public.reconciliations
  where reconciliations.tenant_id = batch.tenant_id
    and reconciliations.id = batch.reconciliation_id;
  if batch.exported_at is not null then
    perform private.refuse_conflict('already_exported', format(
      'Batch %s was marked as exported by %s. Do not post it again.',
      private.entry_batch_name(batch), batch.exported_by));
  elsif private.requires_second_person(period) and private.caller_worked_in(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. '
      'Ask another person to export its entries.');
  end if;
  return batch;
end $function$;
CREATE OR REPLACE FUNCTION private.risk_crossings(within_minutes integer)
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY[0, (private.high_risk_below() - 1), private.medium_risk_up_to(), within_minutes];
CREATE OR REPLACE FUNCTION private.next_sla_change(as_of timestamp with time zone, input jsonb)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  within constant integer := least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
begin
  return least((
    select min(crossing.at)
    from unnest(private.risk_crossings(within)) threshold (minutes)
    cross join lateral (
      select exception.due_at - make_interval(mins => threshold.minutes) as at
      from public.exceptions exception
      where exception.tenant_id = private.tenant_id()
        and exception.status in ('open', 'in_review')
        and exception.due_at > as_of + make_interval(mins => threshold.minutes)
      order by exception.due_at limit 1
    ) crossing
  ), (
    select min(exception.paused_until) from public.exceptions exception
    where exception.tenant_id = private.tenant_id()
      and exception.paused_until <= as_of + interval '1 minute'
  ), case when input ?| '{breached_from,breached_before}' then private.next_clock_at() end);
end $function$;
CREATE OR REPLACE FUNCTION private.sla_changes_query(conditions text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format($q$
    with crossed as (
      select c.*
      from unnest(private.risk_crossings($6)) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4)
          and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4)
        order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at
      from (select * from changed union all select * from crossed) u
      order by u.at, u.id
      limit $2 + 1
    )
    select jsonb_agg(
      jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at),
        'exception', case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions);
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_subject(id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  subject jsonb;
begin
  case left(id, 4)
    when 'exc_' then
      if not private.may('write:exceptions') then
        perform private.refuse('scope_required',
          'Evidence of an exception also requires the scope write:exceptions.');
      end if;
      select jsonb_build_object('type', 'exception', 'name', exception.title,
        'reconciliation_id', exception.reconciliation_id) into subject
      from public.exceptions exception where exception.tenant_id = private.tenant_id()
        and exception.id = $1;
    when 'mat_' then
      select jsonb_build_object('type', 'match', 'name', period.name,
        'reconciliation_id', match.reconciliation_id) into subject
      from public.matches match
      join public.reconciliations period on period.tenant_id = match.tenant_id
        and period.id = match.reconciliation_id
      where match.tenant_id = private.tenant_id() and match.id = private.match_id($1);
    when 'lin_' then
      select jsonb_build_object('type', 'line',
        'name', left(coalesce(line.reference, line.counterparty, line.description), 200),
        'source_no', line.source_no, 'value_date', line.value_date) into subject
      from public.lines line
      where line.tenant_id = private.tenant_id() and line.line_no = private.line_no_of($1);
    else
      select jsonb_build_object('type', 'reconciliation', 'name', period.name,
        'reconciliation_id', period.id) into subject
      from public.reconciliations period
      where period.tenant_id = private.tenant_id() and period.id = $1;
  end case;
  if subject is null then
    perform private.refuse_missing(case left(id, 4) when 'exc_' then 'exception'
      when 'mat_' then 'match' when 'lin_' then 'line' else 'reconciliation' end);
  end if;
  return subject;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_evidence_subject(subject jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if subject ->> 'source_no' is not null then
    perform private.lock_pairs_of_open_source(private.tenant_id(),
      (subject ->> 'source_no')::integer);
  elsif subject ->> 'reconciliation_id' is not null then
    perform private.lock_pair_of(subject ->> 'reconciliation_id');
    perform private.require_not_closing(period.tenant_id, period.pair_no)
    from public.reconciliations period
    where period.tenant_id = private.tenant_id() and period.id = subject ->> 'reconciliation_id';
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_subject(subject jsonb, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  if subject ->> 'source_no' is not null then
    perform private.revoke_signatures_of_source(tenant, (subject ->> 'source_no')::integer,
      (subject ->> 'value_date')::date, left(reason, 1000));
  elsif subject ->> 'reconciliation_id' is not null then
    perform private.revoke_signatures(tenant, array(
      select period.id from public.reconciliations period
      where period.tenant_id = tenant and period.id = subject ->> 'reconciliation_id'
        and period.closed_at is null
    ), left(reason, 1000));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.add_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'add_evidence');
  subject jsonb;
  attachment public.evidence;
begin
  if replayed is not null then
    return replayed;
  end if;
  if input ->> 'supersedes' is not null then
    perform private.lock_evidence_subject(private.evidence_subject(input ->> 'subject_id'));
  end if;
  subject := private.require_evidence_room(input);
  insert into public.evidence (id, subject_type, subject_id, file_name, media_type, bytes, sha256,
    bucket, supersedes)
  values (input ->> 'id', subject ->> 'type', input ->> 'subject_id', input ->> 'file_name',
    input ->> 'media_type', (input ->> 'bytes')::integer, input ->> 'sha256', input ->> 'bucket',
    input ->> 'supersedes')
  returning * into attachment;
  if attachment.bucket is null then
    insert into private.evidence_contents (tenant_id, evidence_id, content)
    values (attachment.tenant_id, attachment.id, decode(input ->> 'content', 'base64'));
  end if;
  if attachment.supersedes is not null then
    perform private.revoke_signatures_of_subject(subject,
      format('Evidence was superseded by %s', attachment.file_name));
  end if;
  perform private.record_evidence('evidence.added', attachment, subject);
  return private.finish_request(request, private.evidence_json(attachment)
    || jsonb_build_object('version', private.version_of(private.evidence_json(attachment))));
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
  perform private.lock_evidence_subject(subject);
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
  perform private.revoke_signatures_of_subject(subject,
    format('Evidence was removed: %s', attachment.file_name));
  perform private.record_evidence('evidence.removed', attachment, subject, input ->> 'reason');
  return private.finish_request(request, answer
    || jsonb_build_object('version', private.version_of(answer), 'bucket', attachment.bucket));
end $function$;
grant execute on function private.account_count(text,integer,text) to authenticated;
grant execute on function private.balance_break_json(public.source_balances,public.source_balances,numeric) to authenticated;
grant execute on function private.balance_breaks_of_source(text,integer,date,date) to authenticated;
grant execute on function private.checks_of_files(jsonb,jsonb,jsonb) to authenticated;
grant execute on function private.continues_another(public.source_balances,integer) to authenticated;
grant execute on function private.expected_balance(public.source_balances,public.source_balances) to authenticated;
grant execute on function private.queue_nightly_runs(integer,timestamp with time zone) to service_role;
grant execute on function private.risk_crossings(integer) to authenticated;
grant execute on function private.unknown_balances(jsonb,jsonb) to authenticated;
