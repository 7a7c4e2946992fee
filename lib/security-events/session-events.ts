import { createHash } from "node:crypto";
import { parseCookie, parseSetCookie } from "cookie";
import { nameOf } from "../auth/claims.ts";
import { actorOf, personOf, type UserIdentity } from "../auth/principal.ts";
import { cookieName, identityOfCookies, sessionIdOfCookies } from "../auth/session.ts";
import { leaveSession } from "../auth/session-store.ts";
import { env } from "../runtime/env.ts";
import { log } from "../runtime/log.ts";
import { CLIENT_ADDRESS_HEADER } from "../wire/inbound-headers.ts";
import { countEventsLater } from "./event-counter.ts";
import { type NewSecurityEvent, writeEvents } from "./write-events.ts";

const MAX_TENANTS = 20;

/**
 * Records sign-ins, sign-outs and failed attempts. A session that can't be recorded neither begins
 * nor ends.
 */
export async function onSessionRecord(
  request: Request,
  { action, provider }: { action: string; provider: string },
  answer: () => Promise<Response>,
): Promise<Response> {
  if (action === "callback") return recordSignIn(request, provider, answer);
  if (action === "signout" && request.method === "POST") return recordSignOut(request, answer);
  return answer();
}

async function recordSignIn(
  request: Request,
  provider: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  const form = request.method === "POST" ? await formOf(request.clone()) : null;
  const response = await answer();
  const user = await identityOfCookies(newCookies(response));
  if (!user) {
    recordFailure(
      request,
      provider,
      form?.get("email")?.toString() ?? null,
      await failureOf(response),
    );
    return response;
  }
  return unlessUnavailable(request, response, () =>
    writeEvents(eventsOf(request, user, "session.signed_in", { provider })),
  );
}

async function recordSignOut(request: Request, answer: () => Promise<Response>): Promise<Response> {
  const cookies = parseCookie(request.headers.get("cookie") ?? "");
  const [user, sessionId] = [await identityOfCookies(cookies), await sessionIdOfCookies(cookies)];
  const response = await answer();
  const hasEnded = Object.hasOwn(newCookies(response), cookieName("session"));
  if (!sessionId || !hasEnded) return response;
  // Ends the session before the response is sent, so that the cookie is worthless from here on.
  return unlessUnavailable(request, response, async () => {
    await leaveSession(sessionId);
    if (user) await writeEvents(eventsOf(request, user, "session.signed_out", {}));
  });
}

async function unlessUnavailable(
  request: Request,
  response: Response,
  record: () => Promise<void>,
): Promise<Response> {
  try {
    await record();
    return response;
  } catch (error) {
    log.error({ err: error }, "no session begins or ends without being recorded");
    const url = new URL("/sign-in?error=Unavailable", env().NEXTAUTH_URL).href;
    return request.method === "POST"
      ? Response.json({ url }, { status: 503 })
      : Response.redirect(url);
  }
}

function eventsOf(
  request: Request,
  user: UserIdentity,
  type: string,
  details: NewSecurityEvent["details"],
): NewSecurityEvent[] {
  const event = {
    ...origin(request),
    type,
    actor: actorOf(user),
    ...personOf(user),
    credential: "user" as const,
    details,
  };
  const tenants = [...user.memberships.keys()].slice(0, MAX_TENANTS);
  return tenants.length > 0
    ? tenants.map((tenant_id) => ({ ...event, tenant_id }))
    : [{ ...event, tenant_id: null }];
}

/**
 * Records a failed sign-in for the tenants of the member with this address. It is not awaited: its
 * duration would reveal whether there is one.
 */
function recordFailure(
  request: Request,
  provider: string,
  email: string | null,
  failure: string | null,
): void {
  if (failure === null || failure === "Unavailable") return;
  const isAddress = email?.includes("@");
  const actor = isAddress && email ? `user:${nameOf({ email }, "unknown")}` : "anonymous";
  const bucket = `sign-in ${provider} ${
    isAddress
      ? createHash("sha256")
          .update(email ?? "")
          .digest("hex")
          .slice(0, 16)
      : ""
  }`;
  countEventsLater([
    {
      ...origin(request),
      tenant_id: null,
      ...(isAddress && email && { email }),
      type: "session.sign_in_failed",
      actor,
      credential: "none",
      details: { provider, error: failure },
      bucket,
    },
  ]);
}

function origin({ headers }: Request) {
  return {
    elsewhere: true,
    address: headers.get(CLIENT_ADDRESS_HEADER),
    request_id: headers.get("x-request-id"),
  };
}

async function formOf(request: Request): Promise<FormData | null> {
  return request.formData().catch(() => null);
}

/**
 * The error that next-auth reports in the URL it sends the browser to, by a redirect or as JSON.
 */
async function failureOf(response: Response): Promise<string | null> {
  const json: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const url = response.headers.get("location") ?? (json as { url?: string } | null)?.url;
  return url && URL.canParse(url, env().NEXTAUTH_URL)
    ? new URL(url, env().NEXTAUTH_URL).searchParams.get("error")
    : null;
}

function newCookies(response: Response): Record<string, string | undefined> {
  return Object.fromEntries(
    response.headers.getSetCookie().map((text) => {
      const { name, value } = parseSetCookie(text);
      return [name, value];
    }),
  );
}
