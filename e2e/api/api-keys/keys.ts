import { type Answer, api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import type { ApiKey, NewApiKey } from "#lib/api-keys/contract.ts";

/** A tenant with its admin, and the calls that the tests of API keys make. */
export async function tenantWithAdmin() {
  const tenant = await createTenant();
  const admin = await userToken(tenant, ["tenant_admin"]);
  const path = `/v1/tenants/${tenant}/api-keys`;
  const call = (method: string, suffix: string, body?: object) =>
    api(method, `${path}${suffix}`, { bearer: admin, tenant, body });
  return {
    tenant,
    admin,
    path,
    call,
    async create(body: object = {}): Promise<NewApiKey & { credential: string }> {
      const answer = await call("POST", "", {
        name: "Test key",
        scopes: ["read:exceptions"],
        ...body,
      });
      if (answer.status !== 201) throw new Error(`Not created: ${answer.text}`);
      const key = answer.json as NewApiKey;
      return { ...key, credential: credentialOf(key) };
    },
    async get(id: string): Promise<ApiKey> {
      return (await call("GET", `/${id}`)).json as ApiKey;
    },
    /** Backdates the creation of a key by this number of days. */
    async age(id: string, days: number): Promise<void> {
      await sql(
        "update public.api_keys set created_at = now() - make_interval(days => $2) where id = $1",
        [id, days],
      );
    },
    /** Lists exceptions with a credential. */
    use(credential: string, headers: Record<string, string> = {}): Promise<Answer> {
      return api("GET", "/v1/exceptions", { bearer: credential, tenant, headers });
    },
  };
}

export function credentialOf({
  key_id,
  key_secret,
}: Pick<NewApiKey, "key_id" | "key_secret">): string {
  return `${key_id}.${key_secret}`;
}

export function codeOf(answer: Answer): string {
  return (answer.json as { code: string }).code;
}

export function pathsOf(answer: Answer): string[] {
  return (answer.json as { errors?: { path: string }[] }).errors?.map(({ path }) => path) ?? [];
}
