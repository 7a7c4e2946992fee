-- hide creators

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.record_json(r public.records)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  deletion jsonb := '{"soft_delete": false, "deleted_at": null, "purge_at": null}';
begin
  if r.deleted_at is not null then
    deletion := jsonb_build_object('soft_delete', true, 'deleted_at', private.iso(r.deleted_at),
      'purge_at', private.iso(private.record_purge_at(r.deleted_at)));
  end if;
  return jsonb_build_object('version', r.version, 'record', r.data || deletion || jsonb_build_object(
    'id', r.id, 'created_at', private.iso(r.created_at), 'updated_at', private.iso(r.updated_at),
    'created_by', case when private.principal_type() <> 'publishable_key' then r.created_by end
  ));
end $function$;
