import { VIEWS } from "../views.ts";
import { LAYOUT_SHIFT_MAX, SCRIPT_MAX_KB, test } from "./walk.ts";

test.describe(`in each view axe finds nothing in either theme or on a phone, the console complains of nothing, nothing scrolls sideways or moves (CLS ${LAYOUT_SHIFT_MAX}), and its page has at most ${SCRIPT_MAX_KB} kB of script`, () => {
  for (const view of VIEWS) test(view.name, ({ visit }) => visit(view));
});
