export const dynamic = "force-dynamic";

export const GET = async () => new Response("ok");
