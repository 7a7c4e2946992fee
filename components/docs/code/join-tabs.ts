type Node = { type: string; meta?: string | null; data?: Rendered; children?: Node[] };
type Rendered = { hName: string; hProperties: { title: string } };

/** Consecutive examples marked `tab=…` become a section of tabs. Each section has another title. */
export function joinTabs(tree: unknown): void {
  const root = tree as { children: Node[] };
  const joined: Node[] = [];
  for (const node of root.children) {
    const last = joined.at(-1);
    if (node.type !== "code" || !node.meta?.includes("tab=")) joined.push(node);
    else if (last?.type === "tabs") last.children?.push(node);
    else {
      const number = joined.filter(({ type }) => type === "tabs").length + 1;
      joined.push({
        type: "tabs",
        data: { hName: "section", hProperties: { title: `Example ${number}` } },
        children: [node],
      });
    }
  }
  root.children = joined;
}
