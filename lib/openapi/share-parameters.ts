type Parameter = { name: string; in: string };
type Reference = { $ref: string };
type Operation = { parameters?: (Parameter | Reference)[] };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { parameters?: Record<string, unknown> };
};
type Use = { path: string; parameters: (Parameter | Reference)[]; index: number };

/** Moves parameters that several operations share to the document's components. */
export function shareParameters({ paths, webhooks, components }: Document): void {
  const uses = new Map<string, Use[]>();
  for (const [path, methods] of [...Object.entries(paths), ...Object.entries(webhooks)])
    for (const { parameters = [] } of Object.values(methods))
      for (const [index, parameter] of parameters.entries()) {
        if ("$ref" in parameter) continue;
        const key = JSON.stringify(parameter);
        uses.set(key, [...(uses.get(key) ?? []), { path, parameters, index }]);
      }
  const variants = Map.groupBy(uses.keys(), (key) => (JSON.parse(key) as Parameter).name);
  const shared: Record<string, unknown> = { ...components.parameters };
  for (const [key, [first, ...others]] of uses) {
    if (!first || others.length === 0) continue;
    const parameter = JSON.parse(key) as Parameter;
    const isOnly = variants.get(parameter.name)?.length === 1;
    const name = nameOf(parameter, isOnly ? "" : first.path);
    if (name in shared) continue;
    shared[name] = parameter;
    for (const { parameters, index } of [first, ...others])
      parameters[index] = { $ref: `#/components/parameters/${name}` };
  }
  components.parameters = shared;
}

/**
 * For example LimitParameter, or ExceptionIdParameter if other resources have a parameter of that
 * name, too.
 */
function nameOf({ name, in: place }: Parameter, path: string): string {
  const before = place === "path" ? path.slice(0, path.indexOf(`{${name}}`)) : path;
  const nouns = before.split("/").filter((part) => /^[a-z]/.test(part));
  const owner = nouns.filter((part) => part !== "v1" && part !== "export").map(singular);
  return pascalCase([...owner, name, place === "header" ? "header" : "parameter"].join("-"));
}

function singular(noun: string): string {
  return noun.replace(/(?<=ch)es$|ies$|s$/, (ending) => (ending === "ies" ? "y" : ""));
}

function pascalCase(text: string): string {
  return text.replace(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
