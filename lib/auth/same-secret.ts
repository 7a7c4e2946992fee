import { hash, timingSafeEqual } from "node:crypto";

/** Compares in constant time, whatever the content and length of both. */
export function isSameSecret(left: string, right: string): boolean {
  const digest = (value: string) => hash("sha256", value, "buffer");
  return timingSafeEqual(digest(left), digest(right));
}
