-- Entry batches over the wire.

-- A batch of the caller's tenant. Refuses: not_found.
create function private.find_entry_batch(id text) returns public.entry_batches
language plpgsql stable set search_path = '' as $$
declare
  b public.entry_batches;
begin
  select * into b from public.entry_batches x
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.number is not null;
  if not found then
    perform private.refuse_missing('entry batch');
  end if;
  return b;
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
  select jsonb_agg(private.entry_batch_json(b) order by b.id desc) into items
  from (
    select * from public.entry_batches x
    where x.tenant_id = private.tenant_id() and x.number is not null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'state' is null or (input ->> 'state' = 'ready') = (x.exported_at is null))
      and (input ->> 'year' is null or x.year = (input ->> 'year')::integer)
      and (input ->> 'reconciliation_id' is null
        or x.reconciliation_id = input ->> 'reconciliation_id')
    order by x.id desc limit page_size + 1
  ) b;
  return private.page(items, page_size, 'id');
end $$;

create function private.entry_json(e public.entries) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('place', e.place, 'kind', e.kind, 'subject_id', e.subject_id,
    'currency', e.currency, 'amount_minor', e.amount_minor,
    'difference_minor', e.difference_minor, 'debit_account', e.debit_account,
    'credit_account', e.credit_account, 'tax_code', e.tax_code, 'cost_center', e.cost_center,
    'text', e.text, 'value_date', e.value_date, 'reference', e.reference,
    'counterparty', e.counterparty, 'reverses', (
      select private.entry_batch_name(b) || '/' || e.reverses_place from public.entry_batches b
      where b.tenant_id = e.tenant_id and b.id = e.reverses_batch
    ));
end $$;

-- Entries of a batch after a place, in their order; those of one currency, or all for null.
create function private.entries_after(tenant text, batch text, currency text, place integer,
  page_size integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(private.entry_json(e) order by e.place)
    from (
      select * from public.entries x
      where x.tenant_id = tenant and x.batch_id = batch and x.place > entries_after.place
        and (entries_after.currency is null or x.currency = entries_after.currency)
      order by x.place limit page_size
    ) e
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
  b public.entry_batches;
begin
  perform private.begin_request(request, 'list_entries');
  b := private.find_entry_batch(input ->> 'id');
  return private.page(private.entries_after(b.tenant_id, b.id, input ->> 'currency',
    coalesce((input -> 'after' ->> 0)::integer, 0), page_size + 1), page_size, 'place');
end $$;

-- The first step of a file for a ledger. input: { id }. Returns { batch, ledger }. Refuses:
-- not_found.
create function public.open_ledger_file(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  b public.entry_batches;
begin
  perform private.begin_request(request, 'open_ledger_file');
  b := private.find_entry_batch(input ->> 'id');
  return jsonb_build_object('batch', private.entry_batch_json(b),
    'ledger', (private.entry_rules_of(b.tenant_id, b.pair_no)).ledger);
end $$;

-- Whether the caller, or a person who could hold the calling key, worked in the period.
create function private.caller_or_holder_worked_in(r public.reconciliations) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  lineage constant text := substr(auth.jwt() ->> 'principal_id', length('api_key:') + 1);
begin
  return private.worked_in_period(r) or private.principal_type() = 'api_key' and exists (
    select from public.api_keys k
    join private.period_workers w on w.tenant_id = k.tenant_id and w.reconciliation_id = r.id
    where k.tenant_id = r.tenant_id and k.lineage_id = lineage
      and ((w.issuer, w.subject) = (k.creator_issuer, k.creator_subject)
        or k.creator_subject is null)
  );
end $$;

-- A batch of the caller's tenant that is to go to the ledger, locked. Refuses: not_found; conflict
-- if it is there already, or, with four eyes, to who worked in the period.
create function private.find_ready_batch(id text) returns public.entry_batches
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
  b public.entry_batches;
begin
  perform from public.entry_batches x
  where x.tenant_id = private.tenant_id() and x.id = $1 for update;
  b := private.find_entry_batch($1);
  select * into strict r from public.reconciliations x
  where x.tenant_id = b.tenant_id and x.id = b.reconciliation_id;
  if b.exported_at is not null then
    perform private.refuse_conflict('already_exported', format(
      'Batch %s was marked as exported by %s. Do not post it again.',
      private.entry_batch_name(b), b.exported_by));
  elsif private.requires_second_person(r) and private.caller_or_holder_worked_in(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. '
      'Ask somebody who did not to export its entries.');
  end if;
  return b;
end $$;

create function private.record_export(b public.entry_batches) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.record_security_event('entries.exported', b.id, null, jsonb_build_object(
    'name', private.entry_batch_name(b), 'reconciliation_id', b.reconciliation_id,
    'digest', b.digest, 'entry_count', b.entry_count, 'sums', b.sums,
    'ledger_reference', b.ledger_reference));
end $$;

-- Says that a batch was posted in the ledger. input: { id, ledger_reference }. Refuses: not_found,
-- conflict. Records: entries.exported.
create function public.mark_entry_batch_exported(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'mark_entry_batch_exported');
  b public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  b := private.find_ready_batch(input ->> 'id');
  update public.entry_batches x set exported_at = now(), exported_by = private.actor(),
    ledger_reference = input ->> 'ledger_reference'
  where x.tenant_id = private.tenant_id() and x.id = b.id
  returning * into b;
  perform private.record_export(b);
  return private.finish_request(request, private.entry_batch_json(b));
end $$;
