-- The doorbell: one channel says what to look for. What is due stands in tables, and is found there should nobody hear the ring.

-- Rings when this transaction commits, once however often it is called. `what` has no spaces.
create function private.ring(bell text, what text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform pg_notify('tieout', bell || ' ' || what);
end $$;
