/** "createApiKey" and "API keys" as parts of a URL: create-api-key, api-keys. */
export function slugOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "-")
    .replace(/^-|-$/g, "");
}
