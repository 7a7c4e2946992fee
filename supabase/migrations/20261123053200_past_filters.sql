-- past filters

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.view_json(public.views);
CREATE OR REPLACE FUNCTION private.had_between(kinds text, starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if starts_at is null and ends_at is null then
    return null;
  end if;
  return format('e.id in (select l.exception_id from public.exception_ledger l where l.tenant_id = %L and l.at >= %L and l.at < %L and %s)',
    private.tenant_id(), coalesce(starts_at, '-infinity'), coalesce(ends_at, 'infinity'), kinds);
end $function$;
CREATE OR REPLACE FUNCTION private.bound_conditions(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(concat_ws(' and ', 'e.amount_minor >= ' || (input ->> 'amount_from')::bigint::text,
    'e.due_at < ' || quote_literal((input ->> 'due_before')::timestamptz) || '::timestamptz',
    private.had_between($q$l.kind = 'crossed' and l.threshold_minutes = 0$q$,
      (input ->> 'breached_from')::timestamptz, (input ->> 'breached_before')::timestamptz),
    private.had_between($q$l.kind in ('resolved', 'dismissed')$q$, (input ->> 'closed_from')::timestamptz, (input ->> 'closed_before')::timestamptz)), '');
end $function$;
CREATE OR REPLACE FUNCTION private.view_json(v public.views, is_counted boolean DEFAULT true)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', v.id, 'name', v.name, 'shared', v.shared, 'filters', v.filters, 'sort_by', v.sort_by,
    'open_count', case when is_counted then private.count_of_view(v.filters) end,
    'created_at', private.iso(v.created_at), 'created_by', v.created_by, 'updated_at', private.iso(v.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_views(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  counted_until constant timestamptz := clock_timestamp() + interval '500 milliseconds';
  items jsonb;
begin
  perform private.enter(request, 'list_views');
  select jsonb_agg(private.view_json(v, clock_timestamp() < counted_until) order by v.id) into items
  from (
    select * from public.views x
    where x.tenant_id = private.tenant_id() and x.id > coalesce(input -> 'after' ->> 0, '')
    order by x.id limit page_size + 1
  ) v;
  return private.page(items, page_size, 'id');
end $function$;
grant execute on function private.had_between(text,timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.view_json(public.views,boolean) to authenticated;
