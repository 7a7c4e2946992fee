import { randomUUID } from "node:crypto";
import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import type { Context } from "../context.ts";
import type { Contract } from "../contract.ts";
import { dbFor } from "../db/client.ts";
import { authorize } from "./authorize.ts";
import { type Principal, principalFor } from "./principal.ts";
import { identityOfCookies, type UserIdentity } from "./session.ts";

/** The signed-in user of the page being rendered, or null. */
export const currentUser = cache(async (): Promise<UserIdentity | null> => {
  const sent = (await cookies()).getAll();
  return identityOfCookies(Object.fromEntries(sent.map(({ name, value }) => [name, value])));
});

/** The signed-in user; without one, on to sign-in, which comes back to this page. */
export async function requireUser(): Promise<UserIdentity> {
  const user = await currentUser();
  if (user) return user;
  const path = (await headers()).get("x-tieout-path") ?? "/";
  redirect(`/sign-in?${new URLSearchParams({ callbackUrl: path })}`);
}

/** The signed-in user as a member of the page's tenant; for anybody else there is no such page. */
export async function requireMember(tenantId: string): Promise<Principal> {
  const user = await requireUser();
  if (!user.memberships.has(tenantId)) notFound();
  return principalFor(user, tenantId);
}

/** The context in which a page calls a verb: what the contract's endpoint would give it. @throws ApiError `role_required` */
export async function pageContext(tenantId: string, contract: Contract): Promise<Context> {
  return contextOf(await requireMember(tenantId), tenantId, contract);
}

/** The same for a page that anybody may see: what the holder of the publishable key may read. @throws ApiError `role_required` */
export function publicContext(tenantId: string, contract: Contract): Promise<Context> {
  return contextOf(principalFor({ type: "publishable_key" }, tenantId), tenantId, contract);
}

async function contextOf(principal: Principal, tenantId: string, contract: Contract): Promise<Context> {
  authorize(principal, contract.access);
  return {
    principal,
    tenantId,
    operation: contract.operationId,
    requestId: `req_${randomUUID().replaceAll("-", "")}`,
    clientAddress: (await headers()).get("x-tieout-client-address"),
    auditReason: null,
    idempotency: null,
    ifMatch: null,
    exported: null,
    continues: false,
    trail: { written: false },
    db: dbFor(principal, tenantId),
    reply: new Headers(),
  };
}
