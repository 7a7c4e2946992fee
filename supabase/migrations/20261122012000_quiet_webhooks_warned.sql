-- Warnings of a failing webhook come with time, not with its next attempt: one that has little to send was disabled unwarned.

create function private.warn_of_failing_webhooks() returns void
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  for w in
    select * from public.webhooks x
    where x.status = 'active' and x.deleted_at is null and x.failing_since <= now() - interval '3 days'
    order by x.id for no key update skip locked
  loop
    perform private.warn_of_failing_webhook(w, (
      select a.detail
      from (
        select d.id from public.webhook_deliveries d
        where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.attempt_count > 0 order by d.id desc limit 50
      ) recent
      join public.webhook_attempts a on a.delivery_id = recent.id and a.status = 'failed'
      order by a.id desc limit 1
    ));
  end loop;
end $$;
grant execute on function private.warn_of_failing_webhooks() to service_role;
