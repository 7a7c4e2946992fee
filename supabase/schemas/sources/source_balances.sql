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

create function private.source_balance_json(b public.source_balances) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', b.id,
    'source_id', (
      select s.id from public.sources s
      where s.tenant_id = b.tenant_id and s.source_no = b.source_no
    ),
    'currency', b.currency, 'account', b.account, 'period_start', b.period_start,
    'period_end', b.period_end, 'opening_minor', b.opening_minor,
    'closing_minor', b.closing_minor, 'import_id', b.import_id, 'reason', b.reason,
    'created_at', private.iso(b.created_at), 'created_by', b.created_by
  );
end $$;

-- The sum of the lines of a source that were booked on these days.
create function private.booked_between(tenant text, source integer, currency text, first date,
  last date) returns numeric
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select sum(l.amount_minor) from public.lines l
    where l.tenant_id = tenant and l.source_no = source and l.currency = booked_between.currency
      -- A value date is seldom far from the booking date.
      and l.value_date between first - 60 and last + 60
      and coalesce(l.booked_date, l.value_date) between first and last
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
    select distinct on (x.account) x.account, x.period_end, x.closing_minor, x.id
    from public.source_balances x
    where x.tenant_id = tenant and x.source_no = source and x.currency = total_of_accounts.currency
      and x.account is not null and x.period_end <= day
    order by x.account, x.period_end desc, x.created_at desc, x.id desc
  )
  select sum(l.closing_minor)
      + private.booked_between(tenant, source, total_of_accounts.currency,
        min(l.period_end) + 1, day),
    min(l.period_end), min(l.id)
  from latest l
  having count(*) = accounts and min(l.period_end) = max(l.period_end);
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
  b public.source_balances;
begin
  select count(distinct x.account) into accounts from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency;
  if accounts > 1 then
    return query select *
    from private.total_of_accounts(tenant, source, balance_on.currency, day, accounts);
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
    and x.period_end <= day
  order by x.period_end desc, x.created_at desc, x.id desc limit 1;
  if found then
    return query select b.closing_minor
      + private.booked_between(tenant, source, b.currency, b.period_end + 1, day),
      b.period_end, b.id;
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
    and x.opening_minor is not null
  order by x.period_start, x.created_at, x.id limit 1;
  if found then
    return query select b.opening_minor
      + private.booked_between(tenant, source, b.currency, b.period_start, day)
      - private.booked_between(tenant, source, b.currency, day + 1, b.period_start - 1),
      b.period_start, b.id;
    return;
  end if;
  select * into b from public.source_balances x
  where x.tenant_id = tenant and x.source_no = source and x.currency = balance_on.currency
  order by x.period_end, x.created_at desc, x.id desc limit 1;
  if found then
    return query select b.closing_minor
      - private.booked_between(tenant, source, b.currency, day + 1, b.period_end),
      b.period_end, b.id;
  end if;
end $$;

-- Where the statements of a source, starting with the one before these days, do not follow one
-- another: [{ kind: gap | overlap, from, to, minor }]. `minor` is by how much the next opening
-- exceeds the previous closing plus the lines in between.
create function private.balance_breaks(tenant text, source integer, currency text, first date,
  last date) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  before public.source_balances;
  b public.source_balances;
  expected numeric;
  breaks jsonb := '[]';
begin
  for b in
    select distinct on (x.account, x.period_end, x.period_start, x.opening_minor, x.closing_minor)
      x.*
    from public.source_balances x
    where x.tenant_id = tenant and x.source_no = source and x.currency = balance_breaks.currency
      and x.period_start <= last
      and x.period_end >= coalesce((
        select max(y.period_end) from public.source_balances y
        where y.tenant_id = tenant and y.source_no = source
          and y.currency = balance_breaks.currency and y.period_end < first
      ), first)
    order by x.account, x.period_end, x.period_start, x.opening_minor, x.closing_minor, x.id
  loop
    if before.account is not distinct from b.account and before.id is not null
      and b.opening_minor <> before.closing_minor then
      expected := case when b.period_start > before.period_end then before.closing_minor
          + private.booked_between(tenant, source, currency, before.period_end + 1,
            b.period_start - 1)
        else before.opening_minor
          + private.booked_between(tenant, source, currency, before.period_start,
            b.period_start - 1)
        end;
      if expected is distinct from b.opening_minor then
        breaks := breaks || jsonb_build_object(
          'kind', case when b.period_start > before.period_end then 'gap' else 'overlap' end,
          'from', least(before.period_end, b.period_start),
          'to', greatest(before.period_end, b.period_start),
          'minor', private.exact_sum(b.opening_minor - coalesce(expected, before.closing_minor)));
      end if;
    end if;
    before := b;
  end loop;
  return breaks;
end $$;
grant execute on function
  private.source_balance_json(public.source_balances),
  private.booked_between(text, integer, text, date, date),
  private.total_of_accounts(text, integer, text, date, integer),
  private.balance_on(text, integer, text, date),
  private.balance_breaks(text, integer, text, date, date)
to authenticated;

-- Stores the balances that a file states (`statements` in the form of lib/imports/formats/line.ts).
create function private.keep_balances_of_import(i public.imports) returns void
language plpgsql volatile set search_path = '' as $$
declare
  first_day date;
