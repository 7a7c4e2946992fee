-- Calendars: a tenant's working hours, for deadlines that count business time. A change creates a
-- version; earlier versions stay unchanged.

create table public.calendars (
  id text not null default private.new_id('cal'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  name text not null check (length(name) between 1 and 200),
  -- The current version.
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  updated_by text not null default private.actor(),
  primary key (tenant_id, id)
);

-- weekly: [{ day: monday…sunday, from, to }], special_days: [{ date, name, intervals: [{ from, to
-- }] }], both in the zone's local time, HH:MM. An interval whose `to` isn't after its `from` ends
-- on the next day. It belongs to the day on which it starts; a special day replaces what starts on
-- it.
create table public.calendar_versions (
  tenant_id text not null default private.tenant_id(),
  calendar_id text not null,
  version integer not null,
  -- Spans and deadlines refer to this number instead of the two columns; it never leaves the
  -- database.
  calendar_no bigint not null generated always as identity,
  time_zone text not null check (length(time_zone) between 1 and 64),
  weekly jsonb not null check (jsonb_array_length(weekly) between 1 and 140),
  special_days jsonb not null check (jsonb_array_length(special_days) <= 1000),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, calendar_id, version),
  unique (tenant_id, calendar_no),
  foreign key (tenant_id, calendar_id) references public.calendars (tenant_id, id)
);

alter table public.calendars enable row level security;
grant select on public.calendars to authenticated, service_role;
create policy calendars_read on public.calendars for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:calendars', 'write:calendars')));

alter table public.calendar_versions enable row level security;
grant select on public.calendar_versions to authenticated, service_role;
create policy calendar_versions_read on public.calendar_versions for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:calendars', 'write:calendars')));
