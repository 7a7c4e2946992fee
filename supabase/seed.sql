-- Users of the local stack. Every password is tieout-demo, so it is run where that is asked for by name and nowhere else.
do $$
begin
  if current_setting('tieout.demonstration', true) is distinct from 'on' then
    raise exception 'These users have a password that everybody knows. They are for a database on your own machine.'
      using hint = 'There, run: alter database postgres set tieout.demonstration = ''on''. On a hosted project, let people in with: npm run tenant -- admit';
  end if;
end $$;

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
select private.change_exceptions('create', array(
  select jsonb_build_object(
    'tenant_id', s.tenant_id,
    'title', format((array[
      'Payment %s has no counterpart', 'Amount of %s differs', 'Duplicate of %s', 'Late settlement of %s',
      'Unknown reference %s', 'Fee on %s not expected'
    ])[1 + i % 6], 'L-' || (10000 + i)),
    'severity', (array['medium', 'low', 'high', 'medium', 'critical', 'low', 'high'])[1 + i % 7],
    'assigned_to', case when i % 6 > 0 then (case s.tenant_id when 'acme' then array['user:ada', 'user:ana', 'user:leo', 'user:sam', 'user:ana'] else array['user:gus', 'user:gia', 'user:glen', 'user:sam', 'user:gia'] end)[i % 6] end,
    'due_at', due.at,
    'status', case when i % 16 = 7 then 'resolved' when i % 16 = 15 then 'dismissed' when i % 3 = 0 then 'in_review' else 'open' end,
    'reason_code', (array['missing_counterpart', 'amount_mismatch', 'duplicate', 'timing', 'unknown_reference', 'unexpected_fee'])[1 + i % 6],
    'amount_minor', case when i % 7 > 0 then (i * 7919::bigint) % 4000000 + 150 end,
    'currency', case when i % 7 > 0 then s.currency end,
    'reconciliation_id', r.id,
    'details', jsonb_build_object('left_reference', 'L-' || (10000 + i), 'right_reference', case when i % 6 > 0 then 'R-' || (20000 + i) end),
    'resolution', case when i % 8 = 7 then 'Matched by hand after the counterparty sent the missing line.' end,
    'created_at', least(due.at, now()) - make_interval(hours => 6 + i % 70),
    'created_by', case s.tenant_id when 'acme' then 'user:ada' else 'user:gus' end,
    'closed_at', case when i % 8 = 7 then due.at + make_interval(mins => case when i % 3 = 0 then 40 + i % 200 else -(30 + i % 300) end) end
  )
  from generate_series(1, 400) as i
  cross join (values ('acme', 12, 400), ('globex', 6, 120)) as size (tenant_id, sources, exceptions)
  join seed_sources s on s.tenant_id = size.tenant_id and s.n = 1 + i % size.sources
  join public.reconciliations r on r.tenant_id = s.tenant_id and r.name = s.name
  cross join lateral (
    select now() + case when i % 8 = 7 then make_interval(hours => -(8 + i * 7 % 700)) else case i % 10
      when 0 then make_interval(mins => -(5 + i * 3))
      when 1 then make_interval(mins => 2 + i % 57)
      when 2 then make_interval(mins => 61 + i % 178)
      when 3 then make_interval(mins => 65 + i % 170)
      else make_interval(mins => 250 + i * 23)
    end end as at
  ) due
  where i <= size.exceptions
));

update public.exception_history h set at = e.created_at, actor = e.created_by
from public.exceptions e where e.tenant_id = h.tenant_id and e.id = h.exception_id;

-- The clocks' past: set at creation, crossed when they crossed, stopped when the exception was closed.
update public.exception_ledger l set at = e.created_at, actor = e.created_by
from public.exceptions e where e.tenant_id = l.tenant_id and e.id = l.exception_id and l.kind = 'set';
update public.exception_ledger set at = due_at - make_interval(mins => threshold_minutes) where kind = 'crossed';
insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, actor)
select e.tenant_id, e.id, l.at, l.kind, e.due_at, l.threshold_minutes, l.actor
from public.exceptions e
cross join lateral (values
  (e.created_at, 'set', null, e.created_by), (e.due_at, 'crossed', 0, 'system'), (e.closed_at, e.status, null, coalesce(e.assigned_to, e.created_by))
) as l (at, kind, threshold_minutes, actor)
where e.closed_at is not null and l.at <= e.closed_at;
select private.recount_exceptions();

