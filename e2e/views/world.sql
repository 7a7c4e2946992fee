-- What the views show and the demonstration data does not have: webhooks with a past, a rotation, calls across tenants.
-- :tenant is the tenant's identifier, quoted.
select private.create_tenant(:tenant, 'Wayfarer Ltd');

-- One of each risk, and one that is paused.
select private.change_exceptions('create', array(
  select jsonb_build_object('tenant_id', :tenant, 'title', title, 'severity', severity, 'assigned_to', assigned_to,
    'due_at', now() + make_interval(mins => minutes), 'amount_minor', 125000, 'currency', 'EUR', 'details', '{"left_reference": "L-10471"}'::jsonb,
    'created_by', 'user:ada')
  from (values
    ('Payout 4711 has no bank line', 'critical', 'user:leo', -20), ('Fee on L-10472 was not expected', 'high', null, 30),
    ('Amount of L-10473 differs', 'medium', 'user:ada', 90), ('Late settlement of L-10474', 'low', null, 900),
    ('Refund of L-10475 is with the bank', 'high', 'user:leo', 200)
  ) as e (title, severity, assigned_to, minutes)
));
select private.change_exceptions('pause', array(
  select jsonb_build_object('tenant_id', tenant_id, 'id', id, 'paused_until', now() + interval '3 days', 'pause_reason', 'Waiting for the bank')
  from public.exceptions where tenant_id = :tenant and title = 'Refund of L-10475 is with the bank'
));

insert into public.records (tenant_id, surface, data, created_by)
values (:tenant, 'integrations', jsonb_build_object(
  'name', 'A connection whose name is longer than most columns have room for, as names tend to be',
  'provider', 'sap', 'status', 'failing', 'owner', 'Treasury operations',
  'config', jsonb_build_object(
    'host', 'sap-gateway.internal.acme.example', 'company_codes', jsonb_build_array('1000', '1010', '2000'), 'schedule', 'every 15 minutes')
), 'user:ada');

-- Keys of each kind, with unknown secrets.
insert into public.api_keys (tenant_id, key_id, name, scopes, ip_allowlist, expires_at, created_at, created_by)
select :tenant, 'tk_' || substr(md5(random()::text), 1, 22), name, scopes, ip_allowlist, now() + life, now() - age, 'user:ada'
from (values
  ('Bank feed', '{read:exceptions,write:webhooks}'::text[], '{}'::text[], null::interval, interval '2 days'),
  ('Aged', '{read:exceptions}', '{}', null, interval '91 days'),
  ('Strict', '{read:exceptions}', '{192.0.2.0/24}', interval '1 day', interval '2 days'),
  ('Ledger', '{read:exceptions}', '{}', null, interval '60 days'),
  ('Ledger, renewed', '{read:exceptions}', '{}', null, interval '1 hour')
) as keys (name, scopes, ip_allowlist, life, age);
insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest)
select key_id, tenant_id, id, encode(sha256(convert_to(gen_random_uuid()::text, 'utf8')), 'hex') from public.api_keys where tenant_id = :tenant;
update public.api_keys k set rotated_to = n.id, grace_expires_at = now() + interval '23 hours'
from public.api_keys n where k.tenant_id = :tenant and k.name = 'Ledger' and n.tenant_id = :tenant and n.name = 'Ledger, renewed';
update public.api_keys n set rotated_from = k.id
from public.api_keys k where n.tenant_id = :tenant and n.name = 'Ledger, renewed' and k.tenant_id = :tenant and k.name = 'Ledger';
insert into public.api_key_usage_hourly (api_key_id, tenant_id, hour, operation, address, outcome, calls, last_seen_at)
select k.id, k.tenant_id, date_trunc('hour', now()) - make_interval(hours => 3 * h), 'listExceptions', '203.0.113.9', 'accepted', 1 + h % 7, now() - make_interval(hours => 3 * h)
from public.api_keys k cross join generate_series(1, 40) h where k.tenant_id = :tenant and k.name = 'Bank feed';
insert into public.api_key_usage_daily (api_key_id, tenant_id, day, operation, outcome, calls)
select api_key_id, tenant_id, (hour at time zone 'UTC')::date, operation, outcome, sum(calls)
from public.api_key_usage_hourly where tenant_id = :tenant group by 1, 2, 3, 4, 5;
insert into public.api_key_totals (api_key_id, tenant_id, request_count, last_used_at, last_used_ip)
select api_key_id, tenant_id, sum(calls), max(last_seen_at), '203.0.113.9' from public.api_key_usage_hourly where tenant_id = :tenant group by 1, 2;

