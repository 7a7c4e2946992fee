-- unaccepted tokens

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.signature_failure(webhook public.webhooks, status_code integer, OUT kind text, OUT detail text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  secret_changed_at constant timestamptz := greatest(webhook.secret_changed_at,
    case when webhook.previous_secret_expires_at <= now()
      then webhook.previous_secret_expires_at end);
begin
  if secret_changed_at is not null
    and (webhook.last_success_at is null or webhook.last_success_at < secret_changed_at)
  then
    kind := 'stale_secret';
    detail := format(
      'The receiver responded with %s after the secret was changed at %s. It seems to verify with the old one.',
      status_code, private.iso(secret_changed_at));
  else
    kind := 'signature_failed';
    detail := format('The receiver responded with %s: it did not accept the signature%s.',
      status_code, case when webhook.oauth is not null then ' or the access token' else '' end);
  end if;
end $function$;
