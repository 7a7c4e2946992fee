-- What background processes of the release before call while they are replaced by this one. The next release drops it.

create function private.roll_request_log() returns integer
language plpgsql volatile security definer set search_path = '' as $$
begin
  return private.roll_partitions();
end $$;
grant execute on function private.roll_request_log() to service_role;
