-- Entry batches: the journal entries that a close produces for the ledger. Closing a period creates
-- one batch, which is never changed or deleted. Why: docs/decisions/0030-entry-batches.md.

create table public.entry_batches (
  tenant_id text not null default private.tenant_id(),
  id text not null default private.new_id('bat'),
  pair_no integer not null,
  reconciliation_id text not null,
  -- The number of the signed statement that the same closing wrote.
  statement_number integer not null check (statement_number >= 1),
  -- The period's last day, to which the entries are posted. Its year is the batch's.
  posting_date date not null,
  -- Without gaps per tenant and year; null until the closing is complete.
  number integer check (number >= 1),
  year integer not null generated always as (extract(year from posting_date)::integer) stored,
  entry_count integer not null check (entry_count >= 1),
  reversal_count integer not null check (reversal_count >= 0),
  -- [{ currency, entry_count, debit_minor, credit_minor }]
  sums jsonb not null check (jsonb_typeof(sums) = 'array'),
  -- SHA-256 over the hashes of private.entry_row, as the signed statement has it.
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  exported_at timestamptz(3),
  exported_by text,
  -- What the ledger calls it.
  ledger_reference text check (length(ledger_reference) between 1 and 200),
  -- A push to a server: { state, at, error, files }, the state waiting, done, failed (it is tried
  -- again) or stopped (it is not). Null: none was requested.
  push jsonb check (jsonb_typeof(push) = 'object'),
  primary key (tenant_id, id),
  unique (tenant_id, year, number),
  unique (tenant_id, reconciliation_id, statement_number),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  check (num_nonnulls(exported_at, exported_by) in (0, 2)),
  check (exported_at is not null or ledger_reference is null)
);

-- Only our functions write entries, always with their batch, so no foreign key is checked for each
-- row.
create table public.entries (
  tenant_id text not null default private.tenant_id(),
  batch_id text not null,
  place integer not null check (place >= 1),
  pair_no integer not null,
  reconciliation_id text not null,
  kind text not null,
  -- The match or line, as on the wire, and which of the match's adjustments.
  subject_id text not null,
  subject_place integer not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor between 1 and 9007199254740991),
  -- What it posts of left − right; a reversal, the opposite of what it reverses.
  difference_minor bigint not null check (abs(difference_minor) = amount_minor),
  debit_account text not null,
  credit_account text not null,
  tax_code text,
  cost_center text,
  text text not null,
  value_date date not null,
  reference text,
  counterparty text,
  -- The entry that it reverses.
  reverses_batch text,
  reverses_place integer,
  primary key (tenant_id, batch_id, place),
  check (num_nonnulls(reverses_batch, reverses_place) in (0, 2))
);
create unique index entries_reversing on public.entries (tenant_id, reverses_batch, reverses_place)
  where reverses_batch is not null;
create index entries_by_pair on public.entries (tenant_id, pair_no, reconciliation_id)
  where reverses_batch is null;

-- The last batch number of a tenant and year. Locked after all locks of a pair, and before jobs.
create table private.entry_batch_numbers (
  tenant_id text not null references public.tenants (id),
  year integer not null,
  last_number integer not null check (last_number >= 1),
  primary key (tenant_id, year)
);

