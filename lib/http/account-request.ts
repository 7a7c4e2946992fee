import { parseCookie } from "cookie";
import {
  ACCOUNT_CALLS,
  type AccountCall,
  type AccountInput,
  type AccountResponse,
} from "../accounts/contract.ts";
import type { UserIdentity } from "../auth/principal.ts";
import { type Cookies, identityOfCookies, isSameOrigin } from "../auth/session.ts";
import { unauthenticated } from "../auth/unauthenticated.ts";
import { CLIENT_ADDRESS_HEADER } from "../wire/inbound-headers.ts";
import { newRequestId } from "./endpoint.ts";
import { parse } from "./input.ts";
import { readJsonObject } from "./json.ts";
import { problemResponse } from "./problem.ts";
import { withSignInLimit } from "./sign-in-limit.ts";

const MAX_BYTES = 16 * 1024;
/** Account calls have no tenant, so their bodies share one queue. */
const NO_TENANT = "";

type AccountRequest<Call extends AccountCall> = {
  body: AccountInput<Call>;
  user: UserIdentity | null;
  cookies: Cookies;
  origin: { address: string | null; request_id: string };
};

/**
 * `account` returns the email of the account that the attempt is for, for the limit per account.
 * `succeeds`: whether a call that isn't refused proves a valid link or password, so that the
 * attempt isn't counted.
 */
type Limits<Call extends AccountCall> = {
  account?: (call: AccountRequest<Call>) => Promise<string> | string;
  succeeds: boolean;
};

/**
 * Serves a call of our own pages to /api/account: same origin, a JSON body of at most 16 KB, and
 * the rate limit of sign-in.
 */
export function accountEndpoint<Call extends AccountCall>(
  call: Call,
  { account, succeeds }: Limits<Call>,
  serve: (call: AccountRequest<Call>) => Promise<AccountResponse<Call>>,
): (request: Request) => Promise<Response> {
  const { body: bodySchema, response } = ACCOUNT_CALLS[call];
  return async (request) => {
    const requestId = request.headers.get("x-request-id") ?? newRequestId();
    const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    try {
      if (!isSameOrigin(request.headers)) throw unauthenticated("Call this from our own pages.");
      const body = parse(
        bodySchema,
        (await readJsonObject(NO_TENANT, request, ["application/json"], MAX_BYTES)) ?? {},
        [],
      ) as AccountInput<Call>;
      const address = request.headers.get(CLIENT_ADDRESS_HEADER);
      const cookies = parseCookie(request.headers.get("cookie") ?? "");
      const user = await identityOfCookies(cookies);
      const call = { body, user, cookies, origin: { address, request_id: requestId } };
      const attempt = { address, ...(account && { email: await account(call) }) };
      const answer = await withSignInLimit(attempt, async () => ({
        answer: await serve(call),
        signedIn: succeeds,
      }));
      return Response.json(response.parse(answer), { headers: reply });
    } catch (error) {
      return problemResponse(error, requestId, reply);
    }
  };
}

/** @throws ApiError `unauthenticated` */
export function requireSignedIn(user: UserIdentity | null): UserIdentity {
  if (user) return user;
  throw unauthenticated("Sign in first.");
}
