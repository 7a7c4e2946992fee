import { readiness } from "#lib/http/readiness.ts";

export async function GET(): Promise<Response> {
  const { ready, ...report } = await readiness();
  return Response.json(
    { status: ready ? "ready" : "unavailable", ...report },
    {
      status: ready ? 200 : 503,
      headers: { "Cache-Control": "no-store", ...(!ready && { "Retry-After": "2" }) },
    },
  );
}
