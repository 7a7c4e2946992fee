import { NextRequest } from "next/server";
import { cookieName } from "../auth/session.ts";
import { ApiError } from "../wire/errors.ts";
import { newRequestId } from "./endpoint.ts";
import { readBytes, requireMediaType } from "./json.ts";
import { problemResponse } from "./problem.ts";
import { limitingSignIns } from "./sign-in-limit.ts";

type RouteContext = { params: Promise<{ nextauth: string[] }> };
type Serve = (request: NextRequest, context: RouteContext) => Promise<Response>;

const FORM_MAX_BYTES = 64 * 1024;
const FORM = ["application/x-www-form-urlencoded"];

/** Stands before next-auth, which reads a body of any size, lets passwords be tried without end and anybody write into its log. */
export function guarded(serve: Serve): Serve {
  return async (request, context) => {
    const requestId = request.headers.get("x-request-id") ?? newRequestId();
    const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    try {
      const [action = "", provider = ""] = (await context.params).nextauth;
      requireUsed(request.method, action, provider);
      const answer = await answerTo(request, `${action}/${provider}`, (bounded) => serve(bounded, context));
      const headers = new Headers(answer.headers);
      headers.set("Cache-Control", "no-store");
      return new Response(answer.body, { status: answer.status, headers });
    } catch (error) {
      return withWayBack(problemResponse(error, requestId, reply));
    }
  };
}

/** @throws ApiError 404 for what next-auth serves and we have no use for. */
function requireUsed(method: string, action: string, provider: string): void {
  const isPasswordByAddress = method === "GET" && action === "callback" && provider === "password";
  if (action === "_log" || isPasswordByAddress) throw new ApiError("not_found", "This path doesn't exist.");
}

async function answerTo(request: NextRequest, path: string, serve: (request: NextRequest) => Promise<Response>): Promise<Response> {
  if (request.method !== "POST") return serve(request);
  const bytes = await readBytes(request, FORM_MAX_BYTES);
  if (bytes.length > 0) requireMediaType(request, FORM);
  const form = bytes.toString("utf8");
  const bounded = () => serve(new NextRequest(request.url, { method: "POST", headers: request.headers, body: form }));
  if (path !== "callback/password") return bounded();
  const address = request.headers.get("x-tieout-client-address") ?? "unknown";
  const email = (new URLSearchParams(form).get("email") ?? "").trim().toLowerCase();
  return limitingSignIns({ address, email }, async () => {
    const answer = await bounded();
    return { answer, signedIn: answer.headers.getSetCookie().some((cookie) => cookie.startsWith(cookieName("session"))) };
  });
}

/** Our form goes where `url` says, as in next-auth's own answers. */
async function withWayBack(problem: Response): Promise<Response> {
  const body = { ...(await problem.json()), url: "/sign-in?error=Unavailable" };
  return new Response(JSON.stringify(body), { status: problem.status, headers: problem.headers });
}
