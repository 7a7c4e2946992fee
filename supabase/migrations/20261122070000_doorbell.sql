-- The doorbell: one channel says what to look for. What is due stands in tables, and is found there should nobody hear the ring.

-- Rings when this transaction commits, once however often it is called. `what` has no spaces.
create function private.ring(bell text, what text) returns void
language sql volatile set search_path = ''
return pg_notify('tieout', bell || ' ' || what);

-- Rings instead of a job: a job would be three more writes a delivery, for what webhook_deliveries says anyway.
create or replace function private.wake_webhook(webhook_id text) returns void
language sql volatile security definer set search_path = '' as $$
  select private.ring('deliveries', webhook_id);
$$;

-- Nobody takes these any more.
select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where task_identifier = 'deliver_webhook'));
