import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSender } from "./send.ts";
import { sign } from "./signature.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const now = () => Math.floor(Date.now() / 1000);

describe("a signature", () => {
  test.each(["plain text of 16+", "mit Umlauten äöü ß", "🔑🔑🔑🔑🔑"])(
    "with the secret %j verifies with the standardwebhooks package",
    (secret) => {
      const body = '{"type":"webhook.test","data":{"é":"🔑"}}';
      const headers = sign("evt_1", now(), body, [secret]);
      expect(() =>
        new Webhook(Buffer.from(secret, "utf8"), { format: "raw" }).verify(body, headers),
      ).not.toThrow();
      expect(() =>
        new Webhook(Buffer.from(`${secret}!`, "utf8"), { format: "raw" }).verify(body, headers),
      ).toThrow();
      expect(() =>
        new Webhook(Buffer.from(secret, "utf8"), { format: "raw" }).verify(`${body} `, headers),
      ).toThrow();
    },
  );

  test("with several secrets verifies with each", () => {
    const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    const headers = sign("evt_1", now(), "{}", [other, SECRET]);
    for (const secret of [SECRET, other])
      expect(() => new Webhook(secret).verify("{}", headers)).not.toThrow();
  });

  test("matches the example of the specification", () => {
    const signed = sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}', [
      SECRET,
    ]);
    expect(signed["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });
});

describe("sending", () => {
  let receiver: Server;
  let connections = 0;
  let seen: string[] = [];
  const sender = createSender(new Set(["127.0.0.1"]));
  const stop = new AbortController();

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      seen.push(request.url ?? "");
      request.resume();
      if (request.url === "/hang") return;
      request.on("end", () => response.end("ok"));
    });
    receiver.on("connection", () => {
      connections += 1;
    });
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
  });
  afterAll(async () => {
    await sender.close();
    receiver.closeAllConnections();
    receiver.close();
  });

  const attempt = (path: string) => ({
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`,
    body: "{}",
    headers: sign("evt_1", now(), "{}", [SECRET]),
  });

  test("keeps the connection alive for the next delivery", async () => {
    for (let n = 0; n < 20; n++)
      expect(await sender.send(attempt("/"), stop.signal)).toMatchObject({
        status_code: 200,
        response_body: "ok",
      });
    expect(connections).toBeLessThanOrEqual(2);
  });

  test("doesn't wait for a hanging receiver", async () => {
    const breakOff = new AbortController();
    const hanging = sender.send(attempt("/hang"), breakOff.signal).catch((error) => error.name);
    expect(await sender.send(attempt("/"), stop.signal)).toMatchObject({ status_code: 200 });
    breakOff.abort();
    expect(await hanging).toBe("AbortError");
  });

  test("makes no request to a refused address", async () => {
    seen = [];
    const refused = createSender(new Set());
    expect(await refused.send(attempt("/"), stop.signal)).toMatchObject({
      failure_kind: "blocked_address",
      detail: expect.stringMatching(/^Not sent: /),
    });
    await refused.close();
    expect(seen).toEqual([]);
  });
});

const openssl = (() => {
  try {
    return execFileSync("openssl", ["version"], { encoding: "utf8" });
  } catch {
    return null;
  }
})();

describe.skipIf(openssl === null)("TLS", () => {
  test("sends nothing to a server with an untrusted certificate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tieout-tls-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-keyout",
        key,
        "-out",
        cert,
        ...subject,
      ],
      {
        stdio: "ignore",
      },
    );
    let requests = 0;
    const server = createTlsServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (_request, response) => {
        requests += 1;
        response.end();
      },
    );
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const sender = createSender(new Set(["127.0.0.1"]));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const outcome = await sender.send(
      { url, body: "{}", headers: sign("evt_1", now(), "{}", [SECRET]) },
      new AbortController().signal,
    );
    await sender.close();
    server.close();
    rmSync(folder, { recursive: true });
    expect(outcome).toMatchObject({
      failure_kind: "connection_failed",
      detail: "The receiver's certificate is self-signed.",
    });
    expect(requests).toBe(0);
  });
});
