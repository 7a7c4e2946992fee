import { verifyCredential } from "../auth/credential.ts";
import type { Identity } from "../auth/principal.ts";
import type { Contract, Method } from "../wire/contract.ts";
import { ApiError } from "../wire/errors.ts";
import { CLIENT_ADDRESS_HEADER } from "../wire/inbound-headers.ts";
import { allowsAnyOrigin, preflight } from "./cors.ts";
import { type Endpoint, newRequestId } from "./endpoint.ts";
import { withFailureLimit } from "./failure-limit.ts";
import { claimedKeyId, logRefusal } from "./log-call.ts";
import { problemResponse } from "./problem.ts";

type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string>> },
) => Promise<Response>;
type Exports<Handler = RouteHandler> = Record<Method | "OPTIONS", Handler>;
type Refusal = (request: Request) => Promise<Response>;

/** An endpoint, or anything else that answers one method of a path. */
type Served = Pick<Endpoint, "serve"> & { contract: Pick<Contract, "method" | "access"> };

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const satisfies readonly Method[];

/**
 * The exports of a route file: a handler for each endpoint's method, 405 for other methods, and
 * OPTIONS with the allowed methods.
 */
export function route(...endpoints: Served[]): Exports {
  const allow = endpoints
    .flatMap(({ contract: { method } }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .join(", ");
  const handlers = METHODS.map((method): [Method, RouteHandler] => {
    const found = endpoints.find(({ contract }) => contract.method === method);
    return [
      method,
      found
        ? async (request, { params }) => found.serve(request, (await params) ?? {})
        : refuse("method_not_allowed", { Allow: allow }),
    ];
  });
  const options: RouteHandler = async (request) => {
    const headers = new Headers({ Allow: `${allow}, OPTIONS`, "Cache-Control": "no-store" });
    const requestedMethod = request.headers.get("access-control-request-method");
    const open = endpoints.some(
      ({ contract }) => allowsAnyOrigin(contract) && contract.method === requestedMethod,
    );
    return new Response(null, {
      status: 204,
      headers: open && requestedMethod ? preflight(headers, requestedMethod) : headers,
    });
  };
  return { ...(Object.fromEntries(handlers) as Record<Method, RouteHandler>), OPTIONS: options };
}

/**
 * The exports of a route file with a dynamic segment: picks the route by the segment's value, which
 * is removed from `params`, and answers 404 for unknown values.
 */
export function routeBy(segment: string, routes: ReadonlyMap<string, Exports>): Exports {
  const unknown = noRoute();
  const handlers = [...METHODS, "OPTIONS" as const].map(
    (method): [Method | "OPTIONS", RouteHandler] => [
      method,
      async (request, { params }) => {
        const { [segment]: value = "", ...rest } = await params;
        const chosen: Exports = routes.get(value) ?? unknown;
        return chosen[method](request, { params: Promise.resolve(rest) });
      },
    ],
  );
  return Object.fromEntries(handlers) as Exports;
}

/** The exports of a path below /v1 that no contract names: 404 for every method. */
export function noRoute(): Exports<Refusal> {
  const handler = refuse("not_found", {});
  return Object.fromEntries(
    [...METHODS, "OPTIONS"].map((method) => [method, handler]),
  ) as Exports<Refusal>;
}

function refuse(
  code: "method_not_allowed" | "not_found",
  headers: Record<string, string>,
): Refusal {
  const detail =
    code === "not_found"
      ? "This path doesn't exist. See /docs for the API's paths."
      : `This path supports ${headers.Allow}.`;
  return async (request) => {
    const requestId = request.headers.get("x-request-id") ?? newRequestId();
    const reply = new Headers({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    const identity = await verifiedKey(request);
    let problem: string | null = null;
    const response = problemResponse(
      new ApiError(code, detail, { headers }),
      requestId,
      reply,
      ({ body }) => {
        problem = body;
      },
    );
    logRefusal({ request, requestId, identity }, code, problem, response);
    return response;
  };
}

/**
 * The identity of a verified API key, so that only calls with the key's secret reach the tenant's
 * request log whole.
 */
async function verifiedKey(request: Request): Promise<Identity | undefined> {
  if (claimedKeyId(request.headers) === null) return undefined;
  const address = request.headers.get(CLIENT_ADDRESS_HEADER);
  const caller = { request, address, reply: new Headers() };
  return withFailureLimit(caller, () => verifyCredential(request)).catch(() => undefined);
}
