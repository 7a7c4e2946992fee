import { createServer } from "node:http";
import next from "next";
import { log } from "#lib/log.ts";

const port = Number(process.env.PORT ?? 3000);
const dev = process.env.NODE_ENV !== "production";
const app = next({ dev, port });
await app.prepare();
const handle = app.getRequestHandler();
const server = createServer((request, response) => handle(request, response));
server.listen(port, process.env.HOST, () => log.info({ port }, "listening"));
process.on("disconnect", () => process.exit(1));
process.once("SIGTERM", () => server.close(() => process.exit(0)));
