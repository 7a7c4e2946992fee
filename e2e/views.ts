/**
 * Every page and state of the dashboard and the docs, who sees it, and how to get there: the list
 * that the walk (`e2e/ui/walk.spec.ts`) and `npm run screenshots` go through. A new view needs only
 * a new entry.
 */
import { API_KEYS, SECURITY_EVENTS } from "./views/api-keys.ts";
import { EXCEPTIONS, SHELL } from "./views/board.ts";
import { CALENDAR_VIEWS } from "./views/calendars.ts";
import { DESIGN, DOCS } from "./views/docs.ts";
import { ENTRANCE, MEMBERS } from "./views/entrance.ts";
import { OVERVIEW } from "./views/overview.ts";
import { ALERTS, PROFILE, SANDBOX } from "./views/people.ts";
import { RECONCILIATIONS } from "./views/reconciliations.ts";
import { RECORDS } from "./views/records.ts";
import { REQUESTS } from "./views/requests.ts";
import { SOURCE_VIEWS } from "./views/sources.ts";
import type { View } from "./views/view.ts";
import { WEBHOOKS } from "./views/webhooks.ts";

export const VIEWS: readonly View[] = [
  ...ENTRANCE,
  ...OVERVIEW,
  ...MEMBERS,
  ...ALERTS,
  ...SANDBOX,
  ...PROFILE,
  ...EXCEPTIONS,
  ...SHELL,
  ...CALENDAR_VIEWS,
  ...RECORDS,
  ...SOURCE_VIEWS,
  ...RECONCILIATIONS,
  ...API_KEYS,
  ...SECURITY_EVENTS,
  ...REQUESTS,
  ...WEBHOOKS,
  ...DOCS,
  ...DESIGN,
];
