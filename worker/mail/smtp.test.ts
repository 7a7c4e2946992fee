import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSecureContext,
  getCACertificates,
  setDefaultCACertificates,
  TLSSocket,
} from "node:tls";
import { afterEach, beforeAll, expect, test } from "vitest";
import { mailerFor } from "./mailer.ts";

const USER = "tieout";
const PASSWORD = "pass word";
const MESSAGE = {
  id: "alb_1",
  to: "ada@acme.example",
  subject: "2 exceptions passed their deadline",
  paragraphs: ["Look."],
  footer: "Settings.",
};

type Received = { auth: string | null; encrypted: boolean; to: string; data: string };
const pair = { key: "", cert: "" };
let stop = () => {};

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "smtp-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
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
  Object.assign(pair, { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") });
});

afterEach(() => stop());

/**
 * A mail server with the parts of RFC 5321, 3207 and 4954 that a sender needs. `tls`: whether it
 * offers STARTTLS.
 */
async function mailServer({ tls }: { tls: boolean }) {
  const received: Received[] = [];
  const lines: string[] = [];
  const serve = (socket: Socket, encrypted: boolean, greeting: boolean) => {
    let text = "";
    let data: string | null = null;
    const mail: Received = { auth: null, encrypted, to: "", data: "" };
    const say = (line: string) => socket.write(`${line}\r\n`);
    socket.on("error", () => {});
    if (greeting) say("220 localhost");
    const onData = (chunk: Buffer) => {
      text += chunk.toString("utf8");
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (data !== null) {
          if (line === ".") {
            received.push({ ...mail, data });
            data = null;
            say("250 kept");
          } else data += `${line}\n`;
          continue;
        }
        lines.push(line);
        const [verb = ""] = line.toUpperCase().split(" ");
        if (verb === "EHLO")
          socket.write(
            `250-localhost\r\n${tls && !encrypted ? "250-STARTTLS\r\n" : ""}250 AUTH PLAIN\r\n`,
          );
        else if (verb === "STARTTLS" && tls) {
          say("220 go ahead");
          socket.off("data", onData);
          serve(
            new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(pair) }),
            true,
            false,
          );
          return;
        } else if (verb === "AUTH") {
          mail.auth = Buffer.from(line.split(" ")[2] ?? "", "base64").toString("utf8");
          say(mail.auth === `\0${USER}\0${PASSWORD}` ? "235 welcome" : "535 5.7.8 bad credentials");
        } else if (verb === "RCPT") {
          mail.to = line;
          say("250 ok");
        } else if (verb === "DATA") {
          data = "";
          say("354 go on");
        } else if (verb === "MAIL" || verb === "QUIT") say("250 ok");
        else say("502 no such command");
      }
    };
    socket.on("data", onData);
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket, false, true);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  const { port } = server.address() as { port: number };
  const send = (credentials = "") =>
    mailerFor({
      SMTP_URL: `smtp://${credentials}localhost:${port}`,
      MAIL_FROM: "Tieout <alerts@acme.example>",
      MAIL_DIR: undefined,
      NEXTAUTH_URL: "https://tieout.example",
    }).send(MESSAGE);
  return { received, lines, send };
}

const credentials = (password = PASSWORD) => `${USER}:${encodeURIComponent(password)}@`;

function trustIt(): void {
  setDefaultCACertificates([...getCACertificates("default"), pair.cert]);
}

test("sends mail by SMTP to one recipient, as text and HTML, marked as automatic", async () => {
  const { received, send } = await mailServer({ tls: false });
  await send();
  expect(received).toMatchObject([{ to: "RCPT TO:<ada@acme.example>", auth: null }]);
  for (const part of [
    "Message-ID: <alb_1@tieout.example>",
    "From: Tieout <alerts@acme.example>",
    "Subject: 2 exceptions passed their deadline",
    "Auto-Submitted: auto-generated",
    "text/plain",
    "text/html",
  ])
    expect(received[0]?.data).toContain(part);
});

test("never sends a password over an unencrypted connection, and the error says why", async () => {
  const { received, lines, send } = await mailServer({ tls: false });
  await expect(send(credentials())).rejects.toThrow(
    "The connection couldn't be encrypted, so no password and no mail was sent over it.",
  );
  expect(lines.filter((line) => /^AUTH/i.test(line))).toEqual([]);
  expect(received).toEqual([]);
});

test("never sends a password to a server with an untrusted certificate", async () => {
  const { received, lines, send } = await mailServer({ tls: true });
  await expect(send(credentials())).rejects.toThrow("The connection couldn't be encrypted");
  expect([received, lines.filter((line) => /^AUTH/i.test(line))]).toEqual([[], []]);
});

test("signs in over TLS with a trusted certificate and reports a refused password", async () => {
  trustIt();
  const { received, send } = await mailServer({ tls: true });
  await send(credentials());
  expect(received).toMatchObject([{ encrypted: true, auth: `\0${USER}\0${PASSWORD}` }]);
  await expect(send(credentials("wrong"))).rejects.toThrow(
    "The mail server refused the user name or password of SMTP_URL.",
  );
  expect(received).toHaveLength(1);
});
