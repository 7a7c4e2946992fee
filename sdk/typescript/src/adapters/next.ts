import { bodyOf, type DeliveryHandler, receive, type Secret } from "./receive.ts";

/**
 * A route of Next, or of anything that serves Fetch's requests, up to 1 MiB:
 * `export const POST = …`
 */
export function nextWebhook(secret: Secret, handle: DeliveryHandler) {
  return async (request: Request): Promise<Response> => {
    const body = request.body ? await bodyOf(request.body) : "";
    return new Response(null, { status: await receive(body, request.headers, secret, handle) });
  };
}
