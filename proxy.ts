import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";
import { PATH_HEADER } from "#lib/wire/inbound-headers.ts";

/**
 * Gives each page its security headers, and passes it its own path: a layout cannot know where to
 * come back to.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = randomBytes(16).toString("base64");
  const policy = contentSecurityPolicy(nonce);
  const headers = new Headers(request.headers);
  headers.set(PATH_HEADER, request.nextUrl.pathname + request.nextUrl.search);
  // Next reads the nonce for its own scripts out of this header.
  headers.set("Content-Security-Policy", policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  response.headers.set("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.set(
    "Permissions-Policy",
    "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  );
  return response;
}

function contentSecurityPolicy(nonce: string): string {
  const dev = process.env.NODE_ENV === "development";
  const secure = process.env.NEXTAUTH_URL?.startsWith("https:");
  return [
    "default-src 'self'",
    // React's development build reads stacks by eval; the development server writes its own styles.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${dev ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "object-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(secure ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}

export const config = {
  matcher: "/((?!v1(?:/|$)|api/|_next/static/|healthz$|readyz$|metrics$|icon\\.svg$).*)",
};
