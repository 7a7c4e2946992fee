-- Alerts: mails to people and messages to a tenant's channels, one per event. A channel is a
-- Slack-compatible incoming webhook. Its URL is a secret, sealed with a key that the database does
-- not know.

-- A person's settings in a tenant; without a row, the defaults apply. For exceptions: those
-- assigned to the person, all, or none.
create table public.notification_settings (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  subject text not null default auth.jwt() ->> 'sub',
  -- Whether the subject is an account of Supabase Auth, which the server knows by its issuer:
  -- another provider may use the same subject for another person.
  is_account boolean not null default false,
  exception_breached text not null default 'mine' check (
    exception_breached in ('mine', 'all', 'off')),
  exception_at_risk text not null default 'off' check (exception_at_risk in ('mine', 'all', 'off')),
  assigned boolean not null default true,
  mentioned boolean not null default true,
  webhook_failing boolean not null default true,
  api_key_expiring boolean not null default true,
  connection_failing boolean not null default true,
  primary key (tenant_id, subject, is_account)
);
alter table public.notification_settings enable row level security;
grant select on public.notification_settings to authenticated;
create policy notification_settings_read on public.notification_settings for select to authenticated
  using (tenant_id = (select private.tenant_id()) and subject = (select auth.jwt()) ->> 'sub'
    and (select private.may('read:notifications')));

create table public.alert_channels (
  id text not null default private.new_id('ach'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  name text not null check (length(name) between 1 and 120),
  -- The host and the last characters of the URL, enough to tell two URLs apart.
  url_hint text not null check (length(url_hint) between 1 and 300),
  kinds text[] not null check (cardinality(kinds) between 1 and 5)
    check (kinds <@ array['exception_breached', 'exception_at_risk', 'webhook_failing',
      'api_key_expiring', 'connection_failing']),
  last_sent_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_failure text check (length(last_failure) <= 500),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  deleted_at timestamptz(3),
  primary key (tenant_id, id)
);
create index alert_channels_by_tenant on public.alert_channels (tenant_id, id desc)
where deleted_at is null;
alter table public.alert_channels enable row level security;
grant select on public.alert_channels to authenticated;
create policy alert_channels_read on public.alert_channels for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:alert-channels')));

create table private.alert_channel_urls (
  tenant_id text not null,
  channel_id text not null,
  -- The ID that the URL is sealed for, together with the tenant.
  url_id text not null,
  sealed text not null,
  primary key (tenant_id, channel_id),
  foreign key (tenant_id, channel_id) references public.alert_channels (tenant_id, id)
);
alter table private.alert_channel_urls enable row level security;

-- Events that people may want to know about, written in the transaction of the event. The worker
-- finds the recipients. `actor` caused the event and receives no alert about it.
create table private.alert_events (
  tenant_id text not null,
  event_id text not null,
  actor text not null default private.actor(),
  primary key (tenant_id, event_id)
);
alter table private.alert_events enable row level security;

-- The alerts of one message: one kind, one recipient (`account:<id>` or a channel's ID).
create table private.alert_bundles (
  tenant_id text not null,
  id text not null default private.new_id('alb'),
  recipient text not null,
  kind text not null,
  created_at timestamptz(3) not null default now(),
  -- Sent, or dropped because the reason has passed.
  settled_at timestamptz(3),
  primary key (tenant_id, id)
);
create index alert_bundles_by_recipient
  on private.alert_bundles (tenant_id, recipient, kind, created_at);
create index alert_bundles_by_age on private.alert_bundles (created_at);
alter table private.alert_bundles enable row level security;

-- At most one per recipient, kind and event.
create table private.alerts (
  tenant_id text not null,
  recipient text not null,
  kind text not null,
  event_id text not null,
  -- The exception, webhook, key or connected source that it is about.
  subject text not null,
  created_at timestamptz(3) not null default now(),
  bundle_id text,
  primary key (tenant_id, recipient, kind, event_id)
);
create index alerts_waiting on private.alerts (tenant_id, recipient, kind) where bundle_id is null;
create index alerts_by_bundle on private.alerts (tenant_id, bundle_id);
create index alerts_by_age on private.alerts (created_at);
alter table private.alerts enable row level security;

-- The kind of alert that an event of this type and content causes; null for none.
create function private.alert_kind(type text, data jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case type
    when 'exception.sla.breached' then 'exception_breached'
    when 'exception.sla.at_risk' then 'exception_at_risk'
    when 'exception.created' then case
    when data #>> '{exception,assigned_to}' is not null then 'assigned' end
    when 'exception.updated' then case
    when data #>> '{changes,assigned_to,to}' is not null then 'assigned' end
    when 'exception.commented' then case
    when jsonb_array_length(private.mentions(data)) > 0 then 'mentioned' end
    when 'webhook.failing' then 'webhook_failing'
    when 'webhook.disabled' then 'webhook_failing'
    when 'api_key.expiring' then 'api_key_expiring'
    when 'connection.failing' then 'connection_failing'
  end;
end $$;

-- The people a comment mentions, as user:<name>.
create function private.mentions(data jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  named constant jsonb := data #> '{comment,mentions}';
begin
  return case when jsonb_typeof(named) = 'array' then named else '[]' end;
end $$;

create function private.store_alert_events() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.alert_events (tenant_id, event_id)
  select event.tenant_id, event.id from emitted event
  -- A webhook test carries example data: nothing happened.
  where event.test_of is null and private.alert_kind(event.type, event.data) is not null;
  return null;
end $$;
create trigger keep_alerts after insert on public.events referencing new table as emitted
  for each statement execute function private.store_alert_events();
