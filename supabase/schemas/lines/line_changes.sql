-- How a pair follows lines that are added or removed. Called in the transaction that does so.

-- Called after lines of the source were added, with their rows in open_lines: queues runs to match
-- them. The new lines have numbers between these.
create function private.lines_arrived(tenant_id text, source_no integer, first_line_no bigint,
  last_line_no bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.request_runs(p.tenant_id, p.pair_no, first_line_no, last_line_no) from (
    select x.tenant_id, x.pair_no from public.pairs x
    where x.tenant_id = $1 and $2 in (x.left_source_no, x.right_source_no) order by x.pair_no
  ) p;
end $$;

-- The numbers of an import's lines, found in the span they lie in: lines have no index by import.
create function private.line_nos_of_import(tenant_id text, import_id text) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return array(
    select l.line_no from public.imports i
    join public.lines l on l.tenant_id = i.tenant_id
      and l.line_no between i.first_line_no and i.last_line_no and l.import_id = i.id
    where i.tenant_id = $1 and i.id = $2
  );
end $$;

-- Refuses: conflict if a closed or archived period has matched, excluded or carried one of these
-- lines of a source, or one of its periods is being closed.
create function private.require_undoable(tenant_id text, source_no integer,
  line_nos bigint[]) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  held public.reconciliations;
begin
  perform private.require_not_closing(p.tenant_id, p.pair_no) from public.pairs p
  where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no);
  select r.* into held from (
    select m.reconciliation_id as id from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      and m.state = 'confirmed'
    where mm.tenant_id = $1 and mm.line_no = any (line_nos)
    union all
    select x.reconciliation_id
    from public.exclusions x
    where x.tenant_id = $1 and x.line_no = any (line_nos)
    union all
    select c.reconciliation_id from public.pairs p
    join public.reconciliations q on q.tenant_id = p.tenant_id and q.pair_no = p.pair_no
      and q.closed_at is not null
    join public.carried_lines c on c.tenant_id = q.tenant_id and c.reconciliation_id = q.id
      and c.line_no = any (line_nos)
    where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
  ) x
  join public.reconciliations r on r.tenant_id = $1 and r.id = x.id
    and (r.closed_at is not null or r.status = 'archived')
  limit 1;
  if found then
    perform private.refuse_conflict(
      case held.status when 'archived' then 'archived' else 'period_closed' end,
      format('%s, which is %s, matched, excluded or carried forward a line of this import. %s',
      held.name, case held.status when 'archived' then 'archived' else 'closed' end,
      case held.status when 'archived' then 'Exclude the lines in an open period instead.'
        else 'Reopen it first.' end));
  end if;
end $$;

-- Called before the import's lines are removed: undoes the matches they are in, and removes what
-- was open, excluded and suggested of them. A match without its line shows nothing, so it is
-- deleted too. Refuses: conflict, as above.
create function private.detach_removed_lines(tenant_id text, import_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  source constant integer := (select i.source_no from public.imports i
    where i.tenant_id = $1 and i.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  perform private.mark_pair_changed(p.tenant_id, p.pair_no) from public.pairs p
  where p.tenant_id = $1 and source in (p.left_source_no, p.right_source_no);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  perform private.revoke_signatures_of_source($1, source, '-infinity', 'An import was undone.');
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete
    from public.exclusions x
    where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete
    from private.open_lines o
    where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos,
      'The import of the line was undone.');
  end loop;
  delete from private.line_texts t where t.tenant_id = $1 and t.line_no = any (line_nos);
end $$;
