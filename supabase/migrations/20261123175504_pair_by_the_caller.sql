-- pair by the caller

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.pair_of_own_sources(left_source_id text, right_source_id text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  pair record;
begin
  select * into pair from private.open_own_pair($1, $2, 1000);
  if not pair.is_open then
    perform private.refuse('conflict', 'Lines of these sources came in at the same moment. Send the call again.');
  end if;
  return pair.pair_no;
end $function$;
