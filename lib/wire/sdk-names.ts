/** What the SDKs call the operations of the API. */

/** `/v1/tenants/{id}/members` is `tenantMembers`: `members` lists those of any tenant. */
export function resourceOf(path: string): string {
  const [, , first = "", , nested] = path.split("/");
  if (first !== "tenants" || !nested) return camel(first);
  return nested === "members" ? "tenantMembers" : camel(nested);
}

/** `listExceptions` of `exceptions` is `list`; a change of many is `updateMany`. */
export function methodName(resource: string, operationId: string): string {
  const plural = resource.charAt(0).toUpperCase() + resource.slice(1);
  const singular = plural
    .replace(/ies$/, "y")
    .replace(/(ch|x)es$/, "$1")
    .replace(/s$/, "");
  const short = ["TroubleshootingGuide", plural, singular, "Deliveries", "Delivery"].reduce(
    (name, noun) =>
      noun.startsWith("Deliver") && resource !== "webhookDeliveries"
        ? name
        : name.replace(new RegExp(`${noun}(?=[A-Z]|$)`), ""),
    operationId,
  );
  return operationId === "updateExceptions" ? "updateMany" : short;
}

/** Names that Python keeps for itself. */
export const PYTHON_KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except " +
    "finally for from global if import in is lambda nonlocal not or pass raise return try while " +
    "with yield"
  ).split(" "),
);

/** A parameter's own name, unless Python keeps it for itself: `from` is `from_`. */
export function pythonArgument(name: string): string {
  return PYTHON_KEYWORDS.has(name) ? `${name}_` : name;
}

/** `exportSla` is `export_sla`, and `import` is `import_`. */
export function pythonName(text: string): string {
  return pythonArgument(text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function camel(text: string): string {
  return text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
