/** "createApiKey" and "API keys" as they stand in an address: create-api-key, api-keys. */
export function slugOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "-")
    .replace(/^-|-$/g, "");
}