alter table public.entry_batches enable row level security;
alter table public.entries enable row level security;
alter table private.entry_batch_numbers enable row level security;
grant select on public.entry_batches, public.entries to authenticated, service_role;
create policy entry_batches_read on public.entry_batches for select to authenticated
  using (tenant_id = (select private.tenant_id()) and number is not null
    and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy entries_read on public.entries for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- An entry as text, as the statement's bundle lists it.
create function private.entry_row(entry public.entries) returns text
language plpgsql stable set search_path = '' as $$
begin
  return row(entry.place, entry.kind, entry.subject_id, entry.subject_place, entry.currency,
    entry.amount_minor,
    entry.debit_account, entry.credit_account, entry.tax_code, entry.cost_center, entry.text,
    entry.value_date::text,
    entry.reverses_batch, entry.reverses_place)::text;
end $$;

-- Entries of a period that no later entry reverses. For carried lines these are the entries of the
-- whole pair, since each close compares its carried lines with those of the previous close.
create function private.unreversed_entries(
  period public.reconciliations) returns setof public.entries
language plpgsql stable set search_path = '' as $$
begin
  return query
  select entry.* from public.entries entry
  where entry.tenant_id = period.tenant_id and entry.pair_no = period.pair_no
    and entry.reverses_batch is null
    and (entry.reconciliation_id = period.id or entry.kind in ('carried_left', 'carried_right'))
    and not exists (
      select from public.entries reversal
      where reversal.tenant_id = entry.tenant_id and reversal.reverses_batch = entry.batch_id
        and reversal.reverses_place = entry.place
    );
end $$;

-- Writes the entries of a period that is being closed: reversals of entries that no longer hold,
-- then new entries. Returns their number.
create function private.insert_entries(period public.reconciliations, batch text, rules jsonb)
returns integer
language plpgsql volatile set search_path = '' as $$
declare
  written integer;
begin
  insert into public.entries (tenant_id, batch_id, place, pair_no, reconciliation_id, kind,
    subject_id, subject_place, currency, amount_minor, difference_minor, debit_account,
    credit_account, tax_code, cost_center, text, value_date, reference, counterparty,
    reverses_batch, reverses_place)
  with drafts as materialized (
    select * from private.entry_drafts(period, rules)
  ), standing as materialized (
    select * from private.unreversed_entries(period)
  ), kept as materialized (
    select kind, subject_id, subject_place
    from standing stands join drafts draft using (kind, subject_id, subject_place)
    where (stands.difference_minor, stands.currency, stands.debit_account, stands.credit_account)
        = (draft.difference_minor, draft.currency, draft.debit_account, draft.credit_account)
      and (stands.tax_code, stands.cost_center)
        is not distinct from (draft.tax_code, draft.cost_center)
  ), posted as (
    select 0 as phase, stands.kind, stands.subject_id, stands.subject_place, stands.currency,
      stands.amount_minor, -stands.difference_minor as difference_minor,
      stands.credit_account as debit, stands.debit_account as credit, stands.tax_code,
      stands.cost_center, stands.text, stands.value_date, stands.reference, stands.counterparty,
      stands.batch_id as reversed_batch, stands.place as reversed_place
    from standing stands left join kept keeps using (kind, subject_id, subject_place)
    where keeps.kind is null
    union all
    select 1, draft.kind, draft.subject_id, draft.subject_place, draft.currency, draft.amount_minor,
      draft.difference_minor, draft.debit_account, draft.credit_account, draft.tax_code,
      draft.cost_center, draft.body, draft.value_date, draft.reference, draft.counterparty,
      null, null
    from drafts draft left join kept keeps using (kind, subject_id, subject_place)
    where keeps.kind is null
  )
  select period.tenant_id, batch,
    row_number() over (order by posting.phase, posting.kind, posting.subject_id,
      posting.subject_place), period.pair_no, period.id,
    posting.kind, posting.subject_id, posting.subject_place, posting.currency, posting.amount_minor,
    posting.difference_minor, posting.debit, posting.credit, posting.tax_code, posting.cost_center,
    posting.text, posting.value_date, posting.reference, posting.counterparty,
    posting.reversed_batch, posting.reversed_place
  from posted posting;
  get diagnostics written = row_count;
  return written;
end $$;

-- The sums of a batch's entries by currency.
create function private.entry_sums(tenant text, batch text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('currency', entry.currency,
      'entry_count', entry.entry_count,
      'debit_minor', private.exact_sum(entry.minor), 'credit_minor', private.exact_sum(entry.minor))
      order by entry.currency)
    from (
      select entry.currency, count(*) as entry_count, sum(entry.amount_minor) as minor
      from public.entries entry where entry.tenant_id = tenant and entry.batch_id = batch
      group by entry.currency
    ) entry
  );
end $$;

-- Writes the batch of a closing in progress. Returns { entries: { count, sha256 } } for the
-- statement, or {} if there is nothing to post.
create function private.write_entries(period public.reconciliations) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  batch constant text := private.new_id('bat');
  rules constant jsonb := (private.entry_rules_of(period.tenant_id, period.pair_no)).rules;
  batch_row public.entry_batches;
