-- What a webhook sends with its signature: headers, and a token of OAuth client credentials.
-- Their secrets are sealed, and never go to an address that was chosen without knowing them.

-- headers: [{ name, secret_id, sealed_secret }], which are all that it has from now on. One without
-- a value keeps what is stored under its name, unless the address changes: the values would go to a
-- receiver that the caller chose without knowing them. Refuses: invalid_request.
create function private.store_webhook_headers(webhook public.webhooks, headers jsonb,
  has_moved boolean default false) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  unknown text;
begin
  select item.name into unknown
  from jsonb_to_recordset(headers) as item (name text, sealed_secret text)
  where item.sealed_secret is null and (has_moved or not exists (
    select from private.webhook_headers header
    where header.tenant_id = webhook.tenant_id and header.webhook_id = webhook.id
      and lower(header.name) = lower(item.name)));
  if found then
    perform private.refuse_field('headers', format(case
      when has_moved then 'Send the value of %s again: it would go to another address.'
      else 'Send a value for %s.' end, unknown));
  end if;
  delete from private.webhook_headers header
  where header.tenant_id = webhook.tenant_id and header.webhook_id = webhook.id and not exists (
    select from jsonb_to_recordset(headers) as item (name text, sealed_secret text)
    where lower(item.name) = lower(header.name) and item.sealed_secret is null);
  insert into private.webhook_headers (id, tenant_id, webhook_id, name, sealed)
  select item.secret_id, webhook.tenant_id, webhook.id, item.name, item.sealed_secret
  from jsonb_to_recordset(headers) as item (name text, secret_id text, sealed_secret text)
  where item.sealed_secret is not null;
  update public.webhooks set
    header_names = array(select item ->> 'name' from jsonb_array_elements(headers) item),
    headers_changed_at = now(), updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  return webhook;
end $$;
