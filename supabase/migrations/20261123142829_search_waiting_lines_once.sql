-- search waiting lines once

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.find_own_lines(q text, source_nos integer[], most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  is_named constant boolean := private.has_trigrams(q)
    and (select sum(s.line_count) from public.sources s where s.tenant_id = tenant) > 50000;
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  -- What is an expression has no index.
  execute format('select array(select t.line_no from private.line_texts t where %s = $1 and t.source_no = any ($2) and %s limit $3)',
    case when is_named then $c$(t.tenant_id || '')$c$ else 't.tenant_id' end,
    private.line_search(q, case when is_named then 't.text' else $c$(t.text || '')$c$ end))
  into found using tenant, source_nos, most + 1;
  if cardinality(found) > most then
    return null;
  end if;
  execute 'select array(
      select l.line_no from private.line_spans s cross join lateral (
        select x.line_no, x.source_no, private.line_text(x) as text from public.lines x
        where x.tenant_id = $1 and x.line_no between s.first_line_no and s.last_line_no offset 0
      ) l
      where s.tenant_id = $1 and s.source_no = any ($2) and l.source_no = s.source_no and ' || private.line_search(q, 'l.text') || ' limit $3)'
  into waiting using tenant, source_nos, most + 1;
  return case when cardinality(found) + cardinality(waiting) <= most then found || waiting end;
end $function$;
