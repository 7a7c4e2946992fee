import { parseAsBoolean, parseAsString } from "nuqs/server";

/** The page's URL: the search, and whether the invitation dialog is open. */
export const memberSearch = { q: parseAsString, invite: parseAsBoolean.withDefault(false) };
