import { isSameSecret } from "#lib/auth/same-secret.ts";
import { metrics } from "#lib/http/metrics.ts";
import { env } from "#lib/runtime/env.ts";

/** 404 unless METRICS_TOKEN is set; 401 without it in the request. */
export async function GET(request: Request): Promise<Response> {
  const token = env().METRICS_TOKEN;
  const headers = { "Cache-Control": "no-store" };
  if (!token)
    return new Response("Set METRICS_TOKEN to enable metrics.\n", { status: 404, headers });
  if (!isSameSecret(request.headers.get("authorization") ?? "", `Bearer ${token}`))
    return new Response("Send METRICS_TOKEN as the bearer token.\n", {
      status: 401,
      headers: { ...headers, "WWW-Authenticate": "Bearer" },
    });
  const { contentType, text } = await metrics();
  return new Response(text, { headers: { ...headers, "Content-Type": contentType } });
}
