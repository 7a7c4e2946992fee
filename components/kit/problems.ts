import { ApiProblem } from "#components/api-client.ts";

/** Validation problems by dotted path in the body. */
export type Problems = Readonly<Record<string, string>>;

/** The server's validation problems; empty if the error isn't about fields. */
export function problemsOf(
  error: Error | null,
  fieldOf: (path: string) => string = (path) => path,
): Problems {
  return Object.fromEntries(
    error instanceof ApiProblem
      ? error.errors.map(({ path, message }) => [fieldOf(path), message]).reverse()
      : [],
  );
}

/** The problems of a field and everything inside it. */
export function problemAt(problems: Problems, field: string): string | undefined {
  const own = Object.entries(problems).flatMap(([path, message]) => {
    if (path === field) return [message];
    const inside = path.startsWith(`${field}.`) && path.slice(field.length + 1);
    // A list item's message says which one it is; a nested field needs its name.
    return inside ? [/^\d+$/.test(inside) ? message : `${path}: ${message}`] : [];
  });
  return own.length === 0 ? undefined : own.join(" ");
}

/** The problems without those of changed fields. */
export function withoutFields(problems: Problems, fields: readonly string[]): Problems {
  return Object.fromEntries(
    Object.entries(problems).filter(([path]) => !fields.includes(path.split(".")[0] ?? path)),
  );
}
