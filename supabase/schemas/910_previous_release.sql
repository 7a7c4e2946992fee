-- What background processes of the release before call while they are replaced by this one. The next release drops it.

create function private.tell_run_progress(tenant text, run text, attempt integer, stage text, done bigint, total bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.report_run_progress(tenant, run, attempt, stage, done, total);
end $$;

create function private.tell_import_progress(tenant_id text, import_id text, progress jsonb) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  return private.report_import_progress(tenant_id, import_id, progress);
end $$;

create function private.look_again(tenant text, anyway boolean default false) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.refresh_statistics(tenant, anyway);
end $$;

grant execute on function
  private.tell_run_progress(text, text, integer, text, bigint, bigint), private.tell_import_progress(text, text, jsonb), private.look_again(text, boolean)
to service_role;
