-- What a pair does when lines come and go. Called in the transaction that adds or removes them.

-- Lines of the source were added: their rows in open_lines stand.
create function private.lines_arrived(tenant_id text, source_no integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  null;
end $$;

-- Refuses: conflict where a closed period matched a line of the import.
create function private.require_undoable(tenant_id text, import_id text) returns void
language plpgsql stable security definer set search_path = '' as $$
begin
  if exists (
    select from public.closings c
    join public.matches m on m.tenant_id = c.tenant_id and m.reconciliation_id = c.reconciliation_id and m.state = 'confirmed'
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
    join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
    where c.tenant_id = $1 and l.import_id = $2
  ) then
    perform private.refuse('conflict', 'A line of this import is matched in a closed period. Reopen the period first.');
  end if;
end $$;

-- The import's lines are about to be removed: undoes the matches that they are in, and closes them in each pair. Refuses: conflict, as above.
create function private.lines_leave(tenant_id text, import_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_undoable($1, $2);
  delete from private.open_lines o using public.lines l
  where l.tenant_id = $1 and l.import_id = $2 and o.tenant_id = $1 and o.line_no = l.line_no;
end $$;
