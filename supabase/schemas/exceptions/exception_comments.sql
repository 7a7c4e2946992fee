-- Comments: what people write to each other about an exception. Plain text, in which <@user:ada>
-- mentions a person. Like history, comments are never changed or deleted.

create table public.exception_comments (
  id text not null default private.new_id('cmt'),
  tenant_id text not null default private.tenant_id(),
  exception_id text not null,
  body text not null check (length(body) between 1 and 4000),
  -- The people that the body mentions, each once.
  mentions text[] not null default '{}' check (cardinality(mentions) <= 20),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  request_id text default nullif(current_setting('app.request_id', true), ''),
  primary key (tenant_id, exception_id, id),
  foreign key (tenant_id, exception_id) references public.exceptions (tenant_id, id)
);
alter table public.exception_comments enable row level security;
grant select on public.exception_comments to authenticated, service_role;
create policy exception_comments_read on public.exception_comments for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:exceptions', 'write:exceptions')));

-- Refuses: invalid_request beyond 20 people; conflict beyond 1,000 comments of one exception.
create function private.guard_exception_comment() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.mentions := array(select distinct mention[1]
    from regexp_matches(new.body, '<@(user:[^[:space:]<>]{1,120})>', 'g') mention order by 1);
  if cardinality(new.mentions) > 20 then
    perform private.refuse_field('body', 'Mention at most 20 people.');
  end if;
  perform pg_advisory_xact_lock(
    hashtextextended('count comments ' || new.tenant_id || ' ' || new.exception_id, 0));
  if (select count(*) from public.exception_comments comment
    where comment.tenant_id = new.tenant_id and comment.exception_id = new.exception_id) >= 1000
      then
    perform private.refuse_conflict('quota', 'An exception can have at most 1,000 comments.');
  end if;
  return new;
end $$;
create trigger guard before insert on public.exception_comments
  for each row execute function private.guard_exception_comment();

create function private.exception_comment_json(comment public.exception_comments) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', comment.id, 'exception_id', comment.exception_id,
    'body', comment.body,
    'mentions', comment.mentions, 'created_at', private.iso(comment.created_at),
    'created_by', comment.created_by, 'actor_issuer', comment.actor_issuer,
    'actor_subject', comment.actor_subject);
end $$;

-- Emits exception.commented, whichever way the comment was written.
create function private.emit_exception_comments() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.events (tenant_id, type, data)
  select comment.tenant_id, 'exception.commented',
    jsonb_build_object('exception', private.exception_json(exception), 'comment',
      private.exception_comment_json(comment))
  from added new_comment
  join public.exception_comments comment on comment.tenant_id = new_comment.tenant_id
    and comment.exception_id = new_comment.exception_id and comment.id = new_comment.id
  join public.exceptions exception on exception.tenant_id = new_comment.tenant_id
    and exception.id = new_comment.exception_id
  order by comment.id;
  return null;
end $$;
create trigger emit_events after insert on public.exception_comments referencing new table as added
  for each statement execute function private.emit_exception_comments();

-- input: { id, limit, after: [comment id] | null }. Newest first. Refuses: not_found.
create function public.list_exception_comments(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  exception public.exceptions;
  items jsonb;
begin
  perform private.begin_request(request, 'list_exception_comments');
  exception := private.find_exception(input ->> 'id');
  select jsonb_agg(private.exception_comment_json(comment) order by comment.id desc) into items
  from (
    select * from public.exception_comments comment
    where comment.tenant_id = exception.tenant_id and comment.exception_id = exception.id
      and (input -> 'after' ->> 0 is null or comment.id < input -> 'after' ->> 0)
    order by comment.id desc limit page_size + 1
  ) comment;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id, body }. Refuses: not_found, invalid_request, conflict. Emits: exception.commented.
create function public.create_exception_comment(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_exception_comment');
  exception public.exceptions;
  comment public.exception_comments;
begin
  if replayed is not null then
    return replayed;
  end if;
  exception := private.find_exception(input ->> 'id');
  insert into public.exception_comments (exception_id, body)
  values (exception.id, input ->> 'body')
  returning * into comment;
  return private.finish_request(request, private.exception_comment_json(comment));
end $$;

grant execute
  on function private.exception_comment_json(public.exception_comments) to authenticated;
