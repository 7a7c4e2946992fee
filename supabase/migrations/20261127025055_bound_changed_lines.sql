-- Finds up to 200,000 changed lines by index, so that no page of them reads every line.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.lines_of_caller(r public.reconciliations, input jsonb, source_nos integer[], most integer)
 RETURNS TABLE(n bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  q constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- If the cursor's line was removed, its day is read from the start.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1),
    9223372036854775807);
  since constant timestamptz := (input ->> 'updated_since')::timestamptz;
  first_no constant bigint := case when since is not null then private.first_line_since(since) end;
  few bigint[];
  is_searched boolean := false;
  is_changed boolean := false;
  stands text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if since is not null then
    few := private.lines_since(since, first_no, 200000);
    is_changed := few is not null;
  end if;
  if q is not null and few is null then
    few := private.find_lines_of_caller(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  few := coalesce(few, private.narrow_by_state(r, state, source_nos, 5000));
  stands := case when few is null then private.standing_lines(r, state) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no)
          and p.opening is null
        order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end,
    private.line_page(r, state, stands, few is not null, after_date is not null,
      concat_ws(' and ', private.line_field_filters(input),
        private.line_period_filters(r, state, stands is not null),
        case when since is not null and not is_changed
          then private.line_changed_since() end,
        case when q is not null and not is_searched
          then private.line_search(q, 'private.line_text(x)') end)))
  using tenant, input, r, source_nos, few, after_date, after_no, most, since, first_no;
end $function$;
