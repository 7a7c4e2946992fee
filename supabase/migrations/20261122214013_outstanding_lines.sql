-- outstanding lines

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
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
  among_open boolean;
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

  among_open := r.closed_at is null and r.pair_no is not null and hits is null and input ->> 'state' in ('open', 'partly_matched', 'outstanding');
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
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and not among_open then 'private.line_belongs(x, $3)' end,
    case when among_open then null when r.closed_at is not null then private.line_state_was(input ->> 'state')
      else private.line_state_is(input ->> 'state', exists (
        select from unnest(source_nos) n join public.pairs p on p.tenant_id = tenant and n in (p.left_source_no, p.right_source_no)
        where r.id is null group by n having count(*) > 1
      )) end
  );
  -- Planned for what is asked: one plan for all of it would read the whole source.
  execute format(
    case when among_open then $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, l.line
        from %2$s cross join lateral (
          select x.line from private.open_lines w
          cross join lateral (select y.*, y as line from public.lines y where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
          where w.tenant_id = $1 and w.pair_no = s.pair_no and w.side = s.side and %3$s and %1$s
          order by w.value_date desc, w.line_no desc limit $8
        ) l
        order by (l.line).value_date desc, (l.line).line_no desc limit $8
      ) f $sql$
    when hits is null then $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) || private.line_in_closed(f.line, $3) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, l.line
        from %2$s cross join lateral (
          select x as line from public.lines x where %1$s order by x.value_date desc, x.line_no desc limit $8
        ) l
        order by (l.line).value_date desc, (l.line).line_no desc limit $8
      ) f $sql$
    else $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) || private.line_in_closed(f.line, $3) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, x as line
        from %2$s cross join public.lines x
        where %1$s
        order by x.value_date desc, x.line_no desc limit $8
      ) f $sql$ end, filters, $c$(
      select x.id, x.source_no, coalesce($3.pair_no, (
        select p.pair_no from public.pairs p where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) limit 1
      )) as pair_no, case x.source_no when (
        select p.left_source_no from public.pairs p where p.tenant_id = $1 and p.pair_no = $3.pair_no) then 'left' else 'right' end as side
      from public.sources x where x.tenant_id = $1 and x.source_no = any ($4)
    ) s$c$, concat_ws(' and ', 'w.value_date <= $3.period_end', case when after_date is not null then '(w.value_date, w.line_no) < ($6, $7)' end,
      case input ->> 'state' when 'open' then 'w.open_minor = w.amount_minor' when 'partly_matched' then 'w.open_minor <> w.amount_minor' end)
  ) into items using tenant, input, r, source_nos, hits, after_date, after_no, page_size + 1;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.own_open_lines(r public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, most integer)
 RETURNS TABLE(n bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  by_amount constant boolean := input ->> 'sort' = 'amount';
  q constant text := nullif(btrim(input ->> 'q'), '');
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := concat_ws(' and ',
    'x.tenant_id = $1 and x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case when hits is not null then '(x.line_no = any ($5)' || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null then 'exists (select from public.lines l where l.tenant_id = $1 and l.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(l)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when by_amount then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$ else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.open_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case (input ->> 'suggested')::boolean
      -- Few have one: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
        where m.tenant_id = $1 and m.reconciliation_id = $8 and m.state = 'suggested'))$c$
      -- By a lookup for each line until the page is full.
      when false then $c$(
        select true from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3 and m.state = 'suggested' and m.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for what is asked, each side in the order of its index until the page is full.
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor, o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key from private.open_lines x
      where %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, r.pair_no, r.period_end, hits, amount, after_no, r.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end, most;
end $function$;
