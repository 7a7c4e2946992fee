-- Undoing imports as a whole: while an import waits or is read nothing of it is stored; afterwards
-- its lines are removed, with the matches they are in.

-- Removes the import's lines. Refuses: conflict if a closed or archived period needs one of them.
create function private.remove_import(tenant_id text, import_id text,
  undone_by text) returns public.imports
language plpgsql volatile security definer set search_path = '' as $$
declare
  import public.imports;
  removed bigint;
begin
  perform private.detach_removed_lines($1, $2);
  perform private.drop_balances_of_import($1, $2);
  delete from public.lines line using public.imports
  where imports.tenant_id = $1 and imports.id = $2 and line.tenant_id = $1
    and line.line_no between imports.first_line_no and imports.last_line_no and line.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports
  set status = 'undone', undone_at = now(), undone_by = coalesce(imports.undone_by, $3)
  where imports.tenant_id = $1 and imports.id = $2
  returning * into import;
  if removed > 0 then
    update public.sources source
    set line_count = source.line_count - removed
    where source.tenant_id = $1 and source.source_no = import.source_no;
  end if;
  return import;
end $$;

-- For the caller's tenant: at once, or by a matcher if it is large. Refuses: not_found, conflict.
create function private.begin_undoing(import_id text) returns public.imports
language plpgsql volatile set search_path = '' as $$
declare
  import public.imports;
begin
  select * into import
  from public.imports
  where imports.tenant_id = private.tenant_id() and imports.id = $1
    and imports.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if import.status in ('queued', 'reading') then
    update public.imports
    set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where imports.tenant_id = import.tenant_id and imports.id = import.id
    returning * into import;
    delete from private.import_chunks chunk where chunk.tenant_id = import.tenant_id
      and chunk.import_id = import.id;
    return import;
  elsif import.status = 'done' and import.accepted_count <= private.max_lines_in_request() then
    return private.remove_import(import.tenant_id, import.id, private.actor());
  elsif import.status = 'done' then
    -- So that no period of these pairs starts to close unseen.
    perform private.lock_pairs_of_source(import.tenant_id, import.source_no);
    perform private.require_undoable(import.tenant_id, import.source_no,
      private.line_nos_of_import(import.tenant_id, import.id));
    update public.imports
    set status = 'undoing', undone_by = private.actor()
    where imports.tenant_id = import.tenant_id and imports.id = import.id
    returning * into import;
    perform graphile_worker.add_job(
      'undo_import', private.with_request_id(jsonb_build_object('tenant_id', import.tenant_id,
        'import_id', import.id)),
      queue_name => 'source:' || import.tenant_id || ':' || import.source_no, max_attempts => 6,
      flags => private.job_flags(import.tenant_id, 'lines')
    );
    return import;
  end if;
  perform private.refuse_conflict(
    case import.status when 'failed' then 'import_failed' else 'already_undone' end,
      case import.status
    when 'failed' then 'This import failed and stored nothing: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $$;

-- Finishes undoing an import; if that has become impossible since, the import stays done.
create function private.finish_undoing(tenant_id text, import_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if exists (select from public.imports import
    where import.tenant_id = $1 and import.id = $2 and import.status = 'undoing' for update) then
    perform private.remove_import($1, $2, null);
  end if;
exception when sqlstate 'TO001' then
  update public.imports import
  set status = 'done', undone_by = null
  where import.tenant_id = $1 and import.id = $2;
end $$;

-- input: { id }. Refuses: not_found, conflict. Records: import.undone.
create function public.undo_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_import');
  import public.imports;
begin
  if replayed is not null then
    return replayed;
  end if;
  import := private.begin_undoing(input ->> 'id');
  perform private.record_source_work(import.source_no);
  perform private.record_security_event('import.undone', import.id, null, jsonb_build_object(
    'file_name', import.file_name, 'accepted_count', import.accepted_count
  ));
  return private.finish_request(request, private.import_json(import));
end $$;

grant execute on function private.finish_undoing(text, text) to service_role;
