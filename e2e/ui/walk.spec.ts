import { WHOLE } from "../gate.ts";
import type { View } from "../views/view.ts";
import { VIEWS } from "../views.ts";
import { test } from "./walk.ts";

/** The path of a page, without its tenant and query. */
const pageOf = ({ path }: View) =>
  path.replace(/^\/(?:acme|:world|:empty)(?=\/|$)/, "").replace(/[?#].*/, "");
/** Views that need no preparation. */
const plainViews = VIEWS.filter(
  ({ begin, arrange, phone, alone }) => !begin && !arrange && !phone && !alone,
);
const isDocsPage = ({ path }: View) => path.startsWith("/docs/");
/**
 * The gate opens each page of a tenant once, and one page of the docs; `npm run proof` brings each
 * page to every state, theme and width.
 */
const walkedViews = WHOLE
  ? VIEWS
  : plainViews.filter(
      (view) =>
        !isDocsPage(view) && plainViews.find((open) => pageOf(open) === pageOf(view)) === view,
    );

// The checks of a visit are in walk.ts.
test.describe("each view is sound:", () => {
  for (const view of walkedViews) test(view.name, ({ visit }) => visit(view));
});