-- Webhooks: one healthy, one that only fails, one disabled by hand, one that answered 410. Their
-- events are older than the webhooks, so that nothing is being sent.
insert into public.webhooks (tenant_id, url, description, events, status, disabled_at, disabled_by, disabled_reason, disabled_detail,
  secret_changed_at, previous_secret_expires_at, failing_since, last_success_at, last_failure_at, created_by)
values
  (:tenant, 'https://hooks.wayfarer.example/ledger', 'Books what was settled', '{exception.created}', 'active', null, null, null, null,
    now() - interval '1 hour', now() + interval '23 hours', null, now() - interval '5 minutes', null, 'user:ada'),
  (:tenant, 'https://hooks.wayfarer.example/desk', null, '{exception.created}', 'active', null, null, null, null,
    null, null, now() - interval '2 hours', null, now() - interval '5 minutes', 'user:ada'),
  (:tenant, 'https://hooks.wayfarer.example/archive', 'Copies to cold storage, which nobody has looked at since the move', '{exception.created}',
    'disabled', now() - interval '1 day', 'user:ada', 'manual', 'The archive moves to another host.', null, null, null, null, null, 'user:ada'),
  (:tenant, 'https://hooks.wayfarer.example/gone', null, '{exception.created}', 'disabled', now() - interval '2 days', 'system', 'gone',
    'The receiver responded with 410 Gone: it wants no more events.', null, null, null, null, now() - interval '2 days', 'user:ada');

insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status, failure_kind, attempt_count, failure_count, next_attempt_at, created_at, delivered_at)
select private.delivery_id(e.id, w.id), :tenant, w.id, e.id, e.type,
  case w.what when 'ledger' then 'delivered' when 'desk' then 'pending' else 'failed' end,
  case when w.what in ('archive', 'gone') then 'webhook_disabled' end,
  case w.what when 'archive' then 0 else 1 end,
  case w.what when 'desk' then 1 else 0 end,
  case w.what when 'desk' then now() + interval '4 hours' end,
  e.at, case w.what when 'ledger' then e.at + interval '1 second' end
from public.events e
cross join (select id, substr(url, length('https://hooks.wayfarer.example/') + 1) as what from public.webhooks where tenant_id = :tenant) w
where e.tenant_id = :tenant;

insert into public.webhook_attempts (tenant_id, delivery_id, number, cause, status, failure_kind, started_at, duration_ms, status_code, detail, response_headers, response_body, response_truncated)
select :tenant, d.id, 1, 'event',
  case d.status when 'delivered' then 'succeeded' else 'failed' end,
  case when d.status = 'pending' then 'signature_failed' when d.status = 'failed' then 'http_error' end,
  d.created_at, 42,
  case d.status when 'delivered' then 200 when 'pending' then 401 else 410 end,
  case d.status when 'pending' then 'The receiver responded with 401: it did not accept the signature.' when 'failed' then 'The receiver responded with 410.' end,
  '{"content-type": "application/json"}',
  case d.status when 'delivered' then '{"received": true}' else '{"error": "bad signature"}' end,
  false
from public.webhook_deliveries d where d.tenant_id = :tenant and d.attempt_count > 0;

insert into public.webhook_answer_times (webhook_id, tenant_id, hour, succeeded, bucket, attempts)
select w.id, :tenant, date_trunc('hour', now()), right(w.url, 6) = 'ledger', 39, 20
from public.webhooks w where w.tenant_id = :tenant and w.status = 'active';

-- An admin's day, and what came from elsewhere.
insert into public.security_events (tenant_id, type, actor, credential, operation, target, address, details, reason, cross_tenant)
values
  (:tenant, 'api_key.created', 'user:ada', 'user', 'createApiKey', 'key_0198a0000000700080009000a0000001', '203.0.113.9', '{"name": "Bank feed"}', null, false),
  (:tenant, 'api_key.updated', 'user:ada', 'user', 'updateApiKey', 'key_0198a0000000700080009000a0000001', '203.0.113.9',
    '{"name": {"from": "Feed", "to": "Bank feed"}, "scopes": {"from": ["read:exceptions"], "to": ["read:exceptions", "write:webhooks"]}}', null, false),
  (:tenant, 'access.refused', 'user:eve', 'user', 'listWebhooks', null, '198.51.100.7', '{"code": "role_required"}', null, false),
  (:tenant, 'service_role.call', 'service_role', 'service_role', 'listExceptions', null, '203.0.113.9', '{}', 'Support case 118', true);

