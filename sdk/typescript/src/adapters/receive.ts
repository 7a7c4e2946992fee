import { TieoutError } from "../errors.ts";
import { type Delivery, type HeadersLike, type RawBody, unwrap } from "../webhooks.ts";

/** The signing secret, or two while it is rotated. */
export type Secret = string | readonly string[];
/** Stores a delivery: what it doesn't throw for is answered with 204 and never sent again. */
export type DeliveryHandler = (delivery: Delivery) => unknown;

/**
 * Verifies a delivery and hands it on. @returns the status to respond with. @throws what `handle`
 * throws, so that the framework responds with 500 and the delivery comes again
 */
export async function receive(
  body: RawBody,
  headers: HeadersLike,
  secret: Secret,
  handle: DeliveryHandler,
): Promise<204 | 401> {
  let delivery: Delivery;
  try {
    delivery = await unwrap(body, headers, secret);
  } catch (error) {
    if (error instanceof TieoutError) return 401;
    throw error;
  }
  await handle(delivery);
  return 204;
}
