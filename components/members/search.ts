import { parseAsBoolean, parseAsString } from "nuqs/server";

/** The page's URL: what is searched for, and whether somebody is being invited. */
export const memberSearch = { q: parseAsString, invite: parseAsBoolean.withDefault(false) };
