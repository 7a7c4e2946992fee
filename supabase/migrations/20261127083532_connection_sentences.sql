-- connection sentences

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.require_connection(c public.connections)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  fitting constant text[] := case c.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (c.kind = 'mail') <> (cardinality(c.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Give at least one with mail, and only then.');
  elsif c.kind <> 'mail' and (c.kind = 'sftp') <> starts_with(c.address, 'sftp:') then
    perform private.refuse_field('address', case c.kind when 'sftp' then
      'Give an address of sftp, such as sftp://sftp.bank.example/outgoing.' else
      'Give an https address.' end);
  elsif c.auth <> all (fitting) then
    perform private.refuse_field('auth', format('With %s, give one of: %s.', c.kind,
      array_to_string(fitting, ', ')));
  elsif c.auth in ('password', 'private_key', 'access_key') and c.user_name is null then
    perform private.refuse_field('user_name', case c.kind when 's3' then
      'Give the ID of the access key.' else 'Give the name to sign in by.' end);
  elsif c.auth = 'signed_query' and strpos(c.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif c.kind = 's3' and c.region is null then
    perform private.refuse_field('region', 'Give the region of the bucket.');
  elsif c.kind in ('https', 'mail') and c.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.', c.kind));
  elsif (c.afterwards = 'move') <> (c.move_to is not null) then
    perform private.refuse_field('move_to', 'Give it with afterwards: move, and only then.');
  elsif c.host_key is not null and c.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif c.schedule ->> 'calendar_id' is not null and private.current_calendar_no(c.tenant_id,
    c.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $function$;
