import { countApiKeyUse } from "../api-keys/usage-meter.ts";
import { authorize } from "../auth/authorize.ts";
import { verifyCredential } from "../auth/credential.ts";
import { type Identity, type Principal, principalFor } from "../auth/principal.ts";
import { invalidToken, unauthenticated } from "../auth/unauthenticated.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import type { Contract } from "../wire/contract.ts";
import { ApiError } from "../wire/errors.ts";
import { isInRanges } from "../wire/ip-range.ts";
import { tenantId as tenantIdSchema } from "../wire/schema.ts";
import type { Caller } from "./audit.ts";
import { withFailureLimit } from "./failure-limit.ts";
import { addressKey, rateLimit } from "./rate-limit.ts";

const limitCalls = () =>
  singleton("limit-calls", () =>
    rateLimit({
      name: "calls",
      perMinute: env().RATE_LIMIT_PER_MINUTE,
      refusal: "Too many calls with this credential.",
    }),
  );

/**
 * Checks, in this order: credential (401), service-role key in a browser (403), tenant (400),
 * membership (403), role, scope or address (403), rate limit (429). The first that fails is the
 * answer. Each call with an API key is counted with its outcome.
 */
export async function authenticate(
  contract: Contract,
  caller: Caller,
): Promise<{ principal: Principal; tenantId: string }> {
  const identity = await withFailureLimit(caller, () => verifyCredential(caller.request));
  caller.identity = identity;
  requireServer(identity, caller.request);
  return counting(identity, contract, caller, async () => {
    await withFailureLimit(caller, async () => requireStanding(identity));
    const tenantId = readTenantId(caller.request);
    const principal = principalFor(identity, tenantId);
    Object.assign(caller, { tenantId, principal });
    requireSameTenant(contract, caller, tenantId);
    requireAddress(identity, caller.address);
    authorize(principal, contract.access);
    await limitCalls().take(bucketOf(principal, tenantId, caller), caller.reply);
    return { principal, tenantId };
  });
}

/**
 * Checks the same again, in a call that takes long. It is counted and limited once, at its start.
 */
export async function reauthenticate(
  contract: Contract,
  { request, address, tenantId = "" }: Caller,
): Promise<void> {
  const identity = await verifyCredential(request);
  requireStanding(identity);
  requireAddress(identity, address);
  authorize(principalFor(identity, tenantId), contract.access);
}

/**
 * What a caller's calls are counted by. An issuer and an ID can contain any separator, so they are
 * encoded. Everyone holds the same publishable key, so its calls are counted by client address.
 */
export function bucketOf(
  { type, issuer, id }: Pick<Principal, "type" | "issuer" | "id">,
  tenantId: string,
  { address }: Pick<Caller, "address">,
): string {
  const owner = type === "publishable_key" ? addressKey(address) : id;
  return JSON.stringify([tenantId, type, issuer, owner]);
}

async function counting<Result>(
  identity: Identity,
  contract: Contract,
  { address }: Caller,
  admission: () => Promise<Result>,
): Promise<Result> {
  if (identity.type !== "api_key") return admission();
  const { id, tenantId, standing } = identity.key;
  const count = (outcome: string) =>
    countApiKeyUse({
      api_key_id: id,
      tenant_id: tenantId,
      operation: contract.operationId,
      address: address ?? "0.0.0.0",
      outcome,
    });
  try {
    const admitted = await admission();
    count(standing === "in_grace" ? "accepted_in_grace" : "accepted");
    return admitted;
  } catch (error) {
    if (error instanceof ApiError) count(error.code === "unauthenticated" ? standing : error.code);
    throw error;
  }
}

/**
 * Headers that browsers send and servers don't: the service-role key opens every tenant and must
 * not be in a page, where anyone can read it. `Sec-Fetch-Mode` proves nothing, because Node's fetch
 * sends it too.
 */
const BROWSER_HEADERS = ["origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"];

function requireServer(identity: Identity, { headers }: Request): void {
  if (identity.type !== "service_role" || !BROWSER_HEADERS.some((name) => headers.has(name)))
    return;
  throw new ApiError(
    "browser_forbidden",
    "The service-role key was sent by a browser, where others can read it. Replace it now, and " +
      "call from a server or as a user.",
  );
}

/** Says why the key no longer works: only the holder of the right secret gets here. */
function requireStanding(identity: Identity): void {
  if (identity.type !== "api_key") return;
  if (identity.key.standing === "revoked")
    throw unauthenticated(
      "This API key is revoked. Use another key.",
      invalidToken("The API key is revoked."),
    );
  if (identity.key.standing === "expired")
    throw unauthenticated(
      "This API key has expired. Use another key.",
      invalidToken("The API key has expired."),
    );
}

function readTenantId(request: Request): string {
  const named = request.headers.get("x-tenant-id");
  if (named === null || named.includes(",") || named.trim() === "") {
    throw new ApiError(
      "tenant_required",
      "Send the X-Tenant-Id header exactly once, with one tenant.",
    );
  }
  const parsed = tenantIdSchema.safeParse(named);
  if (!parsed.success)
    throw new ApiError(
      "tenant_forbidden",
      "This credential does not belong to the tenant named by X-Tenant-Id.",
    );
  return parsed.data;
}

function requireSameTenant(contract: Contract, { params }: Caller, tenantId: string): void {
  if (contract.tenantParam !== null && params[contract.tenantParam] !== tenantId) {
    throw new ApiError("tenant_forbidden", "The tenant in the path must match X-Tenant-Id.");
  }
}

function requireAddress(identity: Identity, address: string | null): void {
  if (identity.type !== "api_key" || identity.key.ipAllowlist.length === 0) return;
  if (address === null || !isInRanges(address, identity.key.ipAllowlist)) {
    throw new ApiError("ip_not_allowed", "This API key can't be used from this address.");
  }
}
