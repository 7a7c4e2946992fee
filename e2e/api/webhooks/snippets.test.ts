/** Runs the snippets of docs/webhooks against a real delivery, each if its runtime is installed. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { Received } from "#e2e/webhooks/receiver.ts";
import { SECRET, Subscriber } from "#e2e/webhooks/subscriber.ts";
import { receiver } from "./shared-receiver.ts";

const subscriber = await Subscriber.create(receiver);

const DOCS = fileURLToPath(new URL("../../../docs/webhooks/", import.meta.url));
const PLAIN = "Schlüssel, 16 bytes and more";

type Case = { secret: string; headers: Record<string, string>; body: string };
type Runtime = {
  command: string;
  version: string[];
  verifies: (given: Case, folder: string) => boolean;
};

/** Writes the body and the headers into files, and runs a short program that calls the snippet. */
function runs(
  command: string,
  args: string[],
  { secret, headers, body }: Case,
  folder: string,
): boolean {
  writeFileSync(join(folder, "body"), body);
  writeFileSync(join(folder, "headers.json"), JSON.stringify(headers));
  const env = { ...process.env, SECRET: secret, FOLDER: folder, DOCS, LC_ALL: "C.UTF-8" };
  const { status, stderr } = spawnSync(command, args, { env, encoding: "utf8", cwd: folder });
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return status === 0;
}

