-- Entry batches over the wire.

-- A batch of the caller's tenant. Refuses: not_found.
create function private.find_entry_batch(id text) returns public.entry_batches
language plpgsql stable set search_path = '' as $$
declare
  batch public.entry_batches;
begin
  select * into batch from public.entry_batches
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = $1
    and entry_batches.number is not null;
  if not found then
    perform private.refuse_missing('entry batch');
  end if;
  return batch;
end $$;
grant execute on function private.find_entry_batch(text) to authenticated;

-- input: { id }. Refuses: not_found.
create function public.get_entry_batch(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_entry_batch');
  return private.entry_batch_json(private.find_entry_batch(input ->> 'id'));
end $$;

-- Newest first. input: { limit, after: [id] | null, state, year, reconciliation_id }.
create function public.list_entry_batches(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_entry_batches');
  select jsonb_agg(private.entry_batch_json(batch) order by batch.id desc) into items
  from (
    select * from public.entry_batches batch
    where batch.tenant_id = private.tenant_id() and batch.number is not null
      and (input -> 'after' ->> 0 is null or batch.id < input -> 'after' ->> 0)
      and (input ->> 'state' is null or (input ->> 'state' = 'ready') = (batch.exported_at is null))
      and (input ->> 'year' is null or batch.year = (input ->> 'year')::integer)
      and (input ->> 'reconciliation_id' is null
        or batch.reconciliation_id = input ->> 'reconciliation_id')
    order by batch.id desc limit page_size + 1
  ) batch;
  return private.page(items, page_size, 'id');
end $$;

create function private.entry_json(entry public.entries) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('place', entry.place, 'kind', entry.kind,
    'subject_id', entry.subject_id,
    'currency', entry.currency, 'amount_minor', entry.amount_minor,
    'difference_minor', entry.difference_minor, 'debit_account', entry.debit_account,
    'credit_account', entry.credit_account, 'tax_code', entry.tax_code,
    'cost_center', entry.cost_center,
    'text', entry.text, 'value_date', entry.value_date, 'reference', entry.reference,
    'counterparty', entry.counterparty, 'reverses', (
      select private.entry_batch_name(batch) || '/' || entry.reverses_place
      from public.entry_batches batch
      where batch.tenant_id = entry.tenant_id and batch.id = entry.reverses_batch
    ));
end $$;

-- Entries of a batch after a place, in order: those of one currency, or all if it is null.
create function private.entries_after(tenant text, batch text, currency text, place integer,
  page_size integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(private.entry_json(entry) order by entry.place)
    from (
      select * from public.entries entry
      where entry.tenant_id = tenant and entry.batch_id = batch
        and entry.place > entries_after.place
        and (entries_after.currency is null or entry.currency = entries_after.currency)
      order by entry.place limit page_size
    ) entry
  );
end $$;
grant execute on function private.entry_json(public.entries),
  private.entries_after(text, text, text, integer, integer)
to authenticated;

-- In their order. input: { id, limit, after: [place] | null, currency }, `id` the batch's. Refuses:
-- not_found.
create function public.list_entries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  batch public.entry_batches;
begin
  perform private.begin_request(request, 'list_entries');
  batch := private.find_entry_batch(input ->> 'id');
  return private.page(private.entries_after(batch.tenant_id, batch.id, input ->> 'currency',
    coalesce((input -> 'after' ->> 0)::integer, 0), page_size + 1), page_size, 'place');
end $$;

-- The first step of a file for a ledger. input: { id }. Returns { batch, ledger }. Refuses:
-- not_found.
create function public.open_ledger_file(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  batch public.entry_batches;
begin
  perform private.begin_request(request, 'open_ledger_file');
  batch := private.find_entry_batch(input ->> 'id');
  return jsonb_build_object('batch', private.entry_batch_json(batch),
    'ledger', (private.entry_rules_of(batch.tenant_id, batch.pair_no)).ledger);
end $$;

-- Whether the caller, or a person who could hold the calling key, worked in the period.
create function private.caller_worked_in(period public.reconciliations) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  lineage constant text := substr(auth.jwt() ->> 'principal_id', length('api_key:') + 1);
begin
  return private.worked_in_period(period) or private.principal_type() = 'api_key' and exists (
    select from public.api_keys api_key
    join private.period_workers worker on worker.tenant_id = api_key.tenant_id
      and worker.reconciliation_id = period.id
    where api_key.tenant_id = period.tenant_id and api_key.lineage_id = lineage
      and ((worker.issuer, worker.subject) = (api_key.creator_issuer, api_key.creator_subject)
        or api_key.creator_subject is null)
  );
end $$;

-- Locks a batch of the caller's tenant that is ready for the ledger. Refuses: not_found; conflict
-- if it was already exported, or if four eyes are required and the caller worked in the period.
create function private.find_ready_batch(id text) returns public.entry_batches
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  batch public.entry_batches;
begin
  perform from public.entry_batches
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = $1 for update;
  batch := private.find_entry_batch($1);
  select * into strict period from public.reconciliations
  where reconciliations.tenant_id = batch.tenant_id
    and reconciliations.id = batch.reconciliation_id;
  if batch.exported_at is not null then
    perform private.refuse_conflict('already_exported', format(
      'Batch %s was marked as exported by %s. Do not post it again.',
      private.entry_batch_name(batch), batch.exported_by));
  elsif private.requires_second_person(period) and private.caller_worked_in(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. '
      'Ask another person to export its entries.');
  end if;
  return batch;
end $$;

create function private.record_export(batch public.entry_batches) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.record_security_event('entries.exported', batch.id, null, jsonb_build_object(
    'name', private.entry_batch_name(batch), 'reconciliation_id', batch.reconciliation_id,
    'digest', batch.digest, 'entry_count', batch.entry_count, 'sums', batch.sums,
    'ledger_reference', batch.ledger_reference));
end $$;

-- Marks a batch as posted in the ledger. input: { id, ledger_reference }. Refuses: not_found,
-- conflict. Records: entries.exported.
create function public.mark_entry_batch_exported(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'mark_entry_batch_exported');
  batch public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := private.find_ready_batch(input ->> 'id');
  update public.entry_batches set exported_at = now(), exported_by = private.actor(),
    ledger_reference = input ->> 'ledger_reference'
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = batch.id
  returning * into batch;
  perform private.record_export(batch);
  perform private.settle_push_failures(batch.tenant_id);
  return private.finish_request(request, private.entry_batch_json(batch));
end $$;
