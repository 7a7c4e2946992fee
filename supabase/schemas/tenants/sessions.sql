-- Sessions: the browsers that a person is signed in with, so that a session can end before its
-- cookie does. A session belongs to a person, by issuer and subject, not to a tenant. Why:
-- docs/decisions/0011-sessions.md.

create table private.sessions (
  id text primary key default private.new_id('ses'),
  issuer text not null,
  subject text not null,
  provider text not null,
  address inet,
  user_agent text,
  started_at timestamptz(3) not null default now(),
  -- The last action of the person; a page that refreshes itself doesn't count.
  seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index sessions_by_person on private.sessions (issuer, subject, id) where ended_at is null;
create index sessions_by_expiry on private.sessions (expires_at);
alter table private.sessions enable row level security;

-- Whether the session is still valid. `idle_seconds`: how long without an action of the person; 0:
-- for ever.
create function private.is_valid_session(session private.sessions,
  idle_seconds integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return session.ended_at is null and session.expires_at > now()
    and (idle_seconds = 0 or session.seen_at > now() - make_interval(secs => idle_seconds));
end $$;

-- session: { issuer, subject, provider, address, user_agent, seconds }. Returns its ID. A person
-- keeps the newest 100 sessions.
create function private.begin_session(session jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  session_id text;
begin
  insert into private.sessions (issuer, subject, provider, address, user_agent, expires_at)
  values (
    session ->> 'issuer', session ->> 'subject', session ->> 'provider',
    (session ->> 'address')::inet, left(session ->> 'user_agent', 300),
    now() + make_interval(secs => (session ->> 'seconds')::integer)
  ) returning id into session_id;
  update private.sessions set ended_at = now()
  where sessions.ended_at is null and sessions.issuer = session ->> 'issuer'
    and sessions.subject = session ->> 'subject'
    and sessions.id not in (
    select newest.id from private.sessions newest
    where newest.ended_at is null and newest.issuer = session ->> 'issuer'
      and newest.subject = session ->> 'subject'
      order by newest.id desc limit 100
  );
  return session_id;
end $$;

-- The person of a session; null if it is no longer valid. `seen`: this call is an action of the
-- person, which restarts its idle time.
create function private.check_session(session_id text, idle_seconds integer,
  seen boolean) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  session private.sessions;
begin
  select * into session from private.sessions where sessions.id = session_id;
  if not found or not private.is_valid_session(session, idle_seconds) then
    return null;
  end if;
  if seen then
    update private.sessions set seen_at = now() where sessions.id = session.id
      and sessions.ended_at is null;
  end if;
  return jsonb_build_object('issuer', session.issuer, 'subject', session.subject);
end $$;

-- Signs out. A session that has ended stays unchanged.
create function private.leave_session(session_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update private.sessions session set ended_at = now() where session.id = session_id
    and session.ended_at is null;
end $$;

create function public.begin_session(session jsonb) returns text
language plpgsql volatile set search_path = '' as $$
begin
  return private.begin_session(session);
end $$;

create function public.check_session(session_id text, idle_seconds integer,
  seen boolean) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.check_session(session_id, idle_seconds, seen);
end $$;

create function public.leave_session(session_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.leave_session(session_id);
end $$;

grant execute
  on function private.begin_session(jsonb), private.check_session(text, integer, boolean),
    private.leave_session(text),
  public.begin_session(jsonb), public.check_session(text, integer, boolean),
  public.leave_session(text) to service_role;

-- The caller's own valid sessions, newest first.
create function private.sessions_of_caller(idle_seconds integer) returns setof private.sessions
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return query
  select * from private.sessions session
  where session.issuer = claims ->> 'issuer' and session.subject = claims ->> 'sub'
    and session.ended_at is null
    and private.is_valid_session(session, idle_seconds)
  order by session.id desc;
end $$;

create function private.session_json(session private.sessions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', session.id, 'provider', session.provider, 'address', host(session.address),
    'user_agent', session.user_agent,
    'started_at', private.iso(session.started_at),
    'seen_at', private.iso(session.seen_at), 'expires_at', private.iso(session.expires_at),
    'ended_at', private.iso(session.ended_at),
    'current', coalesce(session.id = auth.jwt() ->> 'session_id', false)
  );
end $$;
grant execute
  on function private.sessions_of_caller(integer),
    private.session_json(private.sessions) to authenticated;

-- input: { limit, after: [id] | null, idle_seconds }. Newest first.
create function public.list_sessions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_sessions');
  select jsonb_agg(private.session_json(session) order by session.id desc) into items
  from (
    select * from private.sessions_of_caller((input ->> 'idle_seconds')::integer) session
    where input -> 'after' ->> 0 is null or session.id < input -> 'after' ->> 0
    order by session.id desc limit page_size + 1
  ) session;
  return private.page(items, page_size, 'id');
end $$;

-- input: { ids }, or null for all. Returns which of the caller's sessions it ended. Records:
-- session.ended, session.ended_everywhere.
create function public.end_sessions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'end_sessions');
  everywhere constant boolean := jsonb_typeof(input -> 'ids') is distinct from 'array';
  claims constant jsonb := auth.jwt();
  ended text[];
begin
  if replayed is not null then
    return replayed;
  end if;
  with removed as (
    update private.sessions session set ended_at = now()
    where session.issuer = claims ->> 'issuer' and session.subject = claims ->> 'sub'
      and session.ended_at is null
      and (everywhere or session.id = any (private.text_array(input -> 'ids')))
    returning session.id
  )
  select coalesce(array_agg(removed.id order by removed.id), '{}') into ended from removed;
  if everywhere then
    perform private.record_security_event('session.ended_everywhere', null, null,
      jsonb_build_object('sessions', cardinality(ended)));
  else
    perform private.record_security_event('session.ended', id, null, '{}') from unnest(ended) id;
  end if;
  return private.finish_request(request, jsonb_build_object('ended', to_jsonb(ended)));
end $$;

-- Deletes sessions that ended or expired 30 days ago, at most `batch` at a time. Returns how many.
create function private.purge_sessions(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from private.sessions where ctid = any (array(
    select ctid from private.sessions where expires_at < now() - interval '30 days' limit batch
  ));
  get diagnostics deleted = row_count;
  return deleted;
end $$;
grant execute on function private.purge_sessions(integer) to service_role;
