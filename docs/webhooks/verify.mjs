// Node 18 and later, without packages. Pass the raw body: JSON that was parsed and written again
// has other bytes.
import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

export function verify(body, headers, secret) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const signatures = headers["webhook-signature"] ?? "";
  // NaN, too, is not within.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const key = secret.startsWith("whsec_")
    ? Buffer.from(secret.slice(6), "base64")
    : Buffer.from(secret, "utf8");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const received = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return (
      signature.startsWith("v1,") &&
      received.length === expected.length &&
      timingSafeEqual(received, expected)
    );
  });
}

// In a receiver: answer 2xx within 15 s, and do the work afterwards. The same webhook-id may come
// twice.
//
//   createServer(async (request, response) => {
//     const body = Buffer.concat(await request.toArray());
//     if (!verify(body, request.headers, process.env.WEBHOOK_SECRET)) return response.writeHead(401).end();
//     response.writeHead(204).end();
//   });
