-- Jobs of the matcher carry their kind and tenant, so that a process keeps places for each. Those already waiting go without.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.places_of(tenant text, kind text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY[kind, ((kind || ':'::text) || tenant)];
CREATE OR REPLACE FUNCTION private.queue_own_import(import_id text, mapping jsonb, bytes bigint)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  queued public.imports;
begin
  perform private.require_to_write();
  update public.imports i set status = 'queued', mapping = queue_own_import.mapping, bytes_total = bytes, bytes_read = 0
  where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  -- One file of a source at a time: two with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', private.of_request(jsonb_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id)),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6, flags => private.places_of(queued.tenant_id, 'lines')
  );
  return queued;
end $function$;
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
    perform private.require_undoable(i.tenant_id, i.source_no, private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', private.of_request(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6, flags => private.places_of(i.tenant_id, 'lines')
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_preparing(tenant text, pair integer, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('prepare_pair', private.of_request(jsonb_build_object('tenant_id', tenant, 'pair_no', pair)),
    queue_name => 'pair:' || pair, run_at => now() + delay, job_key => 'prepare:' || pair, flags => private.places_of(tenant, 'lines'));
end $function$;
CREATE OR REPLACE FUNCTION private.is_large(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return 200000 < (
    select sum(s.line_count) from public.pairs p
    join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.pair_no = pair
  );
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('match_pair',
    private.of_request(jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, run_at => now() + delay, max_attempts => 5, job_key => 'match:' || coalesce(run, reconciliation),
    job_key_mode => 'preserve_run_at', flags => private.places_of(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.places_of(tenant, 'large run') end);
end $function$;
