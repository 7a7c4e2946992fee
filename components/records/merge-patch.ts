type Json = Record<string, unknown>;

/** The merge patch (RFC 7396) from `before` to `after`. A null in `after` counts as absent. */
export function mergePatch(before: Json, after: Json): Json {
  const patch: Json = {};
  for (const name of Object.keys(before)) {
    if (isAbsent(after, name) && !isAbsent(before, name)) patch[name] = null;
  }
  for (const [name, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (value === null || equal(old, value)) continue;
    patch[name] = isObject(old) && isObject(value) ? mergePatch(old, value) : value;
  }
  return patch;
}

/** Applies a merge patch to `target`. */
export function applyPatch(target: Json, patch: Json): Json {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    const old = merged.get(name);
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? applyPatch(isObject(old) ? old : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

function isAbsent(object: Json, name: string): boolean {
  return !Object.hasOwn(object, name) || object[name] === null || object[name] === undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function equal(left: unknown, right: unknown): boolean {
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && equal(left[name], right[name]))
    );
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equal(item, right[index]));
  }
  return left === right;
}
