import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Prose } from "./prose.tsx";

const tabs = ["```sh tab=curl", "curl", "```", "```sh tab=CLI", "tieout", "```"].join("\n");

test("the tabs of two examples on a page are chosen independently", () => {
  const html = renderToStaticMarkup(<Prose text={`${tabs}\n\nThen:\n\n${tabs}`} />);
  const names = [...html.matchAll(/<input[^>]* name="([^"]+)"/g)].map(([, name]) => name);
  expect(names).toHaveLength(4);
  expect(new Set(names).size).toBe(2);
  expect(html.match(/<figure/g)).toHaveLength(2);
});
