import { type Answer, api, type Call, createTenant, uniqueName, userToken } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import type { Contract } from "#lib/wire/contract.ts";
import { type Fixture, type Sample, sampleFor } from "./samples.ts";

export async function createFixture(): Promise<Fixture> {
  const tenant = await createTenant();
  return { tenant, admin: await userToken(tenant, ["tenant_admin"]) };
}

/**
 * Calls an operation as the fixture's admin with a sample of a valid call; `call` overrides parts
 * of it. A required idempotency key that the call lacks is sent as a header.
 */
export async function invoke(
  contract: Contract,
  fixture: Fixture,
  call: Call = {},
  sample?: Sample,
): Promise<Answer> {
  const { tenant, params, query, body, upload } = sample ?? (await sampleFor(contract, fixture));
  const sent: Call = {
    bearer: fixture.admin,
    tenant: tenant ?? fixture.tenant,
    query,
    body: upload?.text ?? (contract.body ? (body ?? {}) : undefined),
    ...call,
  };
  const type: Record<string, string> = upload ? { "Content-Type": upload.type } : {};
  return api(contract.method, pathOf(contract, params), {
    ...sent,
    headers: { ...requiredKey(contract, sent), ...type, ...sent.headers },
  });
}

function requiredKey({ idempotency }: Contract, { body }: Call): Record<string, string> {
  const inBody = typeof body === "object" && idempotency !== null && idempotency.field in body;
  return idempotency?.required && !inBody ? { "Idempotency-Key": uniqueName("key") } : {};
}

export function pathOf({ path }: Contract, params: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

/** The parameters that identify a record. A tenant, or a number within a record, does not. */
export function recordParams({ params, tenantParam }: Contract): string[] {
  return Object.keys(params.shape).filter((name) => name !== tenantParam && name !== "number");
}

/** Whether the operation reads a JSON object as its body. An upload is read as a stream. */
export function takesBody({ method, upload }: Contract): boolean {
  return upload === null && method !== "GET";
}

/**
 * Operations that the gate tries in full: a read, a write, and one that only people may call. `npm
 * run proof` tries all in full.
 */
const IN_FULL = ["listExceptions", "createException", "createApiKey"];

/** Whether this run tries an operation as every principal and with every input. */
export function isTriedInFull({ operationId }: Contract): boolean {
  return WHOLE || IN_FULL.includes(operationId);
}

/**
 * The inputs to try on an operation, of those that shared code refuses for every operation. The
 * first operation of `among` gets all of them, each other one the next two (one in the gate). So
 * every input is tried, and every operation is shown to run that code.
 */
export function variants<Variant>(
  all: readonly Variant[],
  contract: Contract,
  among: readonly Contract[] = CONTRACTS,
): Variant[] {
  const place = among.indexOf(contract);
  if (place === 0 || (WHOLE && all.length <= 2)) return [...all];
  const chosen = WHOLE ? [2 * place, 2 * place + 1] : [place];
  return chosen.map((at) => all[at % all.length] as Variant);
}
