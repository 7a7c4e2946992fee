import { type DeliveryHandler, receive, type Secret } from "./receive.ts";

/** A route of Next, or of anything that serves Fetch's requests: `export const POST = …` */
export function nextWebhook(secret: Secret, handle: DeliveryHandler) {
  return async (request: Request): Promise<Response> =>
    new Response(null, {
      status: await receive(await request.arrayBuffer(), request.headers, secret, handle),
    });
}
