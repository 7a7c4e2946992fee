import { NextRequest } from "next/server";
import { cookieName } from "../auth/session.ts";
import { ApiError, invalidRequest } from "../wire/errors.ts";
import { newRequestId } from "./endpoint.ts";
import { readBytes, requireMediaType } from "./json.ts";
import { problemResponse } from "./problem.ts";
import { limitingSignIns } from "./sign-in-limit.ts";

type RouteContext = { params: Promise<{ nextauth: string[] }> };
/** What next-auth is asked for, and for which provider. */
type Asked = { action: string; provider: string };
type Serve = (request: NextRequest, asked: Asked, context: RouteContext) => Promise<Response>;

const FORM_MAX_BYTES = 64 * 1024;
const FORM = "application/x-www-form-urlencoded";
/** `session` reports the state of a cookie's session, whatever it is, and renews it. */
const UNUSED = ["_log", "session"];
const WORD = /^[\w-]{1,64}$/;

/**
 * Stands before next-auth, which reads a body of any size, lets passwords be tried without end and anybody write into its log.
 * It is handed what was read here, not what was sent: two readers of one form could read two emails in it.
 */
export function guarded(
  serve: Serve,
): (request: NextRequest, context: RouteContext) => Promise<Response> {
  return async (request, context) => {
    const requestId = request.headers.get("x-request-id") ?? newRequestId();
    const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    try {
      const asked = used(request.method, (await context.params).nextauth);
      const answer = await answerTo(request, asked, (rebuilt) => serve(rebuilt, asked, context));
      const headers = new Headers(answer.headers);
      headers.set("Cache-Control", "no-store");
      return new Response(answer.body, { status: answer.status, headers });
    } catch (error) {
      return withWayBack(problemResponse(error, requestId, reply));
    }
  };
}

/** @throws ApiError 404 for what next-auth serves and we have no use for. */
function used(method: string, path: string[]): Asked {
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
  asked: Asked,
  serve: (request: NextRequest) => Promise<Response>,
): Promise<Response> {
  if (request.method !== "POST") return serve(rebuiltQuery(request));
  const bytes = await readBytes(request, FORM_MAX_BYTES);
  if (bytes.length > 0) requireMediaType(request, [FORM]);
  const fields = once(new URLSearchParams(bytes.toString("utf8")), "body");
  if (asked.action !== "callback" || asked.provider !== "password")
    return serve(rebuiltForm(request, fields));
  const address = request.headers.get("x-tieout-client-address") ?? "unknown";
  const email = (fields.get("email") ?? "").trim().toLowerCase();
  fields.set("email", email);
  return limitingSignIns({ address, email }, async () => {
    const answer = await serve(rebuiltForm(request, fields));
    return {
      answer,
      signedIn: answer.headers
        .getSetCookie()
        .some((cookie) => cookie.startsWith(cookieName("session"))),
    };
  });
}

/** Each name at most once, as RFC 6749 (3.1) has it for what providers send back. @throws ApiError 400 */
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

/** next-auth puts `error` into an address without escaping it. */
function rebuiltQuery(request: NextRequest): NextRequest {
  const url = new URL(request.url);
  const fields = once(url.searchParams, "query");
  const error = fields.get("error");
  if (error !== null && !WORD.test(error)) fields.set("error", "Unknown");
  url.search = fields.toString();
  return new NextRequest(url, { method: request.method, headers: request.headers });
}

/** Our form goes where `url` says, as in next-auth's own answers. */
async function withWayBack(problem: Response): Promise<Response> {
  const error = problem.status === 429 ? "TooManyTries" : "Unavailable";
  const body = { ...(await problem.json()), url: `/sign-in?error=${error}` };
  return new Response(JSON.stringify(body), { status: problem.status, headers: problem.headers });
}
