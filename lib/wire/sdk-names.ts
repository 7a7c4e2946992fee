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

function camel(text: string): string {
  return text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
