/** The differences between a response shown in a guide and the actual one. */
export function differences(
  shown: unknown,
  actual: unknown,
  { partial }: { partial: boolean },
  path = "$",
): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual))
      return [`${path}: shown is a list, actual ${JSON.stringify(actual)}`];
    if (shown.length > actual.length || (!partial && shown.length !== actual.length))
      return [`${path}: shown are ${shown.length}, actual ${actual.length}`];
    return shown.flatMap((item, index) =>
      differences(item, actual[index], { partial }, `${path}[${index}]`),
    );
  }
  if (isObject(shown)) {
    if (!isObject(actual)) return [`${path}: shown is an object, actual ${JSON.stringify(actual)}`];
    const missing = Object.keys(shown).filter((name) => !(name in actual));
    const left = partial ? [] : Object.keys(actual).filter((name) => !(name in shown));
    return [
      ...missing.map((name) => `${path}.${name}: shown, but not returned`),
      ...left.map((name) => `${path}.${name}: returned, but not shown`),
      ...Object.keys(shown).flatMap((name) =>
        name in actual
          ? differences(shown[name], actual[name], { partial }, `${path}.${name}`)
          : [],
      ),
    ];
  }
  const name = path.split(".").at(-1) ?? "";
  if (typeof shown === typeof actual && VARYING.has(name)) return [];
  return normalized(shown) === normalized(actual)
    ? []
    : [`${path}: shown ${JSON.stringify(shown)}, actual ${JSON.stringify(actual)}`];
}

/** Values that depend on the time, the number of calls or the address. */
const VARYING = new Set([
  "address",
  "actor_issuer",
  "actor_subject",
  "minutes_to_breach",
  "duration_ms",
  "elapsed_seconds",
  "remaining_seconds",
  "moved_seconds",
  "worked_seconds",
  "request_count",
]);

/** A value without the parts that vary between runs: IDs, times, secrets, hashes, signatures. */
export function normalized(value: unknown): unknown {
  if (typeof value !== "string") return JSON.stringify(value);
  return value
    .replaceAll(
      /\b(key|exc|whk|evt|dlv|rec|rcn|sev|req|src|lin|imp|run|mat)_[0-9a-z]{20,40}/g,
      "$1_",
    )
    .replaceAll(/tk_[0-9A-Za-z]{22}/g, "tk_")
    .replaceAll(/(tks_(?:test_)?)[0-9A-Za-z]{49}/g, "$1…")
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, "<time>")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>")
    .replaceAll(/v1,[A-Za-z0-9+/]+=*/g, "v1,<signature>")
    .replaceAll(/"(\d+)-[\w-]{16}"/g, '"$1-<digest>"');
}

/**
 * The differences of an HTTP response from the one shown: in its status, in the headers that are
 * shown, and in its body.
 */
export function httpDifferences(
  shown: string,
  actual: string,
  options: { partial: boolean },
): string[] {
  const [left, right] = [parsed(shown), parsed(actual)];
  const status =
    left.status === right.status ? [] : [`shown ${left.status}, actual ${right.status}`];
  const headers = [...left.headers].flatMap(([name, value]) => {
    const other = right.headers.get(name);
    return other !== undefined && withoutDigits(value) === withoutDigits(other)
      ? []
      : [`${name}: shown ${value}, actual ${other}`];
  });
  return [
    ...status,
    ...headers,
    ...(left.body === ""
      ? []
      : differences(JSON.parse(left.body), JSON.parse(right.body), options)),
  ];
}

function parsed(text: string): { status: string; headers: Map<string, string>; body: string } {
  const [head = "", ...rest] = text.replaceAll("\r\n", "\n").trim().split("\n\n");
  const [status = "", ...lines] = head.split("\n");
  const headers = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 1).trim(),
  ]);
  return { status: status.trim(), headers: new Map(headers), body: rest.join("\n\n").trim() };
}

function withoutDigits(value: string): unknown {
  return String(normalized(value)).replaceAll(/\d+/g, "0");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
