-- What a pair does when lines come and go. Called in the transaction that adds or removes them.

-- Lines of the source were added, and their rows in open_lines: they are asked to be matched.
create function private.lines_arrived(tenant_id text, source_no integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.ask_for_runs(p.tenant_id, p.pair_no) from (
    select x.tenant_id, x.pair_no from public.pairs x
    where x.tenant_id = $1 and $2 in (x.left_source_no, x.right_source_no) order by x.pair_no
  ) p;
end $$;

-- The numbers of an import's lines, found by the span that they lie in: lines have no index by import.
create function private.line_nos_of_import(tenant_id text, import_id text) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return array(
    select l.line_no from public.imports i
    join public.lines l on l.tenant_id = i.tenant_id and l.line_no between i.first_line_no and i.last_line_no and l.import_id = i.id
    where i.tenant_id = $1 and i.id = $2
  );
end $$;

-- Refuses: conflict where a closed period matched or excluded one of these lines of an import.
create function private.require_undoable(tenant_id text, line_nos bigint[]) returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if exists (
    select from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id and m.state = 'confirmed'
    join public.reconciliations r on r.tenant_id = m.tenant_id and r.id = m.reconciliation_id and r.closed_at is not null
    where mm.tenant_id = $1 and mm.line_no = any (line_nos)
  ) or exists (
    select from public.exclusions x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id and r.closed_at is not null
    where x.tenant_id = $1 and x.line_no = any (line_nos)
  ) then
    perform private.refuse('conflict', 'A line of this import is matched in a closed period. Reopen the period first.');
  end if;
end $$;

-- The import's lines are about to be removed: undoes the matches that they are in, with what was open, excluded and suggested of them.
-- A match of a line that is gone shows nothing: it goes, too. Refuses: conflict, as above.
create function private.lines_leave(tenant_id text, import_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
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
end $$;
