-- contracts: the release before this one calls report_run_progress
drop function private.tell_run_progress(text, text, integer, text, bigint, bigint);
-- contracts: the release before this one calls report_import_progress
drop function private.tell_import_progress(text, text, jsonb);
-- contracts: the release before this one calls refresh_statistics
drop function private.look_again(text, boolean);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