-- API keys whose secrets nobody knows, with three weeks of calls.
create temporary table seed_keys (tenant_id text, name text, scopes text[], ip_allowlist text[], age interval, life interval, calls integer) on commit drop;
insert into seed_keys values
  ('acme', 'Nightly ledger export', '{read:reconciliations,read:exceptions}', '{203.0.113.0/24}', '40 days', '366 days', 60),
  ('acme', 'Bank feed importer', '{read:exceptions,write:exceptions}', '{}', '100 days', null, 400),
  ('acme', 'Month-end batch', '{read:reconciliations}', '{198.51.100.7/32}', '80 days', '90 days', 4),
  ('acme', 'Old SFTP bridge', '{read:exceptions}', '{}', '200 days', '190 days', 0),
  ('globex', 'Custodian sync', '{read:reconciliations,write:exceptions}', '{}', '12 days', '90 days', 120);

insert into public.api_keys (tenant_id, key_id, name, scopes, ip_allowlist, expires_at, created_at, created_by)
select tenant_id, 'tk_' || substr(md5(random()::text), 1, 22), name, scopes, ip_allowlist, now() - age + life, now() - age,
  case tenant_id when 'acme' then 'user:ada' else 'user:gus' end
from seed_keys;
insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest)
select key_id, tenant_id, id, encode(sha256(convert_to(gen_random_uuid()::text, 'utf8')), 'hex') from public.api_keys;
update public.api_keys set revoked_at = now() - interval '9 days', revoked_by = 'user:ada', revoke_reason = 'The bridge was decommissioned.'
where name = 'Old SFTP bridge';

insert into public.api_key_usage_hourly (api_key_id, tenant_id, hour, operation, address, outcome, calls, last_seen_at)
select k.id, k.tenant_id, h.hour, case when 'read:exceptions' = any (k.scopes) then 'listExceptions' else 'listReconciliations' end,
  '203.0.113.9', 'accepted', 1 + (s.calls * (2 + sin(extract(hour from h.hour) / 4)) / 3)::integer, h.hour + interval '50 minutes'
from public.api_keys k join seed_keys s using (tenant_id, name)
cross join generate_series(date_trunc('hour', now()) - interval '7 days', date_trunc('hour', now()) - interval '1 hour', interval '1 hour') as h (hour)
where s.calls > 0;
insert into public.api_key_usage_daily (api_key_id, tenant_id, day, operation, outcome, calls)
select api_key_id, tenant_id, (hour at time zone 'UTC')::date, operation, outcome, sum(calls) from public.api_key_usage_hourly group by 1, 2, 3, 4, 5;
insert into public.api_key_totals (api_key_id, tenant_id, request_count, last_used_at, last_used_ip)
select api_key_id, tenant_id, sum(calls), max(last_seen_at), '203.0.113.9' from public.api_key_usage_hourly group by 1, 2;

-- Identifiers sort by time, and these records' times lie in the past.
create function pg_temp.seed_id(moment timestamptz) returns text
language sql
return 'rec_' || lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || right(private.new_id('rec'), 20);

-- Records of the generic surfaces: connections of which some fail, guides, and release notes of which the last is a draft.
insert into public.records (id, tenant_id, surface, data, created_at, updated_at, created_by)
select pg_temp.seed_id(now() - make_interval(days => 90 - n)), tenant_id, 'integrations', jsonb_build_object(
    'name', initcap(split_part(source, '.', 1)) || ' ' || replace(split_part(source, '.', 2), '_', ' '),
    'provider', split_part(source, '.', 1),
    'status', (array['active', 'active', 'failing', 'active', 'paused'])[1 + n % 5],
    'config', jsonb_build_object('feed', source, 'schedule', (array['hourly', 'daily', 'weekdays'])[1 + n % 3], 'secret_ref', 'vault:' || source)
  ),
  now() - make_interval(days => 90 - n), now() - make_interval(hours => 5 * n), case tenant_id when 'acme' then 'user:ada' else 'user:gus' end
