-- Sources: where lines come from, such as a bank account's statements, a ledger account, or a
-- processor's payouts.

create table public.sources (
  id text not null default private.new_id('src'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  -- The key in narrow tables; never leaves the database.
  source_no integer not null generated always as identity,
  name text not null check (length(name) between 1 and 200),
  kind text not null check (kind in ('bank_statement', 'ledger', 'processor', 'orders', 'other')),
  -- ISO 4217, for lines that name no currency.
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- IANA name: a time in a file falls on this zone's day.
  time_zone text not null default 'UTC' check (length(time_zone) between 1 and 64),
  -- inverted: the source books with the opposite sign. Lines keep their posted amount; a pair
  -- counts the negated one.
  sign text not null default 'as_is' check (sign in ('as_is', 'inverted')),
  -- How its files are read (lib/imports/formats/mapping.ts); null until a mapping is saved.
  mapping jsonb check (jsonb_typeof(mapping) = 'object'),
  -- Business days a line may stay open before it becomes an exception.
  grace_days smallint not null default 3 check (grace_days between 0 and 90),
  line_count bigint not null default 0 check (line_count >= 0),
  last_import_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, source_no)
);

alter table public.sources enable row level security;
grant select on public.sources to authenticated, service_role;
create policy sources_read on public.sources for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Refuses: conflict for another currency or sign once there are lines, whose amounts were read with
-- them.
create function private.guard_source() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.line_count > 0 and (new.currency, new.sign) is distinct from (old.currency, old.sign) then
    perform private.refuse_conflict('source_has_lines',
      'The source has lines, so its currency and sign can''t be changed. Create another source.');
  -- update_source has locked it before: waiting here, with the row locked, would be the wrong
  -- order.
  elsif (new.currency, new.sign) is distinct from (old.currency, old.sign)
    and not pg_try_advisory_xact_lock(private.lock_of_source(old.tenant_id, old.source_no)) then
    perform private.refuse_conflict('lines_changing',
      'Lines of this source are coming in. Wait until that is done, and send the call again.');
  end if;
  if (new.name, new.kind, new.currency, new.time_zone, new.sign, new.mapping, new.grace_days)
    is distinct from (old.name, old.kind, old.currency, old.time_zone, old.sign, old.mapping,
      old.grace_days) then
    new.updated_at := now();
  end if;
  return new;
end $$;
create trigger guard before update on public.sources
  for each row execute function private.guard_source();