begin
  if private.kinds_with_rule(rules) = '{}' and not exists (
    select from public.entries entry where entry.tenant_id = period.tenant_id
      and entry.pair_no = period.pair_no
  ) then
    return '{}';
  end if;
  if private.insert_entries(period, batch, rules) = 0 then
    return '{}';
  end if;
  insert into public.entry_batches (tenant_id, id, pair_no, reconciliation_id, statement_number,
    posting_date, entry_count, reversal_count, sums, digest, created_by)
  select period.tenant_id, batch, period.pair_no, period.id, coalesce((
      select max(statements.number) from public.statements
      where statements.tenant_id = period.tenant_id
        and statements.reconciliation_id = period.id), 0)
        + 1,
    period.period_end, count(*), count(entry.reverses_batch),
    private.entry_sums(period.tenant_id, batch),
    encode(sha256(string_agg(sha256(convert_to(private.entry_row(entry), 'UTF8')), ''::bytea
      order by entry.place)), 'hex'), period.closed_by
  from public.entries entry where entry.tenant_id = period.tenant_id and entry.batch_id = batch
  returning * into batch_row;
  return jsonb_build_object('entries',
    jsonb_build_object('count', batch_row.entry_count, 'sha256', batch_row.digest));
end $$;

-- Deletes the entries of a closing that failed. Entries of a completed one stay.
create function private.withdraw_entries(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.entries entry using public.entry_batches batch
  where batch.tenant_id = period.tenant_id and batch.reconciliation_id = period.id
    and batch.number is null
    and entry.tenant_id = batch.tenant_id and entry.batch_id = batch.id;
  delete from public.entry_batches batch
  where batch.tenant_id = period.tenant_id and batch.reconciliation_id = period.id
    and batch.number is null;
end $$;

create function private.entry_batch_name(batch public.entry_batches) returns text
language plpgsql stable set search_path = '' as $$
begin
  return format('%s-%s', batch.year,
    lpad(batch.number::text, greatest(4, length(batch.number::text)), '0'));
end $$;

create function private.entry_batch_json(batch public.entry_batches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('id', batch.id, 'number', private.entry_batch_name(batch),
      'state', case when batch.exported_at is null then 'ready' else 'exported' end,
      'reconciliation_id', batch.reconciliation_id, 'reconciliation_name', period.name,
      'statement_number', batch.statement_number, 'posting_date', batch.posting_date,
      'entry_count', batch.entry_count, 'reversal_count', batch.reversal_count, 'sums', batch.sums,
      'digest', batch.digest, 'closing_digest', statements.digest,
      'created_at', private.iso(batch.created_at),
      'created_by', batch.created_by, 'exported_at', private.iso(batch.exported_at),
      'exported_by', batch.exported_by, 'ledger_reference', batch.ledger_reference,
      'push', batch.push)
    from public.reconciliations period
    left join public.statements on statements.tenant_id = batch.tenant_id
      and statements.reconciliation_id = batch.reconciliation_id
      and statements.number = batch.statement_number
    where period.tenant_id = batch.tenant_id and period.id = batch.reconciliation_id
  );
end $$;
grant execute on function
  private.entry_row(public.entries), private.entry_batch_name(public.entry_batches),
  private.entry_batch_json(public.entry_batches)
to authenticated;

-- Gives the batch of a closing its number, if it has one. From then on it is visible, and is pushed
-- if the entry rules say so. Emits: entries.ready. Returns { batch_number }, or {} without one.
create function private.complete_entry_batch(period public.reconciliations) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  batch public.entry_batches;
  numbered integer;
begin
  select * into batch from public.entry_batches
  where entry_batches.tenant_id = period.tenant_id and entry_batches.reconciliation_id = period.id
    and entry_batches.number is null;
  if not found then
    return '{}';
  end if;
  -- The row stays locked until the closing commits, so that a number is missing only if none
  -- follows it.
  insert into private.entry_batch_numbers as numbering (tenant_id, year, last_number)
  values (batch.tenant_id, batch.year, 1)
  on conflict (tenant_id, year) do update set last_number = numbering.last_number + 1
  returning numbering.last_number into numbered;
  update public.entry_batches set number = numbered
  where entry_batches.tenant_id = batch.tenant_id and entry_batches.id = batch.id
  returning * into batch;
  if private.push_settings(batch) is not null then
    batch := private.queue_entry_push(batch);
  end if;
  perform private.emit(batch.tenant_id, 'entries.ready',
    jsonb_build_object('batch', private.entry_batch_json(batch)));
  return jsonb_build_object('batch_number', private.entry_batch_name(batch));
end $$;
