import { nextWebhook } from "./next.ts";
import type { DeliveryHandler, Secret } from "./receive.ts";

/** A handler for Hono: `app.post("/tieout", honoWebhook(secret, handle))` */
export function honoWebhook(secret: Secret, handle: DeliveryHandler) {
  const serve = nextWebhook(secret, handle);
  return (context: { req: { raw: Request } }): Promise<Response> => serve(context.req.raw);
}