const write = (folder: string, name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const RUNTIMES: Record<string, Runtime> = {
  Node: {
    command: process.execPath,
    version: ["--version"],
    verifies: (given, folder) =>
      runs(
        process.execPath,
        [
          write(
            folder,
            "main.mjs",
            `import { readFileSync } from "node:fs";
             const { verify } = await import(process.env.DOCS + "verify.mjs");
             process.exit(verify(readFileSync("body"), JSON.parse(readFileSync("headers.json")), process.env.SECRET) ? 0 : 1);`,
          ),
        ],
        given,
        folder,
      ),
  },
  Python: {
    command: "python3",
    version: ["--version"],
    verifies: (given, folder) =>
      runs(
        "python3",
        [
          write(
            folder,
            "main.py",
            `import json, os, sys
sys.path.insert(0, os.environ["DOCS"])
sys.dont_write_bytecode = True
from verify import verify
sys.exit(0 if verify(open("body", "rb").read(), json.load(open("headers.json")), os.environ["SECRET"]) else 1)`,
          ),
        ],
        given,
        folder,
      ),
  },
  Go: {
    command: "go",
    version: ["version"],
    verifies: (given, folder) => {
      execFileSync("cp", [join(DOCS, "verify.go"), folder]);
      write(folder, "go.mod", "module webhooks\n\ngo 1.20\n");
      write(
        folder,
        "verify_test.go",
        `package webhooks

import ("encoding/json"; "net/http"; "os"; "testing")

func TestMain(m *testing.M) {
	body, _ := os.ReadFile("body")
	text, _ := os.ReadFile("headers.json")
	given, headers := map[string]string{}, http.Header{}
	json.Unmarshal(text, &given)
	for name, value := range given { headers.Set(name, value) }
	if Verify(body, headers, os.Getenv("SECRET")) { os.Exit(0) }
	os.Exit(1)
}`,
      );
      return runs("go", ["test", "-count=1", "."], given, folder);
    },
  },
  Ruby: {
    command: "ruby",
    version: ["--version"],
    verifies: (given, folder) =>
      runs(
        "ruby",
        [
          write(
            folder,
            "main.rb",
            `require "json"
require File.join(ENV["DOCS"], "verify.rb")
exit verify(File.binread("body"), JSON.parse(File.read("headers.json")), ENV["SECRET"])`,
          ),
        ],
        given,
        folder,
      ),
  },
  PHP: {
    command: "php",
    version: ["--version"],
    verifies: (given, folder) =>
      runs(
        "php",
        [
          write(
            folder,
            "main.php",
            `<?php
require getenv("DOCS") . "verify.php";
exit(verify(file_get_contents("body"), json_decode(file_get_contents("headers.json"), true), getenv("SECRET")) ? 0 : 1);`,
          ),
        ],
        given,
        folder,
      ),
  },
  Java: {
    command: "javac",
    version: ["-version"],
    verifies: (given, folder) => {
      const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
      for (const name of names) {
        rmSync(join(folder, name), { force: true });
        if (given.headers[name] !== undefined) write(folder, name, given.headers[name]);
      }
      write(folder, "secret", given.secret);
      if (!existsSync(join(folder, "Main.class"))) {
        const main = write(
          folder,
          "Main.java",
          `public class Main {
            static byte[] read(String name) throws Exception { return java.nio.file.Files.readAllBytes(java.nio.file.Path.of(name)); }
            static String text(String name) throws Exception { return new String(read(name), "UTF-8"); }
            public static void main(String[] args) throws Exception {
              java.util.Map<String, String> headers = new java.util.HashMap<>();
              for (String name : new String[] {${names.map((name) => `"${name}"`).join(", ")}})
                if (new java.io.File(name).exists()) headers.put(name, text(name));
              System.exit(Verify.verify(read("body"), headers, text("secret")) ? 0 : 1);
            }
          }`,
        );
        execFileSync("javac", [
          "-encoding",
          "UTF-8",
          "-d",
          folder,
          join(DOCS, "Verify.java"),
          main,
        ]);
      }
      return runs("java", ["-cp", folder, "Main"], given, folder);
    },
  },
  openssl: {
    command: "openssl",
    version: ["version"],
    verifies: (given, folder) => {
      const { secret, headers } = given;
      const args = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(
        (name) => headers[name] ?? "",
      );
      return runs(
        "sh",
        [join(DOCS, "verify.sh"), secret, ...args, join(folder, "body")],
        given,
        folder,
      );
    },
  },
};

const isInstalled = ({ command, version }: Pick<Runtime, "command" | "version">) =>
  spawnSync(command, version).status === 0;

const delivered = new Map<string, Received>();

beforeAll(async () => {
  for (const secret of [SECRET, PLAIN]) {
    const webhook = await subscriber.register(["exception.created"], {}, secret);
    await subscriber.call("POST", "/v1/exceptions", {
      title: `Zahlung “${secret}” 🔑`,
      severity: "high",
      due_at: "2030-01-01T00:00:00Z",
    });
    const [got] = await webhook.gets(1);
    if (got) delivered.set(secret, got);
    await subscriber.call("DELETE", webhook.url);
  }
});

describe.each(Object.entries(RUNTIMES))("the snippet for %s", (name, runtime) => {
  const installed = isInstalled(runtime);

  it.skipIf(!installed)(
    `verifies a real delivery, and refuses one that was tampered with${installed ? "" : ` (${name} is not on this machine)`}`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), "tieout-snippet-"));
      try {
        for (const secret of [SECRET, PLAIN]) {
          const { headers, body } = delivered.get(secret) as Received;
          const verifies = (change: Partial<Case>) =>
            runtime.verifies({ secret, headers, body, ...change }, folder);
          expect(verifies({})).toBe(true);
          expect(verifies({ body: body.replace("high", "low ") })).toBe(false);
          if (secret === PLAIN) continue;
          expect(
            verifies({ secret: `${secret.slice(0, -1)}${secret.endsWith("w") ? "x" : "w"}` }),
          ).toBe(false);
          expect(
            verifies({
              headers: {
                ...headers,
                "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}`,
              },
            }),
          ).toBe(true);
          expect(verifies({ headers: { ...headers, "webhook-id": "evt_other" } })).toBe(false);
          expect(
            verifies({
              headers: {
                ...headers,
                "webhook-timestamp": String(Number(headers["webhook-timestamp"]) - 400),
              },
            }),
          ).toBe(false);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});

const UNSIGNED: Record<string, (signed: Record<string, string>) => Record<string, string>> = {
  "no headers": () => ({}),
  "no id": ({ "webhook-id": _, ...rest }) => rest,
  "no timestamp": ({ "webhook-timestamp": _, ...rest }) => rest,
  "no signature": ({ "webhook-signature": _, ...rest }) => rest,
  "a timestamp that isn't a number": (signed) => ({ ...signed, "webhook-timestamp": "soon" }),
  "an empty signature": (signed) => ({ ...signed, "webhook-signature": "" }),
};

describe.each(Object.entries(RUNTIMES))(
  "the snippet for %s, for an unsigned request",
  (_, runtime) => {
    it.skipIf(!isInstalled(runtime)).each(Object.keys(UNSIGNED))("returns false: %s", (what) => {
      const folder = mkdtempSync(join(tmpdir(), "tieout-snippet-"));
      try {
        const { headers, body } = delivered.get(SECRET) as Received;
        const signed = Object.fromEntries(
          Object.entries(headers).filter(([name]) => name.startsWith("webhook-")),
        ) as Record<string, string>;
        const unsigned = { secret: SECRET, body, headers: UNSIGNED[what]?.(signed) ?? {} };
        expect(runtime.verifies(unsigned, folder)).toBe(false);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  },
);

it("each snippet states the version it needs", () => {
  const files = readdirSync(DOCS).filter((name) => /^verify\./i.test(name));
  expect(files.length).toBe(Object.keys(RUNTIMES).length);
  for (const name of files) {
    const head = readFileSync(join(DOCS, name), "utf8").split("\n").slice(0, 3).join("\n");
    expect(head, name).toMatch(/\d[\d.]* and later/);
  }
});

const canSend =
  isInstalled({ command: "curl", version: ["--version"] }) &&
  isInstalled({ command: "openssl", version: ["version"] });

it.skipIf(!canSend)("the curl snippet sends a request that a receiver verifies", async () => {
  for (const secret of [SECRET, PLAIN]) {
    const path = `/curl-${secret.length}`;
    await receiver.behave(path, { secrets: [secret], strict: true });
    const output = execFileSync("sh", [join(DOCS, "send.sh"), secret, receiver.url(path)], {
      encoding: "utf8",
    });
    expect(output).toBe("200\n");
    const [got] = await receiver.gets(path, 1);
    expect(got?.verified).toEqual([secret]);
  }
});
