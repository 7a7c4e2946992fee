-- Arrival of lines: however they arrive, they are staged, compared with the stored lines, and
-- stored by one statement.

-- What identifies a line: its external_id, otherwise its content. JSON separates the parts.
-- `reused`: another line has the same external_id, so that day, amount and name are part of the
-- identity.
create function private.line_key(
  external_id text, amount_minor bigint, currency text, value_date date, booked_date date,
  reference text, counterparty text,
  description text, group_key text, details jsonb, reused boolean default false
) returns bytea
language plpgsql immutable set search_path = '' as $$
begin
  if external_id is not null and reused then
    return sha256(convert_to(json_build_array(
      'external_id', external_id,
      private.content_of_id(amount_minor, currency, value_date, counterparty, description)
    )::text, 'UTF8'));
  end if;
  if external_id is not null then
    return sha256(convert_to('external_id ' || external_id, 'UTF8'));
  end if;
  return sha256(convert_to(json_build_array(
    amount_minor, currency, value_date, booked_date, reference, counterparty, description,
    group_key, details ->> 'bank_reference'
  )::text, 'UTF8'));
end $$;

-- What must agree for one external_id to mean the same line: amount, day, and name or text.
create function private.content_of_id(
  amount_minor bigint, currency text, value_date date, counterparty text, description text
) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return json_build_array(amount_minor, currency, value_date,
    coalesce(counterparty, description))::text;
end $$;

-- `nth`: the line's number among equal lines of its file or call.
create function private.line_identity(source_id text, key bytea, nth integer) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return encode(substring(sha256(convert_to(source_id, 'UTF8') || key || int4send(nth)) for 16),
    'hex')::uuid;
end $$;

-- Creates the session's tables in which lines wait to be stored; they are empty again after each
-- transaction.
create function private.stage_lines() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if to_regclass('pg_temp.staged_lines') is not null then
    if exists (select from pg_class class
      where class.oid = to_regclass('pg_temp.staged_lines')
        and class.relowner <> current_user::regrole) then
      raise exception 'staged_lines is not ours';
    end if;
    return;
  end if;
  create temporary table staged_lines (
    position integer not null,
    file_line integer,
    external_id text,
    amount_minor bigint not null,
    fee_minor bigint,
    currency text not null,
    value_date date not null,
    booked_date date,
    reference text,
    counterparty text,
    description text,
    group_key text,
    details jsonb,
    -- Another line has the same external_id: see private.mark_ids_reused_in_file.
    reused boolean not null default false,
    -- Several lines of the file have this external_id, so that equal ones are numbered.
    id_is_shared boolean not null default false,
    is_second_pass boolean not null default false,
    key bytea not null generated always as (private.line_key(
      external_id, amount_minor, currency, value_date, booked_date, reference, counterparty,
      description, group_key, details, reused
    )) stored
  ) on commit delete rows;
  create temporary table repeated_lines (position integer not null, nth integer not null)
    on commit delete rows;
end $$;

-- Numbers the equal lines of the pass.
create function private.number_repeated_lines(is_second_pass boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into pg_temp.repeated_lines (position, nth)
  select staged_lines.position, row_number() over (partition by staged_lines.key
    order by staged_lines.position)
  from pg_temp.staged_lines
  where staged_lines.is_second_pass = $1 and staged_lines.key in (
    select staged_lines.key from pg_temp.staged_lines where staged_lines.is_second_pass = $1
    group by staged_lines.key having count(*) > 1
  );
end $$;

-- The statement that stores the staged lines. $1 tenant, $2 source_no, $3 import, $4 source, $5
-- sign, $6 whether it is the second pass. `skips_known`: known lines are left out;
-- otherwise they are an error.
create function private.insert_of_staged(skips_known boolean) returns text
language plpgsql immutable set search_path = '' as $$
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
end $$;

-- Staged lines whose ID names a line with another amount: how many, and the first 100.
create function private.conflicts_of_staged(tenant text, source text, out conflict_count bigint,
  out conflicts jsonb)
language plpgsql stable set search_path = '' as $$
begin
  select count(*), coalesce(jsonb_agg(to_jsonb(conflict) - 'place' order by conflict.position)
    filter (where conflict.place <= 100), '[]')
  into conflict_count, conflicts
  from (
    select row_number() over (order by staged_lines.position) as place, staged_lines.position,
      staged_lines.file_line, staged_lines.external_id,
      staged_lines.amount_minor || ' ' || staged_lines.currency as found,
      line.amount_minor || ' ' || line.currency as wanted
    from pg_temp.staged_lines
    join public.lines line on line.tenant_id = tenant
      and line.id = private.line_identity(source, staged_lines.key, 0)
    where staged_lines.external_id is not null
      and (line.amount_minor, line.currency) is distinct from (staged_lines.amount_minor,
        staged_lines.currency)
  ) conflict;
end $$;

-- What became of each staged line: [{ index, id, duplicate }].
create function private.items_of_staged(source text, kept_ids uuid[]) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('index', item.position, 'id', private.line_id_text(item.id),
        'duplicate', item.nth > 1 or item.id <> all (kept_ids))
      order by item.position)
    from (
      select staged_lines.position, case when staged_lines.external_id is null then 1
        else coalesce(repeated_lines.nth, 1) end as nth,
        private.line_identity(source, staged_lines.key,
          case when staged_lines.external_id is null then coalesce(repeated_lines.nth, 1)
            else 0 end) as id
      from pg_temp.staged_lines left join pg_temp.repeated_lines
        on repeated_lines.position = staged_lines.position
    ) item
  );
