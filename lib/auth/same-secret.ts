import { hash, timingSafeEqual } from "node:crypto";

/** Constant time in the content and the length of both. */
export function isSameSecret(left: string, right: string): boolean {
  const digest = (value: string) => hash("sha256", value, "buffer");
  return timingSafeEqual(digest(left), digest(right));
}
