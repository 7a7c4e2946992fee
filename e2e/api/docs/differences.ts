/** How a response shown in a guide differs from the real one; an empty list if it does not. */
export function differences(
  shown: unknown,
  came: unknown,
  { partial }: { partial: boolean },
  path = "$",
): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(came)) return [`${path}: shown is a list, came ${JSON.stringify(came)}`];
    if (shown.length > came.length || (!partial && shown.length !== came.length))
      return [`${path}: shown are ${shown.length}, came ${came.length}`];
    return shown.flatMap((item, index) =>
      differences(item, came[index], { partial }, `${path}[${index}]`),
    );
  }
  if (isObject(shown)) {
    if (!isObject(came)) return [`${path}: shown is an object, came ${JSON.stringify(came)}`];
    const missing = Object.keys(shown).filter((name) => !(name in came));
    const left = partial ? [] : Object.keys(came).filter((name) => !(name in shown));
    return [
      ...missing.map((name) => `${path}.${name}: shown, but did not come`),
      ...left.map((name) => `${path}.${name}: came, but is not shown`),
      ...Object.keys(shown).flatMap((name) =>
        name in came ? differences(shown[name], came[name], { partial }, `${path}.${name}`) : [],
      ),
    ];
  }
  const name = path.split(".").at(-1) ?? "";
  if (typeof shown === typeof came && VARYING.has(name)) return [];
  return formOf(shown) === formOf(came)
    ? []
    : [`${path}: shown ${JSON.stringify(shown)}, came ${JSON.stringify(came)}`];
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

/** A value without what differs from time to time: ids, times, secrets, addresses of this run. */
export function formOf(value: unknown): unknown {
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
 * The same for an answer as it came over the wire: its status, the headers that are shown, and its
 * body.
 */
export function httpDifferences(
  shown: string,
  came: string,
  options: { partial: boolean },
): string[] {
  const [left, right] = [parsed(shown), parsed(came)];
  const status = left.status === right.status ? [] : [`shown ${left.status}, came ${right.status}`];
  const headers = [...left.headers].flatMap(([name, value]) => {
    const other = right.headers.get(name);
    return other !== undefined && digitless(value) === digitless(other)
      ? []
      : [`${name}: shown ${value}, came ${other}`];
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

function digitless(value: string): unknown {
  return String(formOf(value)).replaceAll(/\d+/g, "0");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
