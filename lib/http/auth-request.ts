import { NextRequest } from "next/server";
import { cookieName } from "../auth/session.ts";
import { ApiError, invalidRequest } from "../wire/errors.ts";
import { CLIENT_ADDRESS_HEADER } from "../wire/inbound-headers.ts";
import { newRequestId } from "./endpoint.ts";
import { readBytes, requireMediaType } from "./json.ts";
import { problemResponse } from "./problem.ts";
import { withSignInLimit } from "./sign-in-limit.ts";

type RouteContext = { params: Promise<{ nextauth: string[] }> };
/** The next-auth action of a request, and the provider it names. */
type AuthAction = { action: string; provider: string };
type Serve = (
  request: NextRequest,
  authAction: AuthAction,
  context: RouteContext,
) => Promise<Response>;

const FORM_MAX_BYTES = 64 * 1024;
const FORM = "application/x-www-form-urlencoded";
/** Actions of next-auth that we don't use. `session` would renew any cookie's session. */
const UNUSED = ["_log", "session"];
const WORD = /^[\w-]{1,64}$/;

/**
 * Wraps next-auth, which reads bodies of any size, doesn't limit password attempts and lets anyone
 * write to its log. It receives a request rebuilt from the parsed fields: two parsers of the same
 * form could read different emails in it.
 */
export function guardAuth(
  serve: Serve,
): (request: NextRequest, context: RouteContext) => Promise<Response> {
  return async (request, context) => {
    const requestId = request.headers.get("x-request-id") ?? newRequestId();
    const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    try {
      const authAction = used(request.method, (await context.params).nextauth);
      const answer = await answerTo(request, authAction, (rebuilt) =>
        serve(rebuilt, authAction, context),
      );
      const headers = new Headers(answer.headers);
      headers.set("Cache-Control", "no-store");
      return new Response(answer.body, { status: answer.status, headers });
    } catch (error) {
      return withWayBack(problemResponse(error, requestId, reply));
    }
  };
}

/** @throws ApiError 404 for actions of next-auth that we don't use. */
function used(method: string, path: string[]): AuthAction {
  const [action = "", provider = ""] = path;
  const isPasswordByAddress = method === "GET" && action === "callback" && provider === "password";
  if (
    UNUSED.includes(action) ||
    isPasswordByAddress ||
    path.length > 2 ||
    !path.every((part) => WORD.test(part))
  )
    throw new ApiError("not_found", "This path doesn't exist.");
  return { action, provider };
}

async function answerTo(
  request: NextRequest,
  authAction: AuthAction,
  serve: (request: NextRequest) => Promise<Response>,
): Promise<Response> {
  if (request.method !== "POST") return serve(rebuiltQuery(request));
  const bytes = await readBytes(request, FORM_MAX_BYTES);
  if (bytes.length > 0) requireMediaType(request, [FORM]);
  const fields = once(new URLSearchParams(bytes.toString("utf8")), "body");
  if (authAction.action !== "callback" || authAction.provider !== "password")
    return serve(rebuiltForm(request, fields));
  const address = request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
  const email = (fields.get("email") ?? "").trim().toLowerCase();
  fields.set("email", email);
  return withSignInLimit({ address, email }, async () => {
    const answer = await serve(rebuiltForm(request, fields));
    return {
      answer,
      signedIn: answer.headers
        .getSetCookie()
        .some((cookie) => cookie.startsWith(cookieName("session"))),
    };
  });
}

/** Each name may appear once, as RFC 6749 (3.1) requires of parameters. @throws ApiError 400 */
function once(fields: URLSearchParams, where: "body" | "query"): URLSearchParams {
  const names = [...fields.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return fields;
  throw invalidRequest([
    { path: repeated, message: `Send this field only once. The ${where} has it more than once.` },
  ]);
}

function rebuiltForm(request: NextRequest, fields: URLSearchParams): NextRequest {
  const { origin, pathname } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set("Content-Type", FORM);
  headers.delete("Content-Length");
  return new NextRequest(new URL(pathname, origin), {
    method: "POST",
    headers,
    body: fields.toString(),
  });
}

/** next-auth puts `error` into a URL without escaping it. */
function rebuiltQuery(request: NextRequest): NextRequest {
  const url = new URL(request.url);
  const fields = once(url.searchParams, "query");
  const error = fields.get("error");
  if (error !== null && !WORD.test(error)) fields.set("error", "Unknown");
  url.search = fields.toString();
  return new NextRequest(url, { method: request.method, headers: request.headers });
}

/** Our sign-in form redirects to the `url` of an answer, which next-auth's own answers have too. */
async function withWayBack(problem: Response): Promise<Response> {
  const error = problem.status === 429 ? "TooManyTries" : "Unavailable";
  const body = { ...(await problem.json()), url: `/sign-in?error=${error}` };
  return new Response(JSON.stringify(body), { status: problem.status, headers: problem.headers });
}
