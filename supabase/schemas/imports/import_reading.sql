-- How a matcher reads an uploaded file. It reads on its own connection, in one transaction: if the
-- matcher dies, nothing is left, and another one starts again.

-- Returns what is needed to read it: { format, mapping, currency, time_zone, source_no, bytes_total
-- }, or null if there is nothing to do.
create function private.claim_import(tenant_id text, import_id text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  import public.imports;
begin
  update public.imports set status = 'reading', bytes_read = 0, read_count = 0, refused_count = 0
  where imports.tenant_id = $1 and imports.id = $2 and imports.status in ('queued', 'reading')
  returning * into import;
  return (
    select jsonb_build_object('format', import.format, 'mapping', import.mapping,
      'currency', source.currency,
      'time_zone', source.time_zone,
      'source_no', import.source_no, 'bytes_total', import.bytes_total)
    from public.sources source where source.tenant_id = import.tenant_id
      and source.source_no = import.source_no
  );
end $$;

-- Reports progress. Returns whether to continue: false once the import was undone.
create function private.report_import_progress(tenant_id text, import_id text,
  progress jsonb) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.imports import set
    bytes_read = (progress ->> 'bytes_read')::bigint,
    read_count = (progress ->> 'read_count')::bigint,
    refused_count = (progress ->> 'refused_count')::bigint
  where import.tenant_id = $1 and import.id = $2 and import.status = 'reading';
  return found;
end $$;

create function private.emit_import_done(import public.imports) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.emit(import.tenant_id, 'import.done',
    jsonb_build_object('import', private.import_json(import)
      - '{refusals,skips,statements}'::text[]));
end $$;

-- Records: import.finished with what was read, or import.failed with why. The file's hash is that
-- of import.created.
create function private.record_import_end(import public.imports) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.write_security_event(
    private.new_id('sev'), import.tenant_id,
    case import.status when 'done' then 'import.finished' else 'import.failed' end,
    import.id, null,
    jsonb_strip_nulls(jsonb_build_object(
      'file_name', import.file_name, 'format', import.format,
      'sha256', (
        select event.details -> 'sha256' from public.security_events event
        where event.tenant_id = import.tenant_id and event.target = import.id
          and event.type = 'import.created' and event.seq is not null
        limit 1
      ),
      'source_id', (
        select source.id from public.sources source
        where source.tenant_id = import.tenant_id and source.source_no = import.source_no
      ),
      'read_count', import.read_count, 'accepted_count', import.accepted_count,
      'duplicate_count', import.duplicate_count, 'skipped_count', import.skipped_count,
      'refused_count', import.refused_count, 'failure', import.failure)));
end $$;

-- Stores the lines staged in this transaction. outcome: { read_count, refused_count, skipped_count,
-- refusals, skips, warnings, nothing_stored (the warning for that case), statements,
-- opening_balance_minor, closing_balance_minor, balance_holds, bytes_read }. Returns the import's
-- status; the caller commits only if it is done.
create function private.finish_import(tenant_id text, import_id text, outcome jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  import public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict import from public.imports where imports.tenant_id = $1 and imports.id = $2;
  kept := private.insert_staged_lines($1, import.source_no, $2,
    private.ids_are_unique(import.format));
  update public.imports set
    status = 'done', finished_at = now(), bytes_read = imports.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_items(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'line', conflict -> 'file_line', 'field', 'external_id', 'message', format(
          'A line with this external_id has another amount. Found "%s", expected %s.',
          conflict ->> 'found', conflict ->> 'wanted'
        )
      )), '[]') from jsonb_array_elements(kept -> 'conflicts') conflict
    ), 100),
    skips = private.first_items(outcome -> 'skips', 100),
    warnings = case when (kept ->> 'accepted')::bigint = 0 and outcome ? 'nothing_stored'
      then jsonb_build_array(outcome -> 'nothing_stored') else '[]' end
      || coalesce(outcome -> 'warnings', '[]'),
    statements = private.first_items(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where imports.tenant_id = $1 and imports.id = $2 and imports.status = 'reading'
  returning * into import;
  if not found then
    return (select imports.status from public.imports
      where imports.tenant_id = $1 and imports.id = $2);
  end if;
  delete from private.import_chunks chunk where chunk.tenant_id = $1 and chunk.import_id = $2;
  update public.sources source
  set last_import_at = now()
  where source.tenant_id = $1 and source.source_no = import.source_no;
  perform private.store_import_balances(import);
  perform private.record_import_end(import);
  perform private.emit_import_done(import);
  return 'done';
end $$;

create function private.first_items(list jsonb, max_count integer) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(
    (select jsonb_agg(element.value order by element.place)
      from jsonb_array_elements(list) with ordinality element (value, place)
      where element.place <= max_count),
    '[]');
end $$;

-- Fails an import that cannot be read; nothing of it is stored. refusals: as in an import.
create function private.fail_import(tenant_id text, import_id text, failure text,
  refusals jsonb default '[]') returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  import public.imports;
begin
  update public.imports set
    status = 'failed', finished_at = now(), failure = fail_import.failure,
    refusals = private.first_items(fail_import.refusals, 100)
  where imports.tenant_id = $1 and imports.id = $2 and imports.status in ('queued', 'reading')
  returning * into import;
  if found then
    delete from private.import_chunks chunk where chunk.tenant_id = $1 and chunk.import_id = $2;
    perform private.record_import_end(import);
    perform private.emit_import_done(import);
  end if;
end $$;

-- Deletes uploads that were abandoned. Returns how many.
create function private.purge_imports(batch integer default 100) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from public.imports where (tenant_id, id) in (
    select import.tenant_id, import.id
    from public.imports import
    where import.status = 'receiving' and import.created_at < now() - interval '2 hours'
    limit batch
  );
  get diagnostics deleted = row_count;
  return deleted;
end $$;

grant execute
  on function private.claim_import(text, text), private.report_import_progress(text, text, jsonb),
    private.stage_lines(),
  private.finish_import(text, text, jsonb), private.fail_import(text, text, text, jsonb),
  private.purge_imports(integer)
to service_role;