from (select tenant_id, source, row_number() over (partition by tenant_id order by source)::integer as n
      from (select tenant_id, left_source from seed_sources union select tenant_id, right_source from seed_sources) s (tenant_id, source)) sources;

insert into public.records (id, tenant_id, surface, data, created_at, updated_at, created_by)
select pg_temp.seed_id(now() - make_interval(days => 40 - n)), tenant_id, 'troubleshooting', jsonb_build_object('title', title, 'symptom', symptom, 'resolution', resolution, 'published', published),
  now() - make_interval(days => 40 - n), now() - make_interval(days => 20 - n), case tenant_id when 'acme' then 'user:leo' else 'user:glen' end
from (values
  (1, 'A payout has no bank line', 'The payout shows on the left side only, although the provider says it was paid.', 'Banks post a day later. Match again after the next statement; after two days, ask the bank with the payout''s reference.', true),
  (2, 'Amounts differ by a few cents', 'Left and right agree but for less than one unit of the currency.', 'The provider rounds each line, the ledger the sum. Book the difference to rounding and resolve with reason amount_mismatch.', true),
  (3, 'The same line appears twice', 'Two lines on one side carry one reference.', 'The feed was delivered again. Dismiss the later one as a duplicate.', true),
  (4, 'A feed delivers nothing', 'No new lines since yesterday; the integration says failing.', 'Ask the provider for its status first, then renew the key in the vault that secret_ref names.', false),
  (5, 'Fees are booked in the wrong month', 'Fees of the last day land in the next period.', 'Set the period''s end to the provider''s cut-off, which is UTC.', true)
) as guides (n, title, symptom, resolution, published), (values ('acme'), ('globex')) as tenants (tenant_id);

insert into public.records (id, tenant_id, surface, data, created_at, updated_at, created_by)
select pg_temp.seed_id(now() - make_interval(days => days, hours => 1)), tenant_id, 'release-notes', jsonb_strip_nulls(jsonb_build_object(
    'title', title, 'version', version, 'body', body, 'published', published,
    'published_at', case when published then private.iso(date_trunc('day', now()) - make_interval(days => days) + interval '9 hours') end
  )),
  now() - make_interval(days => days, hours => 1), now() - make_interval(days => days), case tenant_id when 'acme' then 'user:ada' else 'user:gus' end
from (values
  (61, 'Rules for rounding', '2.2.0', E'Differences below one minor unit can be **booked by themselves**.\n\n- Off by default, under each reconciliation\n- Every booking is in the history', true),
  (33, 'Deadlines by severity', '2.3.0', E'Each severity has its own time to resolve.\n\nThe board shows what is *at risk* four hours before it is late. See `GET /v1/exceptions/sla`.', true),
  (9, 'Faster matching', '2.4.0', E'Matching of large statements takes half the time.\n\n1. Lines are compared by reference first\n2. Only what is left is compared by amount and day\n\n> Nothing changes in what is matched.', true),
  (2, 'Fixes', '2.4.1', E'- Totals of a period that ends on a Sunday are right again\n- Exports keep the order of the board', true),
  (0, 'Webhooks', '2.5.0', E'Deadlines that pass can be **sent to your systems**.\n\nTo be announced next week.', false)
) as notes (days, title, version, body, published), (values ('acme'), ('globex')) as tenants (tenant_id);

insert into public.records (id, tenant_id, surface, data, created_at, created_by, deleted_at)
select pg_temp.seed_id(now() - interval '200 days' + make_interval(days => days)), 'acme', 'integrations', jsonb_build_object('name', name, 'provider', 'sftp', 'status', 'paused'), now() - interval '200 days', 'user:ada',
  now() - make_interval(days => days)
from (values ('Old SFTP bridge', 9), ('Test connection', 27)) as deleted (name, days);

-- Two sources of acme with last month's lines, so that there is something to match: invoices of the receivables ledger and the bank's
-- statement. Transfers come one by one, two days later at most; cards are paid out by day, less fees; the month's last days are late.
insert into public.sources (tenant_id, name, kind, currency, time_zone, created_by) values
  ('acme', 'Receivables ledger', 'ledger', 'EUR', 'Europe/Berlin', 'user:ada'),
  ('acme', 'Commerzbank EUR account', 'bank_statement', 'EUR', 'Europe/Berlin', 'user:ada');

