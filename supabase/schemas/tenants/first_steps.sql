-- First steps: how far a tenant has come from nothing to a received event, and which admins have
-- dismissed the list.

create table public.first_steps_dismissals (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  principal_id text not null default auth.jwt() ->> 'principal_id',
  dismissed_at timestamptz(3) not null default now(),
  primary key (tenant_id, principal_id)
);

alter table public.first_steps_dismissals enable row level security;
grant select on public.first_steps_dismissals to authenticated;
create policy first_steps_dismissals_read on public.first_steps_dismissals for
select to authenticated
  using (tenant_id = (select private.tenant_id())
    and principal_id = (select auth.jwt()) ->> 'principal_id'
    and (select private.may('read:first-steps')));

-- A step stays done: revoked keys and deleted webhooks count.
create function private.first_steps_json() returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return jsonb_build_object(
    'steps', jsonb_build_array(
      jsonb_build_object('step', 'create_key', 'done',
        exists (select from public.api_keys api_key where api_key.tenant_id = tenant)),
      jsonb_build_object('step', 'call_api', 'done',
        exists (select from public.api_key_totals total where total.tenant_id = tenant)),
      jsonb_build_object('step', 'register_webhook', 'done',
        exists (select from public.webhooks webhook where webhook.tenant_id = tenant)),
      jsonb_build_object('step', 'receive_event', 'done', exists (
        select from public.webhooks webhook
        where webhook.tenant_id = tenant and webhook.last_success_at is not null))
    ),
    'key_id', (select max(api_key.id) from public.api_keys api_key
      where api_key.tenant_id = tenant and api_key.revoked_at is null),
    'webhook_id', (select max(webhook.id) from public.webhooks webhook
      where webhook.tenant_id = tenant and webhook.deleted_at is null),
    'dismissed', exists (
      select
      from public.first_steps_dismissals dismissal
      where dismissal.tenant_id = tenant and dismissal.principal_id = auth.jwt() ->> 'principal_id')
  );
end $$;

-- People only set whether they see the first steps.
create function private.first_steps_version() returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return (
    select 1 + count(*) from public.first_steps_dismissals dismissal
    where dismissal.tenant_id = private.tenant_id()
      and dismissal.principal_id = auth.jwt() ->> 'principal_id'
  );
end $$;

-- input: {}.
create function public.get_first_steps(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_first_steps');
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $$;

-- input: { dismissed }, for the caller alone. Refuses: precondition_failed.
create function public.put_first_steps(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.begin_request(request, 'put_first_steps');
  perform private.require_version(private.first_steps_version(), request -> 'versions');
  if (input ->> 'dismissed')::boolean then
    insert into public.first_steps_dismissals (tenant_id)
    values (private.tenant_id())
    on conflict do nothing;
  else
    delete from public.first_steps_dismissals dismissal
    where dismissal.tenant_id = private.tenant_id()
      and dismissal.principal_id = auth.jwt() ->> 'principal_id';
  end if;
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $$;

grant execute
  on function private.first_steps_json(), private.first_steps_version() to authenticated;
