select private.recount_exceptions();

-- From here on written by `npm run migration`, anew each time. Above is by hand.

