-- Breaks of balances: where the statements and recorded balances of a source don't continue one
-- another, because something is missing between them or they contradict each other.

-- What a balance should be, after the one before it in the order of their last days: its opening,
-- or its closing where it has no opening.
create function private.expected_balance(before public.source_balances,
  balance public.source_balances) returns numeric
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := balance.tenant_id;
  source constant integer := balance.source_no;
  currency constant text := balance.currency;
begin
  if balance.opening_minor is null then
    return before.closing_minor
      + private.booked_between(tenant, source, currency, before.period_end + 1, balance.period_end);
  elsif balance.period_start > before.period_end then
    return before.closing_minor + private.booked_between(tenant, source, currency,
      before.period_end + 1, balance.period_start - 1);
  elsif before.opening_minor is null then
    return before.closing_minor - private.booked_between(tenant, source, currency,
      balance.period_start, before.period_end);
  end if;
  return before.opening_minor
    + private.booked_between(tenant, source, currency, before.period_start,
      balance.period_start - 1)
    - private.booked_between(tenant, source, currency, balance.period_start,
      before.period_start - 1);
end $$;

-- Whether a balance continues any statement of its accounts that ends on its first day or last
-- before it; or, if it has no opening, repeats one of its day.
create function private.continues_another(balance public.source_balances,
  accounts integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from (
      select other.*, max(other.period_end) filter (where other.period_end < balance.period_start)
        over () as last_before
      from public.source_balances other
      where other.tenant_id = balance.tenant_id and other.source_no = balance.source_no
        and other.currency = balance.currency and other.id <> balance.id
        and (accounts < 2 or other.account is not distinct from balance.account)
        and other.period_end <= coalesce(balance.period_start, balance.period_end)
    ) other
    where case when balance.opening_minor is null
      then other.period_end = balance.period_end and other.closing_minor = balance.closing_minor
      else other.closing_minor = balance.opening_minor
        and other.period_end >= coalesce(other.last_before, balance.period_start) end
  );
end $$;

create function private.account_count(tenant text, source integer, currency text) returns integer
language plpgsql stable set search_path = '' as $$
begin
  return (
    select count(distinct source_balances.account) from public.source_balances
    where source_balances.tenant_id = tenant and source_balances.source_no = source
      and source_balances.currency = account_count.currency
  );
end $$;

-- Where the statements of a source, starting with the one before these days, do not follow one
-- another: [{ kind: gap | overlap, from, to, minor }]. `minor` is by how much the next opening, or
-- the next balance without one, exceeds the previous closing plus the lines in between. A balance
-- that names no account belongs to the only one.
create function private.balance_breaks(tenant text, source integer, currency text, first date,
  last date) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  accounts constant integer := private.account_count(tenant, source, currency);
  -- The last one of an earlier day, the one before in the order below, and which of them counts.
  day_before public.source_balances;
  before public.source_balances;
  previous public.source_balances;
  balance public.source_balances;
  beyond numeric;
  breaks jsonb := '[]';
begin
  for balance in
    select distinct on (case when accounts > 1 then source_balances.account end,
      source_balances.period_end, source_balances.period_start, source_balances.opening_minor,
      source_balances.closing_minor) source_balances.*
    from public.source_balances
    where source_balances.tenant_id = tenant and source_balances.source_no = source
      and source_balances.currency = balance_breaks.currency
      and coalesce(source_balances.period_start, source_balances.period_end) <= last
      and source_balances.period_end >= coalesce((
        select max(earlier.period_end) from public.source_balances earlier
        where earlier.tenant_id = tenant and earlier.source_no = source
          and earlier.currency = balance_breaks.currency and earlier.period_end < first
      ), first)
    order by case when accounts > 1 then source_balances.account end,
      source_balances.period_end, source_balances.period_start, source_balances.opening_minor,
      source_balances.closing_minor, source_balances.id
  loop
    if before.period_end is distinct from balance.period_end then
      day_before := before;
    end if;
    -- Several statements of one day continue one another in an order that isn't known.
    previous := case when balance.period_start = balance.period_end
      and before.period_start = balance.period_end then day_before
      else before end;
    if (accounts < 2 or previous.account is not distinct from balance.account)
      and balance.opening_minor is distinct from previous.closing_minor then
      beyond := coalesce(balance.opening_minor, balance.closing_minor)
        - private.expected_balance(previous, balance);
      if beyond <> 0 and not private.continues_another(balance, accounts) then
        breaks := breaks || private.balance_break_json(previous, balance, beyond);
      end if;
    end if;
    before := balance;
  end loop;
  return breaks;
end $$;

create function private.balance_break_json(before public.source_balances,
  balance public.source_balances, minor numeric) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  first_day constant date := coalesce(balance.period_start, balance.period_end);
begin
  return jsonb_build_object(
    'kind', case when first_day > before.period_end then 'gap' else 'overlap' end,
    'from', least(before.period_end, first_day), 'to', greatest(before.period_end, first_day),
    'minor', private.exact_sum(minor));
end $$;

-- The same in all its currencies.
create function private.balance_breaks_of_source(tenant text, source integer, first date,
  last date) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(found.item order by stated.currency, found.place), '[]')
    from (
      select distinct source_balances.currency from public.source_balances
      where source_balances.tenant_id = tenant and source_balances.source_no = source
    ) stated
    cross join lateral jsonb_array_elements(
      private.balance_breaks(tenant, source, stated.currency, first, last)
    ) with ordinality found (item, place)
  );
end $$;
grant execute on function
  private.expected_balance(public.source_balances, public.source_balances),
  private.continues_another(public.source_balances, integer),
  private.account_count(text, integer, text),
  private.balance_break_json(public.source_balances, public.source_balances, numeric),
  private.balance_breaks(text, integer, text, date, date),
  private.balance_breaks_of_source(text, integer, date, date)
to authenticated;
