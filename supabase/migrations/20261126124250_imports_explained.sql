alter table public.imports add column skips jsonb not null default '[]', add column warnings jsonb not null default '[]';

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.line_key(text,bigint,text,date,date,text,text,text,text,jsonb);
CREATE OR REPLACE FUNCTION private.line_key(external_id text, amount_minor bigint, currency text, value_date date, booked_date date, reference text, counterparty text, description text, group_key text, details jsonb, reused boolean DEFAULT false)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
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
    amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details ->> 'bank_reference'
  )::text, 'UTF8'));
end $function$;
CREATE OR REPLACE FUNCTION private.content_of_id(amount_minor bigint, currency text, value_date date, counterparty text, description text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_array(amount_minor, currency, value_date, coalesce(counterparty, description))::text;
end $function$;
CREATE OR REPLACE FUNCTION private.stage_lines()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if to_regclass('pg_temp.staged_lines') is not null then
    if exists (select from pg_class c where c.oid = to_regclass('pg_temp.staged_lines') and c.relowner <> current_user::regrole) then
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
    -- Its external_id belongs to another line: see private.mark_ids_reused_in_file.
    reused boolean not null default false,
    -- The file gives its external_id to several lines, so that equal ones are told apart by number.
    id_is_shared boolean not null default false,
    is_second_pass boolean not null default false,
    key bytea not null generated always as (private.line_key(
      external_id, amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details, reused
    )) stored
  ) on commit delete rows;
  create temporary table repeated_lines (position integer not null, nth integer not null) on commit delete rows;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_ids_reused_in_file(tenant_id text, source_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with repeated as (
    select l.external_id from pg_temp.staged_lines l
    where l.external_id is not null
    group by l.external_id having count(*) > 1
  ), shared as (
    select l.external_id, (array_agg(l.position order by l.position))[1] as first_position,
      (array_agg(l.key order by l.position))[1] as key
    from pg_temp.staged_lines l join repeated on repeated.external_id = l.external_id
    group by l.external_id
    having count(distinct private.content_of_id(
      l.amount_minor, l.currency, l.value_date, l.counterparty, l.description
    )) > 1
  ), owned as (
    select shared.external_id, private.content_of_id(
      coalesce(known.amount_minor, f.amount_minor), coalesce(known.currency, f.currency),
      coalesce(known.value_date, f.value_date),
      case when known.id is null then f.counterparty else known.counterparty end,
      case when known.id is null then f.description else known.description end
    ) as content
    from shared
    join pg_temp.staged_lines f on f.position = shared.first_position
    left join public.lines known
      on known.tenant_id = $1 and known.id = private.line_identity($2, shared.key, 0)
  )
  update pg_temp.staged_lines l
  set id_is_shared = true, reused = owned.content <> private.content_of_id(
    l.amount_minor, l.currency, l.value_date, l.counterparty, l.description
  )
  from owned
  where l.external_id = owned.external_id;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_ids_reused_in_source(tenant_id text, source_id text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  marked bigint;
begin
  update pg_temp.staged_lines l set reused = true, is_second_pass = true
  from public.lines known
  where l.external_id is not null and not l.reused
    and known.tenant_id = $1 and known.id = private.line_identity($2, l.key, 0)
    and private.content_of_id(
      known.amount_minor, known.currency, known.value_date, known.counterparty, known.description
    ) <> private.content_of_id(
      l.amount_minor, l.currency, l.value_date, l.counterparty, l.description
    );
  get diagnostics marked = row_count;
  return marked;
end $function$;
CREATE OR REPLACE FUNCTION private.number_repeated_lines(is_second_pass boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into pg_temp.repeated_lines (position, nth)
  select l.position, row_number() over (partition by l.key order by l.position)
  from pg_temp.staged_lines l
  where l.is_second_pass = $1 and l.key in (
    select g.key from pg_temp.staged_lines g where g.is_second_pass = $1
    group by g.key having count(*) > 1
  );
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
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1, private.line_identity($4, l.key, coalesce(r.nth, 1) - (l.external_id is not null)::integer), $2, l.file_line, $3,
        l.external_id, l.amount_minor, l.fee_minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key,
        nullif(l.details, '{}')
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
      where l.is_second_pass = $6
        and (l.external_id is null or l.id_is_shared or coalesce(r.nth, 1) = 1)
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
      select $1, p.pair_no, k.line_no, case p.left_source_no when $2 then 'left' else 'right' end, k.currency, effective, effective, k.value_date
      from kept k cross join public.pairs p
      cross join lateral (select case $5 when 'inverted' then -k.amount_minor else k.amount_minor end as effective) e
      where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
    ), waiting as (
      insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
      select $1, $2, min(k.line_no), max(k.line_no) from kept k having count(*) > 0
    )
    select count(*), case when $3 is null then coalesce(array_agg(k.id), '{}') end from kept k
  $sql$;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_staged_lines(tenant_id text, source_no integer, import_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  accepted_again bigint;
  kept_ids uuid[];
  conflicts jsonb := '[]';
  conflict_count bigint := 0;
  items jsonb;
begin
  perform private.hold_source($1, $2);
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  if $3 is not null then
    perform private.mark_ids_reused_in_file($1, s.id);
  end if;
  perform private.number_repeated_lines(false);

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids using $1, $2, $3, s.id, s.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids using $1, $2, $3, s.id, s.sign, false;
  end;
  if accepted < staged and $3 is not null and private.mark_ids_reused_in_source($1, s.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true) into accepted_again, kept_ids
    using $1, $2, $3, s.id, s.sign, true;
    accepted := accepted + accepted_again;
  end if;

  if accepted < staged and $3 is null then
    select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100), '[]') into conflict_count, conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate', i.nth > 1 or i.id <> all (kept_ids)) order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    perform private.hold_to_quota($1, 'lines', accepted);
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
CREATE OR REPLACE FUNCTION private.known_lines(source_no integer, lines jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  known jsonb;
begin
  select * into strict s from public.sources x
  where x.tenant_id = private.tenant_id() and x.source_no = known_lines.source_no;
  perform private.stage_lines_of(lines);
  perform private.mark_ids_reused_in_file(s.tenant_id, s.id);
  perform private.mark_ids_reused_in_source(s.tenant_id, s.id);
  perform private.number_repeated_lines(false);
  perform private.number_repeated_lines(true);
  select coalesce(jsonb_agg(l.position order by l.position), '[]') into known
  from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
  cross join lateral (select coalesce(r.nth, 1) as nth) n
  where l.external_id is not null and not l.id_is_shared and n.nth > 1 or exists (
    select from public.lines k
    where k.tenant_id = s.tenant_id
      and k.id = private.line_identity(s.id, l.key, n.nth - (l.external_id is not null)::integer)
  );
  delete from pg_temp.repeated_lines;
  delete from pg_temp.staged_lines;
  return known;
end $function$;
CREATE OR REPLACE FUNCTION private.import_json(i public.imports)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', i.id, 'source_id', (select s.id from public.sources s where s.tenant_id = i.tenant_id and s.source_no = i.source_no),
    'status', i.status, 'format', i.format, 'file_name', i.file_name, 'read_count', i.read_count, 'accepted_count', i.accepted_count,
    'duplicate_count', i.duplicate_count, 'refused_count', i.refused_count, 'skipped_count', i.skipped_count, 'refusals', i.refusals,
    'skips', i.skips, 'warnings', i.warnings,
    'statements', i.statements, 'opening_balance_minor', i.opening_balance_minor, 'closing_balance_minor', i.closing_balance_minor,
    'balance_holds', i.balance_holds, 'bytes_read', i.bytes_read, 'bytes_total', i.bytes_total, 'failure', i.failure,
    'created_at', private.iso(i.created_at), 'created_by', i.created_by, 'finished_at', private.iso(i.finished_at),
    'undone_at', private.iso(i.undone_at), 'undone_by', i.undone_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.emit_import_done(i public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit(i.tenant_id, 'import.done', jsonb_build_object('import', private.import_json(i) - '{refusals,skips,statements}'::text[]));
end $function$;
CREATE OR REPLACE FUNCTION private.finish_import(tenant_id text, import_id text, outcome jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict i from public.imports x where x.tenant_id = $1 and x.id = $2;
  kept := private.keep_staged_lines($1, i.source_no, $2);
  update public.imports x set
    status = 'done', finished_at = now(), bytes_read = x.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_of(outcome -> 'refusals', 100),
    skips = private.first_of(outcome -> 'skips', 100),
    warnings = case when (kept ->> 'accepted')::bigint = 0
      then jsonb_build_array(outcome -> 'nothing_stored') else '[]' end || (outcome -> 'warnings'),
    statements = private.first_of(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading'
  returning * into i;
  if not found then
    return (select x.status from public.imports x where x.tenant_id = $1 and x.id = $2);
  end if;
  delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
  update public.sources s set last_import_at = now() where s.tenant_id = $1 and s.source_no = i.source_no;
  perform private.emit_import_done(i);
  return 'done';
end $function$;
