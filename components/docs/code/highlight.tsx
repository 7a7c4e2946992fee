import { common, createLowlight } from "lowlight";
import type { ReactNode } from "react";

const lowlight = createLowlight(common);
lowlight.registerAlias({
  bash: ["sh", "curl", "cli", "openssl"],
  json: ["http"],
  plaintext: ["text"],
});

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

/** Highlighted code by classes: the content security policy forbids style attributes. */
export function Highlighted({ code, language }: { code: string; language: string }) {
  const known = lowlight.registered(language) ? language : "plaintext";
  return lowlight.highlight(known, code).children.map(rendered);
}

function rendered(node: Node, index: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  return (
    <span
      key={index}
      className={String((node.properties.className as string[] | undefined)?.[0] ?? "")}
    >
      {(node.children as Node[]).map(rendered)}
    </span>
  );
}
