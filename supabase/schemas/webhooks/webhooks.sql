-- Webhooks: where a tenant's events are sent, each delivery with its attempts, and how well a
-- receiver answers.

create table public.webhooks (
  id text not null default private.new_id('whk'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  url text not null check (length(url) <= 2048 and url ~ '^https?://'),
  description text check (length(description) <= 1000),
  events text[] not null check (cardinality(events) between 1 and 50),
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_at timestamptz(3),
  disabled_by text,
  disabled_reason text check (disabled_reason in ('manual', 'failing', 'gone')),
  disabled_detail text check (length(disabled_detail) <= 500),
  secret_changed_at timestamptz(3),
  previous_secret_expires_at timestamptz(3),
  failing_since timestamptz(3),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  -- The names of its headers, whose values are in private.webhook_headers.
  header_names text[] not null default '{}' check (cardinality(header_names) <= 10),
  headers_changed_at timestamptz(3),
  -- Which events it gets, by what they carry (webhook_filters.sql).
  filters jsonb not null default '{}' check (length(filters::text) <= 8000),
  -- How many attempts it gets in a minute; null: no limit.
  max_per_minute integer check (max_per_minute between 1 and 6000),
  -- Where its deliveries get their token: { token_url, client_id, scope }.
  oauth jsonb check (length(oauth::text) <= 4000),
  oauth_changed_at timestamptz(3),
  primary key (tenant_id, id),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((disabled_at is null) = (disabled_reason is null))
);
create index webhooks_by_tenant on public.webhooks (tenant_id, id desc) where deleted_at is null;
-- For the worker, which is notified of webhooks by ID, without their tenant.
create index webhooks_by_id on public.webhooks (id);

alter table public.webhooks enable row level security;
grant select on public.webhooks to authenticated, service_role;
create policy webhooks_read on public.webhooks for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:webhooks', 'write:webhooks')));

-- Secrets are in a schema that no API role can read, and sealed with a key that the database does
-- not know. The secret without an end is current; the others also sign until their end.
create table private.webhook_secrets (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  sealed text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade
);
create index webhook_secrets_by_webhook on private.webhook_secrets (tenant_id, webhook_id);
create unique index webhook_secrets_current on private.webhook_secrets (tenant_id, webhook_id)
where expires_at is null;
alter table private.webhook_secrets enable row level security;

-- Headers that are sent with each delivery, such as a gateway's credential, sealed like secrets.
create table private.webhook_headers (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  name text not null,
  sealed text not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade
);
create unique index webhook_headers_by_name
  on private.webhook_headers (tenant_id, webhook_id, lower(name));
alter table private.webhook_headers enable row level security;

-- The client secret for requesting an OAuth token.
create table private.webhook_clients (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  sealed text not null,
  primary key (tenant_id, webhook_id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade
);
alter table private.webhook_clients enable row level security;

-- Attempts in the current minute, for webhooks with a rate limit.
create table private.webhook_rates (
  tenant_id text not null,
  webhook_id text not null,
  minute timestamptz not null,
  attempts integer not null,
  primary key (tenant_id, webhook_id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade
);
alter table private.webhook_rates enable row level security;

-- One per webhook and event, since its ID is derived from both. During an attempt, `lease` is the
-- attempt's ID, and from `next_attempt_at` on any worker may take the delivery over, so a dead
-- worker holds it no longer than that. Partitions are dropped whole, so no foreign key refers to
-- their rows: only the fan-out writes deliveries, and only a claim writes attempts.
create table public.webhook_deliveries (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  event_id text not null,
  type text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  failure_kind text check (failure_kind in ('retries_exhausted', 'webhook_disabled')),
  -- What the next attempt is for.
  cause text not null default 'event' check (cause in ('event', 'retry', 'resend', 'recover')),
  attempt_count integer not null default 0,
  -- Failures since the event, or since it was sent again by hand: the place in the schedule.
  failure_count integer not null default 0,
  next_attempt_at timestamptz,
  lease bigint,
  created_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (lease is null or status = 'pending'),
  check ((status = 'failed') = (failure_kind is not null))
) partition by range (id);
create table partitions.webhook_deliveries_first partition of public.webhook_deliveries for values
  from (minvalue) to (maxvalue);
alter table partitions.webhook_deliveries_first enable row level security;
create index webhook_deliveries_by_event on public.webhook_deliveries (tenant_id, event_id);
create index webhook_deliveries_by_webhook
  on public.webhook_deliveries (tenant_id, webhook_id, id desc);
create index webhook_deliveries_due on public.webhook_deliveries (webhook_id, next_attempt_at)
where status = 'pending';
create index webhook_deliveries_missed on public.webhook_deliveries (webhook_id, id desc)
where status = 'failed';
create index webhook_deliveries_leased on public.webhook_deliveries (lease) where lease is not null;
create index webhook_deliveries_under_way
  on public.webhook_deliveries (tenant_id, webhook_id) include (next_attempt_at)
where lease is not null;

-- An attempt is written before it is made: a crash can't lose it. `interrupted`: the worker stopped
-- before the response arrived.
create table public.webhook_attempts (
  id bigint generated by default as identity,
  tenant_id text not null,
  delivery_id text not null,
  number integer not null,
  cause text not null check (cause in ('event', 'retry', 'resend', 'recover')),
  status text not null default 'in_flight' check (
    status in ('in_flight', 'succeeded', 'failed', 'interrupted')),
  failure_kind text check (failure_kind in (
    'signature_failed', 'stale_secret', 'timeout', 'connection_failed', 'blocked_address',
    'http_error')),
  started_at timestamptz(3) not null default now(),
  duration_ms integer,
  status_code integer,
  detail text,
  response_headers jsonb,
  response_body text,
  response_truncated boolean,
  primary key (tenant_id, delivery_id, number),
  check ((status = 'failed') = (failure_kind is not null))
) partition by range (delivery_id);
create table partitions.webhook_attempts_first partition of public.webhook_attempts for values
  from (minvalue) to (maxvalue);
alter table partitions.webhook_attempts_first enable row level security;

-- Attempts counted by response time: bucket n covers 1.1^n to 1.1^(n+1) ms, -1 means no response.
-- Stored for 8 days.
create table public.webhook_answer_times (
  webhook_id text not null,
  tenant_id text not null,
  hour timestamptz not null,
  succeeded boolean not null,
  bucket smallint not null,
  attempts bigint not null,
  primary key (tenant_id, webhook_id, hour, succeeded, bucket),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade
);
create index webhook_answer_times_by_age on public.webhook_answer_times (hour);

alter table public.webhook_deliveries enable row level security;
alter table public.webhook_attempts enable row level security;
alter table public.webhook_answer_times enable row level security;
grant
  select
    on public.webhook_deliveries, public.webhook_attempts,
      public.webhook_answer_times to authenticated, service_role;
create policy webhook_deliveries_read on public.webhook_deliveries for select to authenticated
  using (tenant_id = (select private.tenant_id()) and created_at > now() - interval '30 days'
    and (select private.may('read:webhooks', 'write:webhooks')));
create policy webhook_attempts_read on public.webhook_attempts for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:webhooks', 'write:webhooks')));
create policy webhook_answer_times_read on public.webhook_answer_times for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:webhooks', 'write:webhooks')));
