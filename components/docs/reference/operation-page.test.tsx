import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { CodeTabs } from "../code/code-tabs.tsx";
import { examplesOf } from "./examples.ts";
import { OperationPage } from "./operation-page.tsx";
import { wholeReference } from "./whole-reference.test-support.ts";

const ORIGIN = "https://tieout.example";
const { resources, definitions } = wholeReference();
const operations = resources.flatMap((resource) =>
  resource.operations.map((operation) => ({ resource, operation })),
);

test.each(["getMe", "exportSlaReport", "createException"])(
  "the Python example adds less than 15 percent to the page of %s",
  (id) => {
    const found = operations.find(({ operation }) => operation.contract.operationId === id);
    if (!found) throw new Error(`There is no ${id}.`);
    const page = renderToStaticMarkup(
      <OperationPage {...found} origin={ORIGIN} definitions={definitions} />,
    ).length;
    const tabs = examplesOf(found.operation, ORIGIN).map(({ language, code }) => ({
      name: language,
      language: language.toLowerCase(),
      code,
    }));
    const bytesOf = (shown: typeof tabs) =>
      renderToStaticMarkup(<CodeTabs id="call" label="Request" tabs={shown} />).length;
    const added = bytesOf(tabs) - bytesOf(tabs.filter(({ name }) => name !== "Python"));
    expect(added).toBeGreaterThan(0);
    expect(added / (page - added)).toBeLessThan(0.15);
  },
);
