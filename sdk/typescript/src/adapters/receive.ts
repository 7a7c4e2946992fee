import { TieoutError } from "../errors.ts";
import { type Delivery, type HeadersLike, type RawBody, unwrap } from "../webhooks.ts";

/** The signing secret, or two while it is rotated. */
export type Secret = string | readonly string[];
/**
 * Stores a delivery. If it doesn't throw, the response is 204 and the delivery is not sent again.
 */
export type DeliveryHandler = (delivery: Delivery) => unknown;

/**
 * Verifies a delivery and passes it on.
 * @returns the status to respond with.
 * @throws the error of `handle`, so that the framework responds with 500 and the delivery is sent
 * again
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
