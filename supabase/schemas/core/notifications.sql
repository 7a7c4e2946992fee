-- Notifications: one channel says what to look for. What is due is in tables, and is found there
-- should a notification be missed.

-- Notifies when this transaction commits, once however often it is called. `what` has no spaces.
create function private.notify(topic text, what text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform pg_notify('tieout', topic || ' ' || what);
end $$;
