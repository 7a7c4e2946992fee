-- What files stated before balances were kept of their own.
insert into public.source_balances (tenant_id, source_no, currency, account, period_start, period_end,
  opening_minor, closing_minor, import_id, created_at, created_by)
select i.tenant_id, i.source_no, coalesce(x.currency, s.currency), x.account,
  case when x.opening_balance_minor is not null then coalesce(x.period_start, x.period_end) end,
  x.period_end, x.opening_balance_minor, x.closing_balance_minor, i.id, i.created_at, i.created_by
from public.imports i
join public.sources s on s.tenant_id = i.tenant_id and s.source_no = i.source_no
cross join jsonb_to_recordset(i.statements) as x (currency text, account text, period_start date,
  period_end date, opening_balance_minor bigint, closing_balance_minor bigint, balance_holds boolean)
where i.status = 'done' and x.closing_balance_minor is not null and x.period_end is not null
  and coalesce(x.period_start <= x.period_end, true) and x.balance_holds is distinct from false;
