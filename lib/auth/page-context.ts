import { randomUUID } from "node:crypto";
import { cookies, headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { cache } from "react";
import type { z } from "zod";
import { responseOf, type VerbResponse } from "../request/answer.ts";
import { type Context, contextFor } from "../request/context.ts";
import type { Contract } from "../wire/contract.ts";
import { CLIENT_ADDRESS_HEADER, PATH_HEADER } from "../wire/inbound-headers.ts";
import { authorize } from "./authorize.ts";
import { type Principal, principalFor, rolesIn, type UserIdentity } from "./principal.ts";
import { identityOfCookies } from "./session.ts";

/** The signed-in user of the page being rendered, or null. */
export const currentUser = cache(async (): Promise<UserIdentity | null> => {
  const sent = (await cookies()).getAll();
  return identityOfCookies(Object.fromEntries(sent.map(({ name, value }) => [name, value])));
});

/** The signed-in user. Without one, redirects to sign-in, which returns to this page. */
export async function requireUser(): Promise<UserIdentity> {
  const user = await currentUser();
  if (user) return user;
  const path = (await headers()).get(PATH_HEADER) ?? "/";
  redirect(`/sign-in?${new URLSearchParams({ callbackUrl: path })}`);
}

/** The signed-in user as a member of the page's tenant; others get a 404. */
export async function requireMember(tenantId: string): Promise<Principal> {
  const user = await requireUser();
  if (!rolesIn(user.memberships, tenantId)) notFound();
  return principalFor(user, tenantId);
}

type Verb<C extends Contract> = (ctx: Context) => Promise<z.input<C["response"]>>;

/**
 * What the contract's endpoint would return to the signed-in member, and its `ETag`. @throws
 * ApiError `role_required`, and the verb's errors
 */
export async function callAsMember<C extends Contract>(
  tenantId: string,
  contract: C,
  verb: Verb<C>,
): Promise<VerbResponse<C>> {
  return callEndpoint(await requireMember(tenantId), tenantId, contract, verb);
}

/** Like `callAsMember`, for a public page: reads what the publishable key can read. */
export function callAsVisitor<C extends Contract>(
  tenantId: string,
  contract: C,
  verb: Verb<C>,
): Promise<VerbResponse<C>> {
  return callEndpoint(
    principalFor({ type: "publishable_key" }, tenantId),
    tenantId,
    contract,
    verb,
  );
}

/** The client address of the page's request. */
export async function visitorAddress(): Promise<string | null> {
  return (await headers()).get(CLIENT_ADDRESS_HEADER);
}

async function callEndpoint<C extends Contract>(
  principal: Principal,
  tenantId: string,
  contract: C,
  verb: Verb<C>,
): Promise<VerbResponse<C>> {
  authorize(principal, contract.access);
  const requestId = `req_${randomUUID().replaceAll("-", "")}`;
  const ctx = contextFor(contract, {
    principal,
    tenantId,
    requestId,
    clientAddress: await visitorAddress(),
  });
  return responseOf(contract, ctx, verb(ctx));
}
