-- What Supabase Auth knows of a signed-in user now: a session's roles are those of the moment, not those of its sign-in.

-- Null for a user who is deleted or banned, or never was.
create function private.find_session_user(user_id uuid) returns jsonb
language sql stable security definer set search_path = ''
as $$
  select jsonb_build_object('app_metadata', coalesce(u.raw_app_meta_data, '{}'))
  from auth.users u
  where u.id = user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now());
$$;

create function public.find_session_user(user_id uuid) returns jsonb
language sql stable set search_path = ''
return private.find_session_user(user_id);

revoke execute on function private.find_session_user(uuid) from public;
grant execute on function private.find_session_user(uuid), public.find_session_user(uuid) to service_role;