-- A source with a mapping, and an import of each state: one whose balance fails and that has rejected rows, one that failed, one undone.
insert into public.sources (tenant_id, name, kind, currency, time_zone, sign, mapping, last_import_at, created_at, created_by)
values
  (:tenant, 'Wayfarer current account with a name longer than most banks would give it', 'bank_statement', 'EUR', 'Europe/Berlin', 'as_is',
    '{"fields": {"amount": "Betrag", "value_date": "Valuta", "counterparty": "Name", "reference": "Verwendungszweck"}, "date_format": "DD.MM.YYYY", "decimal_separator": ",", "delimiter": ";", "encoding": "windows-1252"}',
    now() - interval '2 hours', now() - interval '90 days', 'user:ada'),
  (:tenant, 'Card processor', 'processor', 'USD', 'America/New_York', 'inverted', null, null, now() - interval '80 days', 'user:ada');
insert into public.connections (tenant_id, source_no, kind, address, auth, user_name, file_glob, schedule, afterwards, move_to, host_key,
  last_look_at, last_outcome, last_error, failing_since, created_by)
select s.tenant_id, s.source_no, 'sftp', 'sftp://sftp.a-bank-with-a-long-name.example/customers/wayfarer/outgoing', 'private_key', 'wayfarer', 'camt053-*.xml',
  '{"calendar_id": null, "at": "06:30", "retry_until": "10:00"}', 'move', 'done', 'SHA256:uNiVztksCsDhcc0u9e8BrrQXVUpKZIDTMczCvj3tD2s',
  now() - interval '4 minutes', 'failed', 'camt053-20261106.xml: The file is cut off.', now() - interval '2 hours', 'user:ada'
from public.sources s where s.tenant_id = :tenant and s.kind = 'bank_statement';
insert into public.connection_files (tenant_id, connection_id, source_no, path, bytes, modified_at, outcome, error, created_at, taken_at)
select c.tenant_id, c.id, c.source_no, f.path, 182044, now() - interval '1 day', f.outcome, f.error, now() - make_interval(hours => f.hours),
  case when f.outcome <> 'failed' then now() - make_interval(hours => f.hours) end
from public.connections c cross join (values
  ('camt053-20261105.xml', 'imported', null, 26), ('camt053-20261105 (1).xml', 'duplicate', null, 25),
  ('camt053-20261106.xml', 'failed', 'The file is cut off.', 2)
) as f (path, outcome, error, hours) where c.tenant_id = :tenant;
insert into public.sources (tenant_id, name, kind, currency, time_zone, sign, created_at, created_by)
values (:tenant, 'Depository account', 'bank_statement', 'EUR', 'Europe/Berlin', 'as_is', now() - interval '70 days', 'user:ada');
insert into public.connections (tenant_id, source_no, kind, address, auth, file_glob, allowed_senders, schedule,
  last_look_at, last_outcome, created_by)
select s.tenant_id, s.source_no, 'mail', 'files-4tq9m2x7c1hw8d5k@files.tieout.example', 'none', '*.csv',
  '{statements@a-bank-with-a-long-name.example,@custodian.example}',
  '{"calendar_id": null, "at": "06:30", "retry_until": "10:00"}', now() - interval '3 hours', 'fetched', 'user:ada'
from public.sources s where s.tenant_id = :tenant and s.name = 'Depository account';
insert into public.connection_files (tenant_id, connection_id, source_no, path, bytes, outcome, created_at, sender, sender_checks)
select c.tenant_id, c.id, c.source_no, 'depository-20261106.csv', 8211, 'imported', now() - interval '3 hours',
  'statements@a-bank-with-a-long-name.example', '{"dkim": "a-bank-with-a-long-name.example", "spf": "pass", "dmarc": "pass"}'