end $$;

-- Counts new lines of a source. Signatures of periods that they fall into are revoked.
create function private.count_arrived(tenant text, source_no integer, accepted bigint,
  first_line_no bigint, last_line_no bigint) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enforce_quota(tenant, 'lines', accepted);
  update public.sources source
  set line_count = source.line_count + accepted
  where source.tenant_id = tenant and source.source_no = count_arrived.source_no;
  perform private.lines_arrived(tenant, source_no, first_line_no, last_line_no);
  if exists (select from public.period_signatures signature
    where signature.tenant_id = tenant and signature.revoked_at is null) then
    perform private.revoke_signatures_of_source(tenant, source_no,
      (select min(staged_lines.value_date) from pg_temp.staged_lines), 'Lines arrived.');
  end if;
end $$;

-- Inserts the staged lines that are new. If the source can't have any of them yet, nothing is
-- looked up, which halves the time. If others add lines to the source at the same time, the lookup
-- is made.
create function private.insert_new_staged_lines(source public.sources, import_id text,
  is_second_pass boolean, out accepted bigint, out kept_ids uuid[], out first_no bigint,
  out last_no bigint)
language plpgsql volatile set search_path = '' as $$
begin
  begin
    execute private.insert_of_staged(is_second_pass or source.line_count > 0 or import_id is null)
      into accepted, kept_ids, first_no, last_no
      using source.tenant_id, source.source_no, import_id, source.id, source.sign, is_second_pass;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids, first_no, last_no
      using source.tenant_id, source.source_no, import_id, source.id, source.sign, is_second_pass;
  end;
end $$;

-- Stores the staged lines that are new, and opens them in each pair of their source.
-- ids_are_unique: the sender promises that an external_id identifies one line, as programs do and
-- banks don't.
-- Returns { staged, accepted, duplicates, conflicts, conflict_count, items }. A conflict has the
-- external_id of another line and another amount; it is not stored: [{ position, file_line,
-- external_id, found, wanted }], the first 100. items, for a call: [{ index, id, duplicate }] in
-- the order of positions.
create function private.insert_staged_lines(
  tenant_id text, source_no integer, import_id text, ids_are_unique boolean
) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
end $$;

-- lines: [{ amount_minor, currency, value_date, … }], at most 1,000; their positions start at 0.
create function private.stage_lines_of(lines jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.stage_lines();
  insert into pg_temp.staged_lines (
    position, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference,
    counterparty, description, group_key, details
  )
  select input_line.place - 1,
    input_line.line ->> 'external_id', (input_line.line ->> 'amount_minor')::bigint,
    (input_line.line ->> 'fee_minor')::bigint,
    input_line.line ->> 'currency', (input_line.line ->> 'value_date')::date,
    (input_line.line ->> 'booked_date')::date,
    input_line.line ->> 'reference', input_line.line ->> 'counterparty',
    input_line.line ->> 'description', input_line.line ->> 'group_key',
    nullif(input_line.line -> 'details', 'null')
  from jsonb_array_elements(lines) with ordinality input_line (line, place);
end $$;

-- Stores lines of a source of the caller's tenant. Refuses: invalid_request for an external_id that
-- another line has, with another amount.
create function private.add_lines(source_no integer, lines jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept jsonb;
begin
  perform private.stage_lines_of(lines);
  kept := private.insert_staged_lines(private.tenant_id(), source_no, null, true);
  if (kept ->> 'conflict_count')::bigint > 0 then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', (
      select jsonb_agg(jsonb_build_object(
        'path', format('lines.%s.external_id', conflict ->> 'position'),
        'message', format(
          'There is a line with this external_id and another amount, %s in minor units: give each line its own.',
          conflict ->> 'wanted')
      )) from jsonb_array_elements(kept -> 'conflicts') conflict
    ));
  end if;
  return kept;
end $$;

-- The positions of lines that a source of the caller's tenant has already, or that occur twice in
-- the call.
create function private.known_lines(source_no integer, lines jsonb, ids_are_unique boolean)
returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  source public.sources;
  known jsonb;
begin
  select * into strict source from public.sources
  where sources.tenant_id = private.tenant_id() and sources.source_no = known_lines.source_no;
  perform private.stage_lines_of(lines);
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file(source.tenant_id, source.id);
    perform private.mark_ids_reused_in_source(source.tenant_id, source.id);
  end if;
  perform private.number_repeated_lines(false);
  perform private.number_repeated_lines(true);
  select coalesce(jsonb_agg(staged_lines.position order by staged_lines.position), '[]') into known
  from pg_temp.staged_lines left join pg_temp.repeated_lines
    on repeated_lines.position = staged_lines.position
  cross join lateral (select coalesce(repeated_lines.nth, 1) as nth) numbered
  where staged_lines.external_id is not null and not staged_lines.id_is_shared and numbered.nth > 1
    or exists (
    select from public.lines line
    where line.tenant_id = source.tenant_id
      and line.id = private.line_identity(source.id, staged_lines.key,
        numbered.nth - (staged_lines.external_id is not null)::integer)
  );
  delete from pg_temp.repeated_lines;
  delete from pg_temp.staged_lines;
  return known;
end $$;
