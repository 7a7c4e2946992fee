-- Notifications: one channel, whose payload says what to look for. Everything that is due is in
-- tables, where it is also found if a notification is lost.

-- Sends a notification when this transaction commits: one, however often it is called. `what` has
-- no spaces.
create function private.notify(topic text, what text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform pg_notify('app', topic || ' ' || what);
end $$;