from public.connections c where c.tenant_id = :tenant and c.kind = 'mail';
insert into public.imports (tenant_id, source_no, status, format, file_name, read_count, accepted_count, duplicate_count, refused_count, skipped_count,
  refusals, statements, opening_balance_minor, closing_balance_minor, balance_holds, bytes_read, bytes_total, failure, created_at, created_by,
  finished_at, undone_at, undone_by)
select :tenant, s.source_no, i.status, i.format, i.file_name, i.read, i.new, i.read - i.new, jsonb_array_length(i.refusals), i.skipped, i.refusals,
  i.statements, 100000, 187650, i.holds, i.bytes, i.bytes, i.failure, now() - i.age, 'user:ada', now() - i.age + interval '9 seconds',
  case i.status when 'undone' then now() - i.age + interval '1 hour' end, case i.status when 'undone' then 'user:leo' end
from public.sources s
cross join (values
  ('done', '2026-10.camt053.xml', 'camt.053', 214, 211, 1, '[]'::jsonb,
    '[{"id": "2026-10", "account": "DE89370400440532013000", "currency": "EUR", "opening_balance_minor": 100000, "closing_balance_minor": 187650, "balance_holds": true, "control_totals_hold": true, "line_count": 214, "sum_minor": "87650", "period_start": "2026-10-01", "period_end": "2026-10-31"}]'::jsonb,
    true, 182044, null, interval '26 hours'),
  ('done', '2026-11-a-file-name-that-is-as-long-as-those-that-banks-export.sta', 'mt940', 12, 12, 0,
    '[{"line": 17, "field": "amount", "message": "This is not an amount. Found \"99,9x\", expected a number such as 1234,56."}, {"line": 19, "field": ":61:", "message": "The day does not exist. Found \"1130231\", expected a day of the calendar."}]'::jsonb,
    '[{"id": "11", "account": "DE89370400440532013000", "currency": "EUR", "opening_balance_minor": 187650, "closing_balance_minor": 200000, "balance_holds": false, "control_totals_hold": null, "line_count": 12, "sum_minor": "11350", "period_start": "2026-11-01", "period_end": "2026-11-15"}]'::jsonb,
    false, 4210, null, interval '2 hours'),
  ('failed', 'cut.xml', 'camt.053', 0, 0, 0, '[{"line": 88, "field": null, "message": "The file ends within an element. Found nothing, expected </Ntry>."}]'::jsonb,
    '[]'::jsonb, null, 9120, 'The file ends within an element: it did not come whole. Send it again.', interval '3 hours'),
  ('undone', 'wrong-account.csv', 'csv', 40, 40, 0, '[]'::jsonb, '[]'::jsonb, null, 2044, null, interval '5 hours')
) as i (status, file_name, format, read, new, skipped, refusals, statements, holds, bytes, failure, age)
where s.tenant_id = :tenant and s.kind = 'bank_statement';
select private.stage_lines();
insert into pg_temp.staged_lines (position, external_id, amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details)
select n, 'txn_' || n, (n * 7919) % 500000 - 200000, 'EUR', date '2026-10-01' + n % 31, date '2026-10-02' + n % 31, 'RG-2026-' || n, 'Kunde ' || n % 7 || ' GmbH',
  'Invoice ' || n || ', thank you', 'po_' || n % 9, jsonb_build_object('bank_reference', 'NONREF', 'posting_text', 'SEPA credit', 'remittance', jsonb_build_array('RG', n))
from generate_series(1, 60) n;
select private.insert_staged_lines(:tenant, s.source_no, null, true) from public.sources s where s.tenant_id = :tenant and s.kind = 'bank_statement';
drop table pg_temp.staged_lines;
drop table pg_temp.repeated_lines;

-- Alert channels: one that works, one whose URL was withdrawn.
insert into public.alert_channels (tenant_id, name, url_hint, kinds, last_sent_at, last_failure_at, last_failure, created_by)
values
  (:tenant, '#recon-alerts', 'hooks.slack.example/…x8Qz', '{exception_breached,webhook_failing}', now() - interval '12 minutes', null, null, 'user:ada'),
  (:tenant, 'The treasury team, who would like to know of each and every key too', 'chat.wayfarer.example/…a81f',
    '{exception_breached,exception_at_risk,webhook_failing,api_key_expiring}', now() - interval '3 days', now() - interval '5 minutes',
    'The receiver responded with 404.', 'user:ada');