begin
  with kept as (
    insert into public.source_balances (tenant_id, source_no, currency, account, period_start,
      period_end, opening_minor, closing_minor, import_id, created_by)
    select i.tenant_id, i.source_no, coalesce(x.currency, s.currency), x.account,
      case when x.opening_balance_minor is not null then coalesce(x.period_start, x.period_end) end,
      x.period_end, x.opening_balance_minor, x.closing_balance_minor, i.id, i.created_by
    from public.sources s
    cross join jsonb_to_recordset(i.statements) as x (currency text, account text,
      period_start date, period_end date, opening_balance_minor bigint,
      closing_balance_minor bigint, balance_holds boolean)
    where s.tenant_id = i.tenant_id and s.source_no = i.source_no
      and x.closing_balance_minor is not null and x.period_end is not null
      and coalesce(x.period_start <= x.period_end, true)
      -- A statement from which a line is missing says nothing about the lines that are there.
      and x.balance_holds is distinct from false
    returning period_start, period_end
  )
  select min(coalesce(k.period_start, k.period_end)) into first_day from kept k;
  if first_day is not null then
    perform private.revoke_signatures_of_source(i.tenant_id, i.source_no, first_day,
      'A file brought balances.');
  end if;
end $$;

-- Removes the balances of an import that is undone.
create function private.drop_balances_of_import(tenant text, import_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.source_balances b where b.tenant_id = tenant and b.import_id = $2;
end $$;

-- Newest day first. input: { source_id, limit, after: [period_end, id] | null }.
-- Refuses: not_found.
create function public.list_source_balances(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  s public.sources;
  items jsonb;
begin
  perform private.begin_request(request, 'list_source_balances');
  s := private.find_source(input ->> 'source_id');
  select jsonb_agg(private.source_balance_json(b) order by b.period_end desc, b.id desc) into items
  from (
    select * from public.source_balances x
    where x.tenant_id = s.tenant_id and x.source_no = s.source_no
      and (input -> 'after' ->> 0 is null or (x.period_end, x.id)
        < ((input -> 'after' ->> 0)::date, input -> 'after' ->> 1))
    order by x.period_end desc, x.id desc limit page_size + 1
  ) b;
  return private.page(items, page_size, 'period_end', 'id');
end $$;

-- input: { source_id, id }. Refuses: not_found.
create function public.get_source_balance(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  s public.sources;
  b public.source_balances;
begin
  perform private.begin_request(request, 'get_source_balance');
  s := private.find_source(input ->> 'source_id');
  select * into b from public.source_balances x
  where x.tenant_id = s.tenant_id and x.source_no = s.source_no and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('balance');
  end if;
  return private.source_balance_json(b)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(b)));
end $$;

-- input: { source_id, day, amount_minor, currency, reason }. Refuses: not_found; conflict beyond
-- the quota. Records: balance.stated.
create function public.state_source_balance(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'state_source_balance');
  s public.sources;
  b public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  perform private.serialize_counting('stated_balances');
  if (select count(*) from public.source_balances x
    where x.tenant_id = s.tenant_id and x.source_no = s.source_no and x.reason is not null) >= 4000
  then
    perform private.refuse_conflict('quota',
      'A source can have at most 4,000 stated balances. Remove some of earlier years.');
  end if;
  insert into public.source_balances (source_no, currency, period_end, closing_minor, reason)
  values (s.source_no, coalesce(input ->> 'currency', s.currency), (input ->> 'day')::date,
    (input ->> 'amount_minor')::bigint, input ->> 'reason')
  returning * into b;
  perform private.record_source_work(s.source_no);
  perform private.revoke_signatures_of_source(s.tenant_id, s.source_no, b.period_end,
    'A balance was stated.');
  perform private.record_security_event('balance.stated', s.id, b.reason, jsonb_build_object(
    'name', s.name, 'balance_id', b.id, 'day', b.period_end, 'currency', b.currency,
    'amount_minor', b.closing_minor));
  return private.finish_request(request, private.source_balance_json(b)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(b))));
end $$;

-- input: { source_id, id }. Refuses: not_found, precondition_failed; conflict for one that a file
-- stated. Records: balance.removed.
create function public.remove_source_balance(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_source_balance');
  s public.sources;
  b public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  select * into b from public.source_balances x
  where x.tenant_id = s.tenant_id and x.source_no = s.source_no and x.id = input ->> 'id'
  for update;
  if not found then
    perform private.refuse_missing('balance');
  end if;
  perform private.require_version(private.version_of(private.source_balance_json(b)),
    request -> 'versions');
  if b.import_id is not null then
    perform private.refuse_conflict('stated_by_file',
      'A file states this balance. Undo its import to remove it.');
  end if;
  delete from public.source_balances x where x.tenant_id = b.tenant_id and x.id = b.id;
  perform private.record_source_work(s.source_no);
  perform private.revoke_signatures_of_source(s.tenant_id, s.source_no, b.period_end,
    'A balance was removed.');
  perform private.record_security_event('balance.removed', s.id, null, jsonb_build_object(
    'name', s.name, 'balance_id', b.id, 'day', b.period_end, 'currency', b.currency,
    'amount_minor', b.closing_minor));
  return private.finish_request(request, private.source_balance_json(b)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(b))));
end $$;