create temporary table seed_days on commit drop as
select d::date as day, row_number() over (order by d)::integer as n
from generate_series(date_trunc('month', now()) - interval '1 month', date_trunc('month', now()) - interval '1 day', '1 day') d
where extract(isodow from d) < 6;

-- Five invoices a day: two are paid by transfer, three by card.
create temporary table seed_invoices on commit drop as
select d.day, d.n, i as nth, d.n * 5 + i as invoice, i > 2 as by_card,
  2000 + ((d.n * 5 + i) * 7919) % 480000 as amount_minor,
  (array['Kunde Nord GmbH', 'Hansen & Söhne', 'Bäckerei Vogel', 'Atelier Weiß', 'Lindt Logistik KG', 'Café Morgenrot', 'Ostsee Yachten', 'Dr. Keller Praxis'])[1 + (d.n * 5 + i) % 8] as customer
from seed_days d cross join generate_series(1, 5) i;

select private.stage_lines();
insert into pg_temp.staged_lines (position, external_id, amount_minor, currency, value_date, reference, counterparty, description, group_key)
select row_number() over (order by day, nth), external_id, amount_minor, 'EUR', day, reference, customer, description, group_key
from (
  select day, nth, 'led-' || invoice as external_id, amount_minor, 'RG-2026-' || lpad(invoice::text, 4, '0') as reference, customer,
    'Invoice' as description, case when by_card then 'po_' || to_char(day, 'YYYYMMDD') end as group_key
  from seed_invoices
  union all
  select day, 6, 'fee-' || n, -sum(30 + amount_minor * 14 / 1000), null, 'Stripe', 'Card fees', 'po_' || to_char(day, 'YYYYMMDD')
  from seed_invoices where by_card group by day, n
  union all
  -- Booked twice by mistake.
  select day, 7, 'led-again-' || invoice, amount_minor, 'RG-2026-' || lpad(invoice::text, 4, '0'), customer, 'Invoice', null
  from seed_invoices where n = 7 and nth = 1
) ledger;
select private.insert_staged_lines('acme', s.source_no, null, true) from public.sources s where s.tenant_id = 'acme' and s.name = 'Receivables ledger';
delete from pg_temp.staged_lines;
delete from pg_temp.repeated_lines;

insert into pg_temp.staged_lines (position, external_id, amount_minor, currency, value_date, reference, counterparty, description, details)
select row_number() over (order by day, kind, key), null, amount_minor, 'EUR', day, reference, customer, description, jsonb_build_object('bank_reference', kind || key)
from (
  select coalesce((select min(x.day) from seed_days x where x.day >= i.day + i.invoice % 3), i.day + i.invoice % 3) as day, 'TRF' as kind, invoice as key,
    -- Every ninth customer's bank deducts a fee, every eleventh writes the number differently.
    amount_minor - case when invoice % 9 = 0 then 250 else 0 end as amount_minor,
    case when invoice % 11 = 0 then null else 'RG-2026-' || lpad(invoice::text, 4, '0') end as reference, upper(customer) as customer,
    case when invoice % 11 = 0 then 'Rechnung ' || invoice || ' vielen Dank' else 'SEPA-Gutschrift' end as description
  from seed_invoices i
  where not by_card and invoice % 13 <> 0 and n <= (select max(n) - 2 from seed_days)
  union all
  select (select min(x.day) from seed_days x where x.n > i.n + 1), 'PAY', n, sum(amount_minor - 30 - amount_minor * 14 / 1000),
    'STRIPE PAYOUT', 'STRIPE PAYMENTS EUROPE', 'po_' || to_char(i.day, 'YYYYMMDD')
  from seed_invoices i where by_card and n <= (select max(n) - 2 from seed_days) group by i.day, n
  union all
  select max(day), 'CHG', 1, -1490, null, 'COMMERZBANK AG', 'Kontoführung' from seed_days
) bank;
select private.insert_staged_lines('acme', s.source_no, null, true) from public.sources s where s.tenant_id = 'acme' and s.name = 'Commerzbank EUR account';
