import { createHash, timingSafeEqual } from "node:crypto";

/** Constant time in the content and the length of both. */
export function isSameSecret(left: string, right: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(left), digest(right));
}
