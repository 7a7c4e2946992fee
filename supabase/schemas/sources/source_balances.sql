-- Balances: what a bank or a ledger states for a source at the end of a day. A file brings
-- statements, each with an opening and a closing balance; a person or a program states single
-- balances.

create table public.source_balances (
  tenant_id text not null default private.tenant_id(),
  id text not null default private.new_id('bal'),
  source_no integer not null,
  currency text not null,
  -- As the file writes it. A source usually has one account, or names none.
  account text,
  -- Null for a balance that was stated for one day.
  period_start date,
  period_end date not null,
  opening_minor bigint check (opening_minor between -9007199254740991 and 9007199254740991),
  closing_minor bigint not null check (
    closing_minor between -9007199254740991 and 9007199254740991),
  -- The file that states it. Without one, a person or a program stated it and says why.
  import_id text,
  reason text check (length(reason) between 1 and 500),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, id),
  foreign key (tenant_id, source_no) references public.sources (tenant_id, source_no),
  foreign key (tenant_id, import_id) references public.imports (tenant_id, id),
  check (num_nonnulls(import_id, reason) = 1),
  check (period_start <= period_end)
);
create index source_balances_by_day
  on public.source_balances (tenant_id, source_no, currency, period_end);
create index source_balances_by_import on public.source_balances (tenant_id, import_id);

alter table public.source_balances enable row level security;
grant select on public.source_balances to authenticated, service_role;
create policy source_balances_read on public.source_balances for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

create function private.source_balance_json(balance public.source_balances) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', balance.id,
    'source_id', (
      select source.id from public.sources source
      where source.tenant_id = balance.tenant_id and source.source_no = balance.source_no
    ),
    'currency', balance.currency, 'account', balance.account, 'period_start', balance.period_start,
    'period_end', balance.period_end, 'opening_minor', balance.opening_minor,
    'closing_minor', balance.closing_minor, 'import_id', balance.import_id,
    'reason', balance.reason,
    'created_at', private.iso(balance.created_at), 'created_by', balance.created_by
  );
end $$;

-- The sum of the lines of a source that were booked on these days.
create function private.booked_between(tenant text, source integer, currency text, first date,
  last date) returns numeric
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select sum(line.amount_minor) from public.lines line
    where line.tenant_id = tenant and line.source_no = source
      and line.currency = booked_between.currency
      -- A value date is seldom far from the booking date.
      and line.value_date between first - 60 and last + 60
      and coalesce(line.booked_date, line.value_date) between first and last
  ), 0);
end $$;

-- The balance of several accounts, if all of them end on the same day.
create function private.total_of_accounts(tenant text, source integer, currency text, day date,
  accounts integer)
returns table (minor numeric, stated_on date, balance_id text)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
begin
  return query
  with latest as (
    select distinct on (balance.account) balance.account, balance.period_end, balance.closing_minor,
      balance.id
    from public.source_balances balance
    where balance.tenant_id = tenant and balance.source_no = source
      and balance.currency = total_of_accounts.currency
      and balance.account is not null and balance.period_end <= day
    order by balance.account, balance.period_end desc, balance.created_at desc, balance.id desc
  )
  select sum(latest.closing_minor)
      + private.booked_between(tenant, source, total_of_accounts.currency,
        min(latest.period_end) + 1, day),
    min(latest.period_end), min(latest.id)
  from latest
  having count(*) = accounts and min(latest.period_end) = max(latest.period_end);
end $$;

-- The balance of a source at the end of a day: the last one stated by then, carried on by the lines
-- booked since; without one, the first statement after that day, less the lines in between. No row
-- if nothing was stated, or several accounts end on different days.
create function private.balance_on(tenant text, source integer, currency text, day date)
returns table (minor numeric, stated_on date, balance_id text)
language plpgsql stable set search_path = '' as $$
#variable_conflict use_column
declare
  accounts integer;
  balance public.source_balances;
begin
  select count(distinct source_balances.account) into accounts from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency;
  if accounts > 1 then
    return query select *
    from private.total_of_accounts(tenant, source, balance_on.currency, day, accounts);
    return;
  end if;
  select * into balance from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency
    and source_balances.period_end <= day
  order by source_balances.period_end desc, source_balances.created_at desc, source_balances.id desc
    limit 1;
  if found then
    return query select balance.closing_minor
      + private.booked_between(tenant, source, balance.currency, balance.period_end + 1, day),
      balance.period_end, balance.id;
    return;
  end if;
  select * into balance from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency
    and source_balances.opening_minor is not null
  order by source_balances.period_start, source_balances.created_at, source_balances.id limit 1;
  if found then
    return query select balance.opening_minor
      + private.booked_between(tenant, source, balance.currency, balance.period_start, day)
      - private.booked_between(tenant, source, balance.currency, day + 1, balance.period_start - 1),
      balance.period_start, balance.id;
    return;
  end if;
  select * into balance from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency
  order by source_balances.period_end, source_balances.created_at desc, source_balances.id desc
    limit 1;
  if found then
    return query select balance.closing_minor
      - private.booked_between(tenant, source, balance.currency, day + 1, balance.period_end),
      balance.period_end, balance.id;
  end if;
end $$;

grant execute on function
  private.source_balance_json(public.source_balances),
  private.booked_between(text, integer, text, date, date),
  private.total_of_accounts(text, integer, text, date, integer),
  private.balance_on(text, integer, text, date)
to authenticated;

-- Stores the balances that a file states (`statements` in the form of lib/imports/formats/line.ts).
create function private.store_import_balances(import public.imports) returns void
language plpgsql volatile set search_path = '' as $$
declare
  first_day date;
