import { TieoutError } from "../errors.ts";
import { type Delivery, type HeadersLike, type RawBody, unwrap } from "../webhooks.ts";

/** The signing secret, or two while it is rotated. */
export type Secret = string | readonly string[];
/**
 * Stores a delivery. If it doesn't throw, the response is 204 and the delivery is not sent again.
 */
export type DeliveryHandler = (delivery: Delivery) => unknown;

/** More than any delivery has, and Fastify's own limit. */
const MAX_BYTES = 2 ** 20;

/** The bytes of a body, or undefined if there are more than a delivery can have. */
export async function bodyOf(parts: AsyncIterable<Uint8Array>): Promise<ArrayBuffer | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = parts[Symbol.asyncIterator]();
  // Iterated by hand, because leaving a loop would end the connection before the response.
  for (let step = await reader.next(); !step.done; step = await reader.next()) {
    chunks.push(step.value as Uint8Array<ArrayBuffer>);
    length += step.value.length;
    if (length > MAX_BYTES) return undefined;
  }
  return new Blob(chunks).arrayBuffer();
}

/**
 * Verifies a delivery and passes it on.
 * @returns the status to respond with.
 * @throws the error of `handle`, so that the framework responds with 500 and the delivery is sent
 * again
 */
export async function receive(
  body: RawBody | undefined,
  headers: HeadersLike,
  secret: Secret,
  handle: DeliveryHandler,
): Promise<204 | 401 | 413> {
  if (body === undefined) return 413;
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
