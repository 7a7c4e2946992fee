type Node = { [keyword: string]: unknown };
type Operation = { responses?: object; requestBody?: object };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Node>; responses?: object };
};

const VALUES = new Set(["example", "examples", "default", "const", "enum"]);

/**
 * Removes `additionalProperties: false` from everything that we send, so that clients accept fields
 * added by later versions. Requests keep it.
 */
export function tolerateAdditions({ paths, webhooks, components }: Document): void {
  const seen = new Set<string>();
  const open = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const one of node) open(one);
    } else if (typeof node === "object" && node !== null) {
      const schema = node as Node;
      if (schema.additionalProperties === false) delete schema.additionalProperties;
      const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref))?.[1];
      if (name !== undefined && !seen.has(name)) {
        seen.add(name);
        open(components.schemas[name]);
      }
      for (const [keyword, child] of Object.entries(schema)) if (!VALUES.has(keyword)) open(child);
    }
  };
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    open(responses);
  for (const { post } of Object.values(webhooks)) open(post.requestBody);
  open(components.responses);
}