begin
  with kept as (
    insert into public.source_balances (tenant_id, source_no, currency, account, period_start,
      period_end, opening_minor, closing_minor, import_id, created_by)
    select import.tenant_id, import.source_no, coalesce(stated.currency, source.currency),
      stated.account,
      case when stated.opening_balance_minor is not null then coalesce(stated.period_start,
        stated.period_end) end,
      stated.period_end, stated.opening_balance_minor, stated.closing_balance_minor, import.id,
      import.created_by
    from public.sources source
    cross join jsonb_to_recordset(import.statements) as stated (currency text, account text,
      period_start date, period_end date, opening_balance_minor bigint,
      closing_balance_minor bigint, balance_holds boolean)
    where source.tenant_id = import.tenant_id and source.source_no = import.source_no
      and stated.closing_balance_minor is not null and stated.period_end is not null
      and coalesce(stated.period_start <= stated.period_end, true)
      -- A statement from which a line is missing says nothing about the lines that are there.
      and stated.balance_holds is distinct from false
    returning period_start, period_end
  )
  select min(coalesce(kept.period_start, kept.period_end)) into first_day from kept;
  if first_day is not null then
    perform private.revoke_signatures_of_source(import.tenant_id, import.source_no, first_day,
      'A file with balances was imported.');
  end if;
end $$;

-- Removes the balances of an import that is undone.
create function private.drop_balances_of_import(tenant text, import_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.source_balances balance where balance.tenant_id = tenant
    and balance.import_id = $2;
end $$;

-- Newest day first. input: { source_id, limit, after: [period_end, id] | null }.
-- Refuses: not_found.
create function public.list_source_balances(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  source public.sources;
  items jsonb;
begin
  perform private.begin_request(request, 'list_source_balances');
  source := private.find_source(input ->> 'source_id');
  select jsonb_agg(private.source_balance_json(balance) order by balance.period_end desc,
    balance.id desc) into items
  from (
    select * from public.source_balances balance
    where balance.tenant_id = source.tenant_id and balance.source_no = source.source_no
      and (input -> 'after' ->> 0 is null or (balance.period_end, balance.id)
        < ((input -> 'after' ->> 0)::date, input -> 'after' ->> 1))
    order by balance.period_end desc, balance.id desc limit page_size + 1
  ) balance;
  return private.page(items, page_size, 'period_end', 'id');
end $$;

-- input: { source_id, id }. Refuses: not_found.
create function public.get_source_balance(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  source public.sources;
  balance public.source_balances;
begin
  perform private.begin_request(request, 'get_source_balance');
  source := private.find_source(input ->> 'source_id');
  select * into balance from public.source_balances
  where source_balances.tenant_id = source.tenant_id
    and source_balances.source_no = source.source_no and source_balances.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('balance');
  end if;
  return private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance)));
end $$;

-- input: { source_id, day, amount_minor, currency, reason }. Refuses: not_found; conflict beyond
-- the quota and while a period is being closed. Records: balance.stated.
create function public.state_source_balance(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'state_source_balance');
  source public.sources;
  balance public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  perform private.lock_pairs_of_open_source(source.tenant_id, source.source_no);
  perform private.serialize_counting('stated_balances');
  if (select count(*) from public.source_balances
    where source_balances.tenant_id = source.tenant_id
      and source_balances.source_no = source.source_no and source_balances.reason is not null)
        >= 4000
  then
    perform private.refuse_conflict('quota',
      'A source can have at most 4,000 recorded balances. Remove some from earlier years.');
  end if;
  insert into public.source_balances (source_no, currency, period_end, closing_minor, reason)
  values (source.source_no, coalesce(input ->> 'currency', source.currency),
    (input ->> 'day')::date,
    (input ->> 'amount_minor')::bigint, input ->> 'reason')
  returning * into balance;
  perform private.record_source_work(source.source_no);
  perform private.revoke_signatures_of_source(source.tenant_id, source.source_no,
    balance.period_end,
    'A balance was recorded.');
  perform private.record_security_event('balance.stated', source.id, balance.reason,
    jsonb_build_object(
    'name', source.name, 'balance_id', balance.id, 'day', balance.period_end,
    'currency', balance.currency,
    'amount_minor', balance.closing_minor));
  return private.finish_request(request, private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance))));
end $$;

-- input: { source_id, id }. Refuses: not_found, precondition_failed; conflict for one that a file
-- stated and while a period is being closed. Records: balance.removed.
create function public.remove_source_balance(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_source_balance');
  source public.sources;
  balance public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  perform private.lock_pairs_of_open_source(source.tenant_id, source.source_no);
  select * into balance from public.source_balances
  where source_balances.tenant_id = source.tenant_id
    and source_balances.source_no = source.source_no and source_balances.id = input ->> 'id'
  for update;
  if not found then
    perform private.refuse_missing('balance');
  end if;
  perform private.require_version(private.version_of(private.source_balance_json(balance)),
    request -> 'versions');
  if balance.import_id is not null then
    perform private.refuse_conflict('stated_by_file',
      'This balance is from a file. Undo its import to remove it.');
  end if;
  delete from public.source_balances where source_balances.tenant_id = balance.tenant_id
    and source_balances.id = balance.id;
  perform private.record_source_work(source.source_no);
  perform private.revoke_signatures_of_source(source.tenant_id, source.source_no,
    balance.period_end,
    'A balance was removed.');
  perform private.record_security_event('balance.removed', source.id, null, jsonb_build_object(
    'name', source.name, 'balance_id', balance.id, 'day', balance.period_end,
    'currency', balance.currency,
    'amount_minor', balance.closing_minor));
  return private.finish_request(request, private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance))));
end $$;
