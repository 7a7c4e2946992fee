-- Refusals: how a function rejects a call. lib/db/unwrap.ts turns them into problems of /v1.

-- Raises one of the codes of lib/wire/errors.ts. `detail` is a sentence for the caller; `errors` is
-- [{ path, message }] or null.
create function private.refuse(code text, detail text, errors jsonb default null) returns void
language plpgsql stable set search_path = '' as $$
begin
  raise exception
    using errcode = 'TO001', message = code, detail = detail, hint = coalesce(errors::text, '');
end $$;

-- Refuses because of the current state: 409 with a reason of lib/wire/conflicts.ts, which also says
-- whether the conflict resolves by itself.
create function private.refuse_conflict(reason text, detail text, errors jsonb default null)
returns void
language plpgsql stable set search_path = '' as $$
begin
  raise exception
    using errcode = 'TO001', message = 'conflict', detail = detail,
      hint = json_build_object('reason', reason, 'errors', errors)::text;
end $$;

-- Refuses one field of the input, as the contract does: 400 with its path.
create function private.refuse_field(path text, message text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse('invalid_request', 'The request is invalid. See errors for details.',
    jsonb_build_array(jsonb_build_object('path', path, 'message', message)));
end $$;

-- Refuses an identifier that the caller's tenant does not have: 404, the same whether it is another
-- tenant's or never existed. `noun` comes from the contract, so that a malformed identifier gets
-- the same response.
create function private.refuse_missing(noun text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse('not_found', format('There is no such %s.', noun));
end $$;

grant execute
  on function private.refuse(text, text, jsonb),
    private.refuse_conflict(text, text, jsonb), private.refuse_field(text, text),
    private.refuse_missing(text)
to anon, authenticated, service_role;
