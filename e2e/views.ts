/**
 * Every page and state that the dashboard and the docs have, who sees it, and how one gets there: the one list that the walk
 * (`e2e/ui/walk.spec.ts`) and `npm run screenshots` go through. A view more is an entry more.
 */
import { API_KEYS, SECURITY_EVENTS } from "./views/api-keys.ts";
import { EXCEPTIONS, SHELL } from "./views/board.ts";
import { DESIGN, DOCS } from "./views/docs.ts";
import { ENTRANCE } from "./views/entrance.ts";
import { RECONCILIATIONS } from "./views/reconciliations.ts";
import { RECORDS } from "./views/records.ts";
import { SOURCE_VIEWS } from "./views/sources.ts";
import type { View } from "./views/view.ts";
import { WEBHOOKS } from "./views/webhooks.ts";

export const VIEWS: readonly View[] = [
  ...ENTRANCE,
  ...EXCEPTIONS,
  ...SHELL,
  ...RECORDS,
  ...SOURCE_VIEWS,
  ...RECONCILIATIONS,
  ...API_KEYS,
  ...SECURITY_EVENTS,
  ...WEBHOOKS,
  ...DOCS,
  ...DESIGN,
];
