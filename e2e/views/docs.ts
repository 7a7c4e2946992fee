import { statSync } from "node:fs";
import { slugOf } from "#components/docs/slug.ts";
import { GUIDE_SLUGS } from "#lib/guides/guides.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { ERROR_CODES } from "#lib/wire/errors.ts";
import { EVENT_KINDS } from "#lib/wire/event-kinds.ts";
import { inTurn, openNavigation, press, type Step, says, type View } from "./view.ts";

const { paths = {}, webhooks = {} } = openApiDocument();

/** The longest page of each kind that is generated from data. */
function longest<Item>(items: readonly Item[], lengthOf: (item: Item) => number): Item {
  return items.toSorted((left, right) => lengthOf(right) - lengthOf(left))[0] as Item;
}

const operation = longest(
  CONTRACTS,
  ({ path, method }) => JSON.stringify(paths[path]?.[method.toLowerCase() as "get"]).length,
);
const byTag = [...Map.groupBy(CONTRACTS, ({ tag }) => tag)];
const [resource] = longest(byTag, ([, operations]) => operations.length);
const event = longest(EVENT_KINDS, (kind) => JSON.stringify(webhooks[kind] ?? kind).length);
const guide = longest(
  GUIDE_SLUGS,
  (slug) => statSync(new URL(`../../docs/guides/${slug}.md`, import.meta.url)).size,
);
const error = longest(ERROR_CODES, (code) => code.length);
/** The widest content on a phone: a path that cannot wrap. */
const widest = longest(CONTRACTS, ({ path }) => path.length);

const reference = ({ tag, operationId }: (typeof CONTRACTS)[number]) =>
  `/docs/reference/${slugOf(tag)}/${slugOf(operationId)}`;

const unfoldAll: Step = async (page) => {
  for (const summary of await page.locator("main summary").all()) await summary.click();
};
const search = press(/^Search/);

export const DOCS: View[] = [
  { name: "docs", path: "/docs" },
  { name: "docs, guides", path: "/docs/guides" },
  { name: "docs, the longest guide", path: `/docs/guides/${guide}` },
  { name: "docs, reference", path: "/docs/reference" },
  { name: "docs, the longest resource", path: `/docs/reference/${slugOf(resource)}` },
  { name: "docs, the longest operation", path: reference(operation) },
  { name: "docs, the longest operation, unfolded", path: reference(operation), arrange: unfoldAll },
  { name: "docs, the operation with the longest path", path: reference(widest) },
  { name: "docs, events", path: "/docs/events" },
  { name: "docs, the longest event", path: `/docs/events/${event}` },
  { name: "docs, errors", path: "/docs/errors" },
  { name: "docs, the longest error", path: `/docs/errors/${error}` },
  { name: "docs, not found", path: "/docs/nowhere", answers: [404] },
  { name: "docs, navigation", path: "/docs/guides/webhooks", arrangeOnPhone: openNavigation },
  {
    name: "docs, search",
    path: "/docs",
    arrange: inTurn(
      search,
      (page) => page.getByRole("combobox").fill("rotate"),
      (page) => page.getByRole("option").first().waitFor(),
    ),
  },
  {
    name: "docs, nothing found",
    path: "/docs",
    arrange: inTurn(
      search,
      (page) => page.getByRole("combobox").fill("zebra"),
      says(/^No results for/),
    ),
  },
];

export const DESIGN: View[] = [
  {
    name: "design",
    path: "/design",
    arrange: (page) =>
      page
        .getByRole("img", { name: /Deuteranopia$/ })
        .nth(7)
        .waitFor(),
  },
  { name: "design, a dialog", path: "/design", arrange: press("Dialog") },
  { name: "design, a panel", path: "/design", arrange: press("Panel") },
  {
    name: "design, a message and a menu",
    path: "/design",
    arrange: press("Failure toast", "Sort by"),
  },
];
