-- How a pair follows lines that are added or removed. Called in the transaction that does so.

-- Called after lines of the source were added, with their rows in open_lines: queues runs to match
-- them. The new lines have numbers between these.
create function private.lines_arrived(tenant_id text, source_no integer, first_line_no bigint,
  last_line_no bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.request_runs(pair.tenant_id, pair.pair_no, first_line_no, last_line_no) from (
    select pair.tenant_id, pair.pair_no from public.pairs pair
    where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
    order by pair.pair_no
  ) pair;
end $$;

-- The numbers of an import's lines, found in the span they lie in: lines have no index by import.
create function private.line_nos_of_import(tenant_id text, import_id text) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return array(
    select line.line_no from public.imports import
    join public.lines line on line.tenant_id = import.tenant_id
      and line.line_no between import.first_line_no and import.last_line_no
      and line.import_id = import.id
    where import.tenant_id = $1 and import.id = $2
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
  perform private.require_not_closing(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no);
  select period.* into held from (
    select match.reconciliation_id as id from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
      and match.state = 'confirmed'
    where member.tenant_id = $1 and member.line_no = any (line_nos)
    union all
    select exclusion.reconciliation_id
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.line_no = any (line_nos)
    union all
    select carried_line.reconciliation_id from public.pairs pair
    join public.reconciliations period on period.tenant_id = pair.tenant_id
      and period.pair_no = pair.pair_no
      and period.closed_at is not null
    join public.carried_lines carried_line on carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id
      and carried_line.line_no = any (line_nos)
    where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
  ) used_in
  join public.reconciliations period on period.tenant_id = $1 and period.id = used_in.id
    and (period.closed_at is not null or period.status = 'archived')
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
  source constant integer := (select import.source_no from public.imports import
    where import.tenant_id = $1 and import.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  perform private.mark_pair_changed(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and source in (pair.left_source_no, pair.right_source_no);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  perform private.revoke_signatures_of_source($1, source, '-infinity', 'An import was undone.');
  for touched in
    select member.pair_no, array_agg(distinct member.match_id) as ids
    from public.match_members member
    where member.tenant_id = $1 and member.line_no = any (line_nos) group by member.pair_no
    order by member.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select pair.pair_no from public.pairs pair where pair.tenant_id = $1 loop
    delete
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.pair_no = touched.pair_no
      and exclusion.line_no = any (line_nos);
    delete
    from private.open_lines open_line
    where open_line.tenant_id = $1 and open_line.pair_no = touched.pair_no
      and open_line.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos,
      'The import of the line was undone.');
  end loop;
  delete from private.line_texts line_text
  where line_text.tenant_id = $1 and line_text.line_no = any (line_nos);
end $$;
