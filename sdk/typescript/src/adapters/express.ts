import type { HeadersLike, RawBody } from "../webhooks.ts";
import { bodyOf, type DeliveryHandler, receive, type Secret } from "./receive.ts";

type NodeRequest = AsyncIterable<Uint8Array> & { headers: HeadersLike; body?: unknown };
type NodeResponse = { statusCode: number; end: () => unknown };

/**
 * A handler for Express, before `express.json()` or after `express.raw()`. Bodies over 1 MiB are
 * refused.
 */
export function expressWebhook(secret: Secret, handle: DeliveryHandler) {
  return async (
    request: NodeRequest,
    response: NodeResponse,
    next: (error: unknown) => void,
  ): Promise<void> => {
    try {
      const body = (request.body as RawBody | undefined) ?? (await bodyOf(request));
      response.statusCode = await receive(body, request.headers, secret, handle);
      response.end();
    } catch (error) {
      // Express 4 doesn't await handlers, and a rejection would end the process.
      next(error);
    }
  };
}
