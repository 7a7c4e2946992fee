-- Users of the local stack. Every password is tieout-demo.
create temporary table seed_users (email text primary key, tenants jsonb not null) on commit drop;
insert into seed_users values
  ('ada@acme.example', '{"acme": ["tenant_admin"]}'),
  ('ana@acme.example', '{"acme": ["tenant_analyst"]}'),
  ('leo@acme.example', '{"acme": ["tenant_lead"]}'),
  ('gus@globex.example', '{"globex": ["tenant_admin"]}'),
  ('gia@globex.example', '{"globex": ["tenant_analyst"]}'),
  ('glen@globex.example', '{"globex": ["tenant_lead"]}'),
  ('sam@tieout.example', '{"acme": ["tenant_admin"], "globex": ["tenant_analyst"]}');

-- Supabase Auth reads the token columns as text that is never null.
insert into auth.users (
  instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
  confirmation_token, recovery_token, email_change, email_change_token_new, email_change_token_current,
  phone_change, phone_change_token, reauthentication_token, created_at, updated_at
)
select
  '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', email,
  extensions.crypt('tieout-demo', extensions.gen_salt('bf', 10)), now(),
  jsonb_build_object('provider', 'email', 'providers', jsonb_build_array('email'), 'tenants', tenants), '{}',
  '', '', '', '', '', '', '', '', now(), now()
from seed_users;

insert into auth.identities (id, provider, provider_id, user_id, identity_data, last_sign_in_at, created_at, updated_at)
select
  gen_random_uuid(), 'email', users.id::text, users.id,
  jsonb_build_object('sub', users.id, 'email', users.email, 'email_verified', true), now(), now(), now()
from auth.users join seed_users using (email);

-- Tenants with a working week behind them. Times are relative to the moment of seeding.
select private.create_tenant('acme', 'Acme Corporation');
select private.create_tenant('globex', 'Globex Trading');

create temporary table seed_sources (tenant_id text, n integer, name text, left_source text, right_source text, currency text) on commit drop;
insert into seed_sources values
  ('acme', 1, 'Stripe payouts to bank', 'stripe.payouts', 'bank.statement', 'EUR'),
  ('acme', 2, 'Adyen settlements to ledger', 'adyen.settlements', 'ledger.cash', 'EUR'),
  ('acme', 3, 'Card fees to invoices', 'scheme.fees', 'ledger.fees', 'EUR'),
  ('acme', 4, 'Payroll to bank', 'payroll.runs', 'bank.statement', 'EUR'),
  ('acme', 5, 'Intercompany UK to DE', 'ledger.uk', 'ledger.de', 'GBP'),
  ('acme', 6, 'Suppliers to bank', 'ap.payments', 'bank.statement', 'EUR'),
  ('acme', 7, 'Customer refunds', 'orders.refunds', 'stripe.refunds', 'EUR'),
  ('acme', 8, 'PayPal to ledger', 'paypal.transactions', 'ledger.cash', 'USD'),
  ('acme', 9, 'Inventory to general ledger', 'wms.stock', 'ledger.inventory', 'EUR'),
  ('acme', 10, 'VAT returns to ledger', 'tax.returns', 'ledger.vat', 'EUR'),
  ('acme', 11, 'Gift cards outstanding', 'giftcards.balances', 'ledger.liabilities', 'EUR'),
  ('acme', 12, 'Treasury deposits', 'treasury.deposits', 'bank.statement', 'JPY'),
  ('globex', 1, 'Brokerage trades to custodian', 'broker.trades', 'custodian.trades', 'USD'),
  ('globex', 2, 'Cash positions', 'broker.cash', 'custodian.cash', 'USD'),
  ('globex', 3, 'FX forwards', 'fx.blotter', 'bank.confirmations', 'USD'),
  ('globex', 4, 'Dividends to expectations', 'custodian.dividends', 'marketdata.dividends', 'USD'),
  ('globex', 5, 'Margin calls', 'clearing.calls', 'treasury.payments', 'USD'),
  ('globex', 6, 'Fund fees', 'admin.fees', 'ledger.fees', 'USD');

insert into public.reconciliations
  (tenant_id, name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, created_at, created_by)
select
  tenant_id, name, (array['in_progress', 'open', 'in_progress', 'completed'])[1 + n % 4],
  (now() - make_interval(days => 7 * (1 + n % 3)))::date, (now() - make_interval(days => 7 * (n % 3)))::date,
  left_source, right_source, 4000 + 977 * n, 10 + 7 * n, now() - make_interval(days => n), case tenant_id when 'acme' then 'user:ada' else 'user:gus' end
from seed_sources;

-- One in eight is closed. The open ones spread over breached, high, medium and low by their distance to the deadline.
insert into public.exceptions (
  tenant_id, title, severity, assigned_to, due_at, status, reason_code, amount_minor, currency, reconciliation_id, details,
  resolution, created_at, created_by, closed_at
)
select
  s.tenant_id,
  format((array[
    'Payment %s has no counterpart', 'Amount of %s differs', 'Duplicate of %s', 'Late settlement of %s',
    'Unknown reference %s', 'Fee on %s not expected'
  ])[1 + i % 6], 'L-' || (10000 + i)),
  (array['medium', 'low', 'high', 'medium', 'critical', 'low', 'high'])[1 + i % 7],
  case when i % 6 > 0 then (case s.tenant_id when 'acme' then array['user:ada', 'user:ana', 'user:leo', 'user:sam', 'user:ana'] else array['user:gus', 'user:gia', 'user:glen', 'user:sam', 'user:gia'] end)[i % 6] end,
  due.at,
  case when i % 16 = 7 then 'resolved' when i % 16 = 15 then 'dismissed' when i % 3 = 0 then 'in_review' else 'open' end,
  (array['missing_counterpart', 'amount_mismatch', 'duplicate', 'timing', 'unknown_reference', 'unexpected_fee'])[1 + i % 6],
  case when i % 7 > 0 then (i * 7919::bigint) % 4000000 + 150 end,
  case when i % 7 > 0 then s.currency end,
  r.id,
  jsonb_build_object('left_reference', 'L-' || (10000 + i), 'right_reference', case when i % 6 > 0 then 'R-' || (20000 + i) end),
  case when i % 8 = 7 then 'Matched by hand after the counterparty sent the missing line.' end,
  least(due.at, now()) - make_interval(hours => 6 + i % 70),
  case s.tenant_id when 'acme' then 'user:ada' else 'user:gus' end,
  case when i % 8 = 7 then least(due.at, now()) - make_interval(mins => i % 300) end
from generate_series(1, 400) as i
cross join (values ('acme', 12, 400), ('globex', 6, 120)) as size (tenant_id, sources, exceptions)
join seed_sources s on s.tenant_id = size.tenant_id and s.n = 1 + i % size.sources
join public.reconciliations r on r.tenant_id = s.tenant_id and r.name = s.name
cross join lateral (
  select now() + case i % 10
    when 0 then make_interval(mins => -(5 + i * 3))
    when 1 then make_interval(mins => 2 + i % 57)
    when 2 then make_interval(mins => 61 + i % 178)
    when 3 then make_interval(mins => 65 + i % 170)
    else make_interval(mins => 250 + i * 23)
  end as at
) due
where i <= size.exceptions;

update public.exception_history h set at = e.created_at, actor = e.created_by from public.exceptions e where e.id = h.exception_id;
