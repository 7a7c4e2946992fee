-- Entry batches: the journal entries that closings leave, for the ledger. Closing a period creates
-- one batch; nothing of it changes or is deleted. Why: docs/decisions/0030-entry-batches.md.

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

-- Only our functions write them, batch and all, so that no foreign key is checked for each row.
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

-- The last number of a tenant's year. Locked after everything of a pair, and before jobs.
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

-- The text by which the bundle lists an entry.
create function private.entry_row(e public.entries) returns text
language plpgsql stable set search_path = '' as $$
begin
  return row(e.place, e.kind, e.subject_id, e.subject_place, e.currency, e.amount_minor,
    e.debit_account, e.credit_account, e.tax_code, e.cost_center, e.text, e.value_date::text,
    e.reverses_batch, e.reverses_place)::text;
end $$;

-- Entries of a period that no later entry reverses. Those of carried lines are of its whole pair,
-- since each close compares what it carries with what the close before it carried.
create function private.standing_entries(r public.reconciliations) returns setof public.entries
language plpgsql stable set search_path = '' as $$
begin
  return query
  select e.* from public.entries e
  where e.tenant_id = r.tenant_id and e.pair_no = r.pair_no and e.reverses_batch is null
    and (e.reconciliation_id = r.id or e.kind in ('carried_left', 'carried_right'))
    and not exists (
      select from public.entries x
      where x.tenant_id = e.tenant_id and x.reverses_batch = e.batch_id
        and x.reverses_place = e.place
    );
end $$;

-- Writes the entries of a period that closes: reversals of what no longer holds, then what is new.
-- Returns how many.
create function private.insert_entries(r public.reconciliations, batch text, rules jsonb)
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
    select * from private.entry_drafts(r, rules)
  ), standing as materialized (
    select * from private.standing_entries(r)
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
  select r.tenant_id, batch,
    row_number() over (order by posting.phase, posting.kind, posting.subject_id,
      posting.subject_place), r.pair_no, r.id,
    posting.kind, posting.subject_id, posting.subject_place, posting.currency, posting.amount_minor,
    posting.difference_minor, posting.debit, posting.credit, posting.tax_code, posting.cost_center,
    posting.text, posting.value_date, posting.reference, posting.counterparty,
    posting.reversed_batch, posting.reversed_place
  from posted posting;
  get diagnostics written = row_count;
  return written;
end $$;

-- What the entries of a batch come to by currency.
create function private.entry_sums(tenant text, batch text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('currency', s.currency, 'entry_count', s.n,
      'debit_minor', private.exact_sum(s.minor), 'credit_minor', private.exact_sum(s.minor))
      order by s.currency)
    from (
      select e.currency, count(*) as n, sum(e.amount_minor) as minor
      from public.entries e where e.tenant_id = tenant and e.batch_id = batch
      group by e.currency
    ) s
  );
end $$;

-- Writes the batch of a closing that is being written down. Returns { entries: { count, sha256 } }
-- for the statement, or {} where there is nothing to post.
create function private.write_entries(r public.reconciliations) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  batch constant text := private.new_id('bat');
  rules constant jsonb := (private.entry_rules_of(r.tenant_id, r.pair_no)).rules;
  b public.entry_batches;
begin
  if private.kinds_with_rule(rules) = '{}' and not exists (
    select from public.entries entry where entry.tenant_id = r.tenant_id
      and entry.pair_no = r.pair_no
  ) then
    return '{}';
  end if;
  if private.insert_entries(r, batch, rules) = 0 then
    return '{}';
  end if;
  insert into public.entry_batches (tenant_id, id, pair_no, reconciliation_id, statement_number,
    posting_date, entry_count, reversal_count, sums, digest, created_by)
  select r.tenant_id, batch, r.pair_no, r.id, coalesce((
      select max(statement.number) from public.statements statement
      where statement.tenant_id = r.tenant_id and statement.reconciliation_id = r.id), 0) + 1,
    r.period_end, count(*), count(entry.reverses_batch), private.entry_sums(r.tenant_id, batch),
    encode(sha256(string_agg(sha256(convert_to(private.entry_row(entry), 'UTF8')), ''::bytea
      order by entry.place)), 'hex'), r.closed_by
  from public.entries entry where entry.tenant_id = r.tenant_id and entry.batch_id = batch
  returning * into b;
  return jsonb_build_object('entries',
    jsonb_build_object('count', b.entry_count, 'sha256', b.digest));
end $$;

-- Takes back the entries of a closing that failed. Those of a completed one stay.
create function private.withdraw_entries(r public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.entries e using public.entry_batches b
  where b.tenant_id = r.tenant_id and b.reconciliation_id = r.id and b.number is null
    and e.tenant_id = b.tenant_id and e.batch_id = b.id;
  delete from public.entry_batches b
  where b.tenant_id = r.tenant_id and b.reconciliation_id = r.id and b.number is null;
end $$;

create function private.entry_batch_name(b public.entry_batches) returns text
language plpgsql stable set search_path = '' as $$
begin
  return format('%s-%s', b.year, lpad(b.number::text, greatest(4, length(b.number::text)), '0'));
end $$;

create function private.entry_batch_json(b public.entry_batches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('id', b.id, 'number', private.entry_batch_name(b),
      'state', case when b.exported_at is null then 'ready' else 'exported' end,
      'reconciliation_id', b.reconciliation_id, 'reconciliation_name', r.name,
      'statement_number', b.statement_number, 'posting_date', b.posting_date,
      'entry_count', b.entry_count, 'reversal_count', b.reversal_count, 'sums', b.sums,
      'digest', b.digest, 'closing_digest', s.digest, 'created_at', private.iso(b.created_at),
      'created_by', b.created_by, 'exported_at', private.iso(b.exported_at),
      'exported_by', b.exported_by, 'ledger_reference', b.ledger_reference, 'push', b.push)
    from public.reconciliations r
    left join public.statements s on s.tenant_id = b.tenant_id
      and s.reconciliation_id = b.reconciliation_id and s.number = b.statement_number
    where r.tenant_id = b.tenant_id and r.id = b.reconciliation_id
  );
end $$;
grant execute on function
  private.entry_row(public.entries), private.entry_batch_name(public.entry_batches),
  private.entry_batch_json(public.entry_batches)
to authenticated;

-- Gives the batch of a closing its number, if it has one. From here on it is visible, and pushed if
-- the entry rules say so. Emits: entries.ready. Returns { batch_number }, or {} without one.
create function private.complete_entry_batch(r public.reconciliations) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  b public.entry_batches;
  numbered integer;
begin
  select * into b from public.entry_batches x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.number is null;
  if not found then
    return '{}';
  end if;
  -- The row stays locked until the closing commits, so that a number is missing only if none
  -- follows it.
  insert into private.entry_batch_numbers as n (tenant_id, year, last_number)
  values (b.tenant_id, b.year, 1)
  on conflict (tenant_id, year) do update set last_number = n.last_number + 1
  returning n.last_number into numbered;
  update public.entry_batches x set number = numbered
  where x.tenant_id = b.tenant_id and x.id = b.id
  returning * into b;
  if private.push_settings(b) is not null then
    b := private.queue_entry_push(b);
  end if;
  perform private.emit(b.tenant_id, 'entries.ready',
    jsonb_build_object('batch', private.entry_batch_json(b)));
  return jsonb_build_object('batch_number', private.entry_batch_name(b));
end $$;
