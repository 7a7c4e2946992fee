-- What a webhook sends with its signature: headers, and a token of OAuth client credentials.
-- Their secrets are sealed, and never go to an address that was chosen without knowing them.

-- headers: [{ name, secret_id, sealed_secret }], which are all that it has from now on. One without
-- a value keeps what is stored under its name, unless the address changes: the values would go to a
-- receiver that the caller chose without knowing them. Refuses: invalid_request.
create function private.store_webhook_headers(w public.webhooks, headers jsonb,
  has_moved boolean default false) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  unknown text;
begin
  select given.name into unknown
  from jsonb_to_recordset(headers) as given (name text, sealed_secret text)
  where given.sealed_secret is null and (has_moved or not exists (
    select from private.webhook_headers header
    where header.tenant_id = w.tenant_id and header.webhook_id = w.id
      and lower(header.name) = lower(given.name)));
  if found then
    perform private.refuse_field('headers', format(case
      when has_moved then 'Send the value of %s again: it would go to another address.'
      else 'Send a value for %s.' end, unknown));
  end if;
  delete from private.webhook_headers header
  where header.tenant_id = w.tenant_id and header.webhook_id = w.id and not exists (
    select from jsonb_to_recordset(headers) as given (name text, sealed_secret text)
    where lower(given.name) = lower(header.name) and given.sealed_secret is null);
  insert into private.webhook_headers (id, tenant_id, webhook_id, name, sealed)
  select given.secret_id, w.tenant_id, w.id, given.name, given.sealed_secret
  from jsonb_to_recordset(headers) as given (name text, secret_id text, sealed_secret text)
  where given.sealed_secret is not null;
  update public.webhooks own_webhook set
    header_names = array(select given ->> 'name' from jsonb_array_elements(headers) given),
    headers_changed_at = now(), updated_at = now()
  where own_webhook.tenant_id = w.tenant_id and own_webhook.id = w.id
  returning * into w;
  return w;
end $$;
