-- Undoing imports as a whole: while an import waits or is read nothing of it is stored; afterwards
-- its lines are removed, with the matches they are in.

-- Removes the import's lines. Refuses: conflict if a closed or archived period needs one of them.
create function private.remove_import(tenant_id text, import_id text,
  undone_by text) returns public.imports
language plpgsql volatile security definer set search_path = '' as $$
declare
  i public.imports;
  removed bigint;
begin
  perform private.detach_removed_lines($1, $2);
  perform private.drop_balances_of_import($1, $2);
  delete from public.lines line using public.imports import
  where import.tenant_id = $1 and import.id = $2 and line.tenant_id = $1
    and line.line_no between import.first_line_no and import.last_line_no and line.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports import
  set status = 'undone', undone_at = now(), undone_by = coalesce(import.undone_by, $3)
  where import.tenant_id = $1 and import.id = $2
  returning * into i;
  if removed > 0 then
    update public.sources source
    set line_count = source.line_count - removed
    where source.tenant_id = $1 and source.source_no = i.source_no;
  end if;
  return i;
end $$;

-- For the caller's tenant: at once, or by a matcher if it is large. Refuses: not_found, conflict.
create function private.begin_undoing(import_id text) returns public.imports
language plpgsql volatile set search_path = '' as $$
declare
  i public.imports;
begin
  select * into i
  from public.imports x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x
    set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.lines_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    -- So that no period of these pairs starts to close unseen.
    perform private.lock_pairs_of_source(i.tenant_id, i.source_no);
    perform private.require_undoable(i.tenant_id, i.source_no,
      private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x
    set status = 'undoing', undone_by = private.actor()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import',
      private.with_request_id(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6,
      flags => private.job_flags(i.tenant_id, 'lines')
    );
    return i;
  end if;
  perform private.refuse_conflict(
    case i.status when 'failed' then 'import_failed' else 'already_undone' end, case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $$;

-- Finishes undoing an import; if that has become impossible since, the import stays done.
create function private.finish_undoing(tenant_id text, import_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if exists (select from public.imports x
    where x.tenant_id = $1 and x.id = $2 and x.status = 'undoing' for update) then
    perform private.remove_import($1, $2, null);
  end if;
exception when sqlstate 'TO001' then
  update public.imports x
  set status = 'done', undone_by = null
  where x.tenant_id = $1 and x.id = $2;
end $$;

-- input: { id }. Refuses: not_found, conflict. Records: import.undone.
create function public.undo_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_import');
  i public.imports;
begin
  if replayed is not null then
    return replayed;
  end if;
  i := private.begin_undoing(input ->> 'id');
  perform private.record_source_work(i.source_no);
  perform private.record_security_event('import.undone', i.id, null, jsonb_build_object(
    'file_name', i.file_name, 'accepted_count', i.accepted_count
  ));
  return private.finish_request(request, private.import_json(i));
end $$;

grant execute on function private.finish_undoing(text, text) to service_role;
