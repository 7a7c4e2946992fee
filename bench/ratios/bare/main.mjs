/**
 * Handlers that only respond, in Next's production server: the baseline for those of the
 * service.
 */
import { createServer } from "node:http";
import next from "next";

const app = next({ dev: false, dir: import.meta.dirname, port: Number(process.env.PORT) });
await app.prepare();
const handle = app.getRequestHandler();
createServer((request, response) => handle(request, response)).listen(Number(process.env.PORT));
process.once("SIGTERM", () => process.exit(0));
