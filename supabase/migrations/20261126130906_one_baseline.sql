-- one baseline

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: only processes from before the baseline called it.
drop function private.roll_request_log();
