-- undo by the span of lines

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.require_undoable(text,text);
CREATE OR REPLACE FUNCTION private.undo_own_import(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  perform private.require_to_write();
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.undone_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    perform private.require_undoable(i.tenant_id, private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', json_build_object('tenant_id', i.tenant_id, 'import_id', i.id),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_nos_of_import(tenant_id text, import_id text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return array(
    select l.line_no from public.imports i
    join public.lines l on l.tenant_id = i.tenant_id and l.line_no between i.first_line_no and i.last_line_no and l.import_id = i.id
    where i.tenant_id = $1 and i.id = $2
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_undoable(tenant_id text, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
