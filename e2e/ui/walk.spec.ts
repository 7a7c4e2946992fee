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
/** The gate opens each page once; `npm run proof` brings each to every state, theme and width. */
const looked = WHOLE
  ? VIEWS
  : asItOpens.filter((view) => asItOpens.find((open) => pageOf(open) === pageOf(view)) === view);

// The checks of a visit are in walk.ts.
test.describe("each view is sound:", () => {
  for (const view of looked) test(view.name, ({ visit }) => visit(view));
});
