import { WHOLE } from "../gate.ts";
import type { View } from "../views/view.ts";
import { VIEWS } from "../views.ts";
import { test } from "./walk.ts";

/** The page, whatever tenant or list it shows. */
const pageOf = ({ path }: View) =>
  path.replace(/^\/(?:acme|:world|:empty)(?=\/|$)/, "").replace(/[?#].*/, "");
const asItOpens = VIEWS.filter(
  ({ begin, arrange, phone, alone }) => !begin && !arrange && !phone && !alone,
);
/**
 * The gate opens each page of a tenant once, and one page of the docs; `npm run proof` brings each
 * page to every state, theme and width.
 */
const isOfTheDocs = ({ path }: View) => path.startsWith("/docs/");
const looked = WHOLE
  ? VIEWS
  : asItOpens.filter(
      (view) =>
        !isOfTheDocs(view) && asItOpens.find((open) => pageOf(open) === pageOf(view)) === view,
    );

// The checks of a visit are in walk.ts.
test.describe("each view is sound:", () => {
  for (const view of looked) test(view.name, ({ visit }) => visit(view));
});
