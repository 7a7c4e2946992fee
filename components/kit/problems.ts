import { ApiProblem } from "#components/api-client.ts";

/** What is wrong with what was given, by the dotted path of the body that it is about. */
export type Problems = Readonly<Record<string, string>>;

/** What the server found wrong; empty where it is about no field. */
export function problemsOf(error: Error | null): Problems {
  return Object.fromEntries(error instanceof ApiProblem ? error.errors.map(({ path, message }) => [path, message]).reverse() : []);
}

/** What is wrong with a field, and with what is inside of it. */
export function problemAt(problems: Problems, field: string): string | undefined {
  const own = Object.entries(problems).flatMap(([path, message]) => {
    if (path === field) return [message];
    const inside = path.startsWith(`${field}.`) && path.slice(field.length + 1);
    // An item is told by what is said of it; a field within an object has a name.
    return inside ? [/^\d+$/.test(inside) ? message : `${path}: ${message}`] : [];
  });
  return own.length === 0 ? undefined : own.join(" ");
}

/** The problems without those of some fields: what is changed is no longer wrong. */
export function forgiven(problems: Problems, fields: readonly string[]): Problems {
  return Object.fromEntries(Object.entries(problems).filter(([path]) => !fields.includes(path.split(".")[0] ?? path)));
}
