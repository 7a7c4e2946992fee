-- From the 48 migrations to the baseline: what changes of the tables, by hand. What holds no data is dropped here, and made again from
-- the baseline where this file says so, in the same transaction (before-baseline.ts).

do $$
declare
  one record;
  dropped integer;
begin
  for one in
    select p.polname, p.polrelid::regclass as relation from pg_policy p join pg_class c on c.oid = p.polrelid
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
  loop
    execute format('drop policy %I on %s', one.polname, one.relation);
  end loop;
  for one in
    select t.tgname, t.tgrelid::regclass as relation from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and not t.tgisinternal
  loop
    execute format('drop trigger %I on %s', one.tgname, one.relation);
  end loop;
  -- Who is used by another goes after it. Those that defaults and generated columns use stay, and are replaced in place.
  loop
    dropped := 0;
    for one in
      select p.oid::regprocedure as signature from pg_proc p
      where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace)
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    loop
      begin
        execute format('drop function %s', one.signature);
        dropped := dropped + 1;
      exception when dependent_objects_still_exist then
        null;
      end;
    end loop;
    exit when dropped = 0;
  end loop;
end $$;
revoke all on all tables in schema public, private from anon, authenticated, service_role;
revoke all on all functions in schema public, private from anon, authenticated, service_role;

-- Every key of a tenant's table begins with the tenant.
alter table public.exceptions drop constraint exceptions_tenant_id_reconciliation_id_fkey;
alter table public.webhook_deliveries
  drop constraint webhook_deliveries_event_id_fkey,
  drop constraint webhook_deliveries_tenant_id_webhook_id_fkey;
alter table public.webhook_attempts drop constraint webhook_attempts_delivery_id_fkey;
alter table public.webhook_answer_times drop constraint webhook_answer_times_webhook_id_fkey;
alter table private.webhook_secrets drop constraint webhook_secrets_tenant_id_webhook_id_fkey;
alter table public.api_keys drop constraint api_keys_rotated_from_fkey, drop constraint api_keys_rotated_to_fkey;
alter table private.api_key_secrets drop constraint api_key_secrets_api_key_id_fkey, drop constraint api_key_secrets_pkey;
alter table public.api_key_totals drop constraint api_key_totals_api_key_id_fkey;
alter table public.api_key_usage_hourly drop constraint api_key_usage_hourly_api_key_id_fkey;
alter table public.api_key_usage_daily drop constraint api_key_usage_daily_api_key_id_fkey;

alter table public.reconciliations
  drop constraint reconciliations_pkey, drop constraint reconciliations_tenant_id_id_key, add primary key (tenant_id, id),
  add check (length(left_source) between 1 and 200), add check (length(right_source) between 1 and 200);
alter table public.exceptions
  drop constraint exceptions_pkey, drop constraint exceptions_tenant_id_id_key, add primary key (tenant_id, id),
  add foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id);
alter table public.exception_history drop constraint exception_history_pkey, add primary key (tenant_id, exception_id, id);
alter table public.exception_ledger drop constraint exception_ledger_pkey, add primary key (tenant_id, exception_id, id);
alter table private.exception_clocks drop constraint exception_clocks_pkey, add primary key (tenant_id, exception_id);
alter table public.records drop constraint records_pkey, add primary key (tenant_id, id);

alter table public.api_keys
  drop constraint api_keys_pkey, drop constraint api_keys_key_id_key, add primary key (tenant_id, id),
  add foreign key (tenant_id, rotated_from) references public.api_keys (tenant_id, id),
  add foreign key (tenant_id, rotated_to) references public.api_keys (tenant_id, id), add column lineage_id text;
with recursive lineage as (
  select id, id as first from public.api_keys where rotated_from is null
  union all
  select k.id, l.first from public.api_keys k join lineage l on k.rotated_from = l.id
)
update public.api_keys k set lineage_id = l.first from lineage l where l.id = k.id;
alter table public.api_keys alter column lineage_id set not null;
alter table private.api_key_secrets add column key_id text, add column tenant_id text;
update private.api_key_secrets s set key_id = k.key_id, tenant_id = k.tenant_id from public.api_keys k where k.id = s.api_key_id;
alter table private.api_key_secrets
  alter column key_id set not null, alter column tenant_id set not null, add primary key (key_id),
  add foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade;
alter table public.api_key_totals
  drop constraint api_key_totals_pkey, add primary key (tenant_id, api_key_id),
  add foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade;
alter table public.api_key_usage_hourly
  drop constraint api_key_usage_hourly_pkey, add primary key (tenant_id, api_key_id, hour, operation, address, outcome),
  add foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade;
alter table public.api_key_usage_daily
  drop constraint api_key_usage_daily_pkey, add primary key (tenant_id, api_key_id, day, operation, outcome),
  add foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade;

alter table public.events drop constraint events_pkey, add primary key (tenant_id, id);
alter table public.webhooks drop constraint webhooks_pkey, drop constraint webhooks_tenant_id_id_key, add primary key (tenant_id, id);
alter table private.webhook_secrets
  drop constraint webhook_secrets_pkey, add primary key (tenant_id, id),
  add foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade;
alter table public.webhook_deliveries
  drop constraint webhook_deliveries_pkey, drop constraint webhook_deliveries_event_id_webhook_id_key,
  add primary key (tenant_id, id), add unique (tenant_id, event_id, webhook_id),
  add foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade,
  add foreign key (tenant_id, event_id) references public.events (tenant_id, id);
alter table public.webhook_attempts
  drop constraint webhook_attempts_pkey, drop constraint webhook_attempts_delivery_id_number_key,
  add primary key (tenant_id, id), add unique (tenant_id, delivery_id, number),
  add foreign key (tenant_id, delivery_id) references public.webhook_deliveries (tenant_id, id) on delete cascade;
alter table public.webhook_answer_times
  drop constraint webhook_answer_times_pkey, add primary key (tenant_id, webhook_id, hour, succeeded, bucket),
  add foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade;

alter table public.security_events
  drop constraint security_events_pkey, add column chain text not null generated always as (coalesce(tenant_id, '*')) stored,
  add primary key (chain, id),
  add check (credential in ('user', 'api_key', 'publishable_key', 'service_role', 'none', 'system'));
comment on column public.security_events.home_tenant_id is null;

-- What the new keys make redundant, and what has another form in the baseline, which makes it again.
drop index
  public.reconciliations_by_tenant, public.exception_history_by_exception, public.exception_ledger_by_exception, public.events_by_tenant,
  public.api_keys_by_tenant, public.api_keys_by_rotated_from, public.api_keys_by_rotated_to, public.api_key_totals_by_tenant,
  public.api_key_usage_hourly_by_tenant, public.api_key_usage_daily_by_tenant, private.webhook_secrets_current,
  public.webhook_deliveries_leased, public.webhook_attempts_by_tenant, public.webhook_answer_times_by_tenant,
  public.security_events_chain, public.security_events_unchained;
drop extension if exists btree_gin;

-- Here the baseline is made again.

alter table public.exceptions alter column severity_rank set expression as (private.severity_rank(severity));
