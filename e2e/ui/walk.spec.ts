import { VIEWS } from "../views.ts";
import { test } from "./walk.ts";

// What is looked at in a visit: walk.ts.
test.describe("each view is sound:", () => {
  for (const view of VIEWS) test(view.name, ({ visit }) => visit(view));
});
