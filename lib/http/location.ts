/** Kinds of resources that are read elsewhere than below the path that creates them. */
const PATHS: Record<string, string> = {
  run: "/v1/runs",
  mat: "/v1/matches",
  imp: "/v1/imports",
};
const PATHS_OF_TENANT: Record<string, string> = { key: "api-keys", inv: "invitations" };

/** The `Location` of a created resource. `path` is that of the contract that creates it. */
export function locationOf(id: string, tenantId: string, path: string): string {
  const kind = id.split("_", 1)[0] ?? "";
  const ofTenant = PATHS_OF_TENANT[kind];
  if (ofTenant !== undefined) return `/v1/tenants/${tenantId}/${ofTenant}/${id}`;
  return `${PATHS[kind] ?? path.split("/{", 1)[0]}/${id}`;
}
