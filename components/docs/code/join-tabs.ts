type Node = { type: string; meta?: string | null; data?: { hName: string }; children?: Node[] };

/** Consecutive examples marked `tab=…` become one tabbed section. */
export function joinTabs(tree: unknown): void {
  const root = tree as { children: Node[] };
  const joined: Node[] = [];
  for (const node of root.children) {
    const last = joined.at(-1);
    if (node.type !== "code" || !node.meta?.includes("tab=")) joined.push(node);
    else if (last?.type === "tabs") last.children?.push(node);
    else joined.push({ type: "tabs", data: { hName: "section" }, children: [node] });
  }
  root.children = joined;
}
