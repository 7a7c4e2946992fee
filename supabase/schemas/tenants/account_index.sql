-- An index of the accounts of Supabase Auth by tenant and by address: its own table, which is not
-- ours to index, has neither.

create table private.account_index (
  user_id uuid primary key references auth.users (id) on delete cascade,
  address text,
  tenants text[] not null
);
create index account_index_by_address on private.account_index (address);
create index account_index_by_tenant on private.account_index using gin (tenants);
alter table private.account_index enable row level security;

-- A key that an index can hold.
create function private.address_key(email text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return left(lower(email), 320);
end $$;

-- A claim may contain anything; a longer name is not a tenant's.
create function private.index_account() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.account_index as indexed_account (user_id, address, tenants)
  values (new.id, private.address_key(new.email),
    array(select tenant from unnest(private.tenants_of_claims(new.raw_app_meta_data)) tenant
      where length(tenant) <= 100))
  on conflict (user_id) do update set address = excluded.address, tenants = excluded.tenants;
  return null;
end $$;
create trigger tieout_index_account after insert or update of email, raw_app_meta_data on auth.users
  for each row execute function private.index_account();

-- The accounts that have a tenant in their claims, including those that cannot sign in. A sandbox
-- has those of its live tenant.
create function private.accounts_of(tenant text) returns setof auth.users
language plpgsql stable set search_path = '' as $$
begin
  return query
  select account.* from private.account_index indexed_account
    join auth.users account on account.id = indexed_account.user_id
  where indexed_account.tenants @> array[private.live_tenant(tenant)] and account.deleted_at is null
    and private.roles_of_account(account.raw_app_meta_data, tenant) is not null;
end $$;
