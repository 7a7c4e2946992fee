create table private.line_texts (
  tenant_id text not null,
  line_no bigint not null,
  source_no integer not null,
  text text not null,
  primary key (tenant_id, line_no)
);
create index line_texts_by_trigram on private.line_texts using gin (text extensions.gin_trgm_ops);
create table private.line_spans (
  tenant_id text not null,
  span_no bigint not null generated always as identity,
  source_no integer not null,
  first_line_no bigint not null,
  last_line_no bigint not null,
  primary key (tenant_id, span_no)
);
-- Lines that there are wait for their texts: a matcher writes them.
insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
select l.tenant_id, l.source_no, min(l.line_no), max(l.line_no) from public.lines l group by l.tenant_id, l.source_no;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

alter table private.line_spans enable row level security; alter table private.line_spans no force row level security;
alter table private.line_texts enable row level security; alter table private.line_texts no force row level security;
CREATE OR REPLACE FUNCTION private.line_text(l public.lines)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return lower(concat_ws(' ', l.reference, l.counterparty, l.description, l.external_id)) || ' =' || abs(l.amount_minor)
    || case when l.amount_minor < 0 then '-' else '+' end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_patterns(word text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  parts constant text[] := regexp_match(word, '^([-+]?)(\d[\d.,'']*?)(?:[.,](\d{1,2}))?$');
  digits constant text := regexp_replace(parts[2], '\D', '', 'g') || rpad(coalesce(parts[3], ''), 2, '0');
begin
  return private.word_patterns(word)
    || case when length(digits) <= 18 then '%=' || coalesce(nullif(ltrim(digits, '0'), ''), '0') || case parts[1] when '' then '_' else parts[1] end end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_search(q text, text_of text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select string_agg('(' || (
      select string_agg(format('%s like %L', text_of, pattern), ' or ') from unnest(private.line_patterns(word)) pattern where pattern is not null
    ) || ')', ' and ')
    from regexp_split_to_table(lower(q), '\s+') word where word <> ''
  );
end $function$;
CREATE OR REPLACE FUNCTION private.find_own_lines(q text, source_nos integer[], most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  execute 'select array(select t.line_no from private.line_texts t where t.tenant_id = $1 and t.source_no = any ($2) and '
    || private.line_search(q, 't.text') || ' limit $3)'
  into found using tenant, source_nos, most + 1;
  if cardinality(found) > most then
    return null;
  end if;
  execute 'select array(
      select l.line_no from private.line_spans s
      join public.lines l on l.tenant_id = s.tenant_id and l.line_no between s.first_line_no and s.last_line_no and l.source_no = s.source_no
      where s.tenant_id = $1 and s.source_no = any ($2) and ' || private.line_search(q, 'private.line_text(l)') || ' limit $3)'
  into waiting using tenant, source_nos, most + 1;
  return case when cardinality(found) + cardinality(waiting) <= most then found || waiting end;
end $function$;
CREATE OR REPLACE FUNCTION private.index_lines(batch integer DEFAULT 5000)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s private.line_spans;
  last_no bigint;
begin
  select * into s from private.line_spans x order by x.span_no limit 1 for update skip locked;
  if not found then
    return false;
  end if;
  select max(x.line_no) into last_no from (
    select l.line_no from public.lines l
    where l.tenant_id = s.tenant_id and l.line_no between s.first_line_no and s.last_line_no order by l.line_no limit batch
  ) x;
  insert into private.line_texts (tenant_id, line_no, source_no, text)
  select l.tenant_id, l.line_no, l.source_no, private.line_text(l) from public.lines l
  where l.tenant_id = s.tenant_id and l.line_no between s.first_line_no and last_no and l.source_no = s.source_no
  on conflict on constraint line_texts_pkey do nothing;
  if last_no < s.last_line_no then
    update private.line_spans x set first_line_no = last_no + 1 where x.tenant_id = s.tenant_id and x.span_no = s.span_no;
  else
    delete from private.line_spans x where x.tenant_id = s.tenant_id and x.span_no = s.span_no;
  end if;
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
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1, private.line_identity($4, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end), $2, l.file_line, $3,
        l.external_id, l.amount_minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key,
        nullif(l.details, '{}')
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
      where l.external_id is null or coalesce(r.nth, 1) = 1
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
CREATE OR REPLACE FUNCTION private.line_state_is(state text, of_several boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  opened constant text := 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = s.pair_no and o.line_no = x.line_no';
  excluded constant text := 'exists (select from public.exclusions e where e.tenant_id = $1 and e.pair_no = s.pair_no and e.line_no = x.line_no)';
begin
  if of_several then
    return format('(private.line_standing(x, $3.pair_no)).state = %L', state);
  end if;
  return case state
    when 'open' then '(s.pair_no is null or ' || opened || ' and o.open_minor = o.amount_minor))'
    when 'partly_matched' then opened || ' and o.open_minor <> o.amount_minor)'
    when 'excluded' then excluded || ' and not ' || opened || ')'
    when 'matched' then 's.pair_no is not null and not ' || opened || ') and not ' || excluded
  end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  q constant text := nullif(btrim(input ->> 'q'), '');
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce((
    select x.line_no from public.lines x where x.tenant_id = tenant and x.id = private.line_id(input -> 'after' ->> 1)
  ), 9223372036854775807);
  r public.reconciliations;
  source_nos integer[];
  hits bigint[];
  filters text;
  items jsonb;
begin
  perform private.enter(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.own_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select s.source_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  );
  if q is not null then
    hits := private.find_own_lines(q, source_nos, 5000);
  end if;

  filters := concat_ws(' and ',
    'x.tenant_id = $1 and x.source_no = s.source_no',
    case when hits is not null then 'x.line_no = any ($5)' when q is not null then private.line_search(q, 'private.line_text(x)') end,
    case when after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end and private.line_belongs(x, $3)' end,
    private.line_state_is(input ->> 'state', exists (
      select from unnest(source_nos) n join public.pairs p on p.tenant_id = tenant and n in (p.left_source_no, p.right_source_no)
      where r.id is null group by n having count(*) > 1
    ))
  );
  -- Planned for what is asked: one plan for all of it would read the whole source.
  execute format(
    case when hits is null then $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, l.line
        from %2$s cross join lateral (
          select x as line from public.lines x where %1$s order by x.value_date desc, x.line_no desc limit $8
        ) l
        order by (l.line).value_date desc, (l.line).line_no desc limit $8
      ) f $sql$
    else $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, x as line
        from %2$s cross join public.lines x
        where %1$s
        order by x.value_date desc, x.line_no desc limit $8
      ) f $sql$ end, filters, $c$(
      select x.id, x.source_no, coalesce($3.pair_no, (
        select p.pair_no from public.pairs p where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) limit 1
      )) as pair_no
      from public.sources x where x.tenant_id = $1 and x.source_no = any ($4)
    ) s$c$
  ) into items using tenant, input, r, source_nos, hits, after_date, after_no, page_size + 1;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.lines_leave(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  line_nos constant bigint[] := private.line_nos_of_import($1, $2);
  touched record;
begin
  perform from public.pairs p
  where p.tenant_id = $1 and exists (
    select from public.imports i where i.tenant_id = $1 and i.id = $2 and i.source_no in (p.left_source_no, p.right_source_no)
  ) order by p.pair_no for no key update;
  perform private.require_undoable($1, line_nos);
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete from public.exclusions x where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete from private.open_lines o where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos, 'The import of the line was undone.');
  end loop;
  delete from private.line_texts t where t.tenant_id = $1 and t.line_no = any (line_nos);
end $function$;
grant execute on function private.find_own_lines(text,integer[],integer) to authenticated;
grant execute on function private.index_lines(integer) to service_role;
grant execute on function private.line_patterns(text) to authenticated;
grant execute on function private.line_search(text,text) to authenticated;
grant execute on function private.line_state_is(text,boolean) to authenticated;
grant execute on function private.line_text(public.lines) to authenticated;
