import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SSHD = "/usr/sbin/sshd";

/** Why this machine can't test with OpenSSH, or null. */
export function whyNoSshd(): string | null {
  return existsSync(SSHD) ? null : `${SSHD} is missing: apt-get install openssh-server`;
}

/** Why this machine can't test sign-in with a password, or null. */
export function whyNoPasswords(): string | null {
  if (process.getuid?.() !== 0) return "Only root can give sshd another /etc/shadow.";
  const { status } = spawnSync("unshare", ["--mount", "true"]);
  return status === 0 ? whyNoSshd() : "unshare --mount isn't permitted here.";
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

function newKey(path: string): string {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
  const [, fingerprint = ""] = execFileSync("ssh-keygen", ["-l", "-f", path], {
    encoding: "utf8",
  }).split(" ");
  return fingerprint;
}

const hashOf = (password: string) =>
  execFileSync("openssl", ["passwd", "-6", "-stdin"], { input: password, encoding: "utf8" }).trim();

/**
 * Starts OpenSSH for the user who runs the tests, serving the folder `outgoing`. If a password is
 * given, the user signs in with it and not with a key: it is in a file that only this sshd sees as
 * /etc/shadow.
 */
export async function startSshServer(password?: string) {
  const home = await mkdtemp(join(tmpdir(), "tieout-sshd-"));
  const folder = join(home, "outgoing");
  await mkdir(folder);
  // sshd needs it for privilege separation if it runs as root.
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
  newKey(join(home, "user"));
  await writeFile(join(home, "authorized"), await readFile(join(home, "user.pub")), {
    mode: 0o600,
  });
  const user = userInfo().username;
  const shadow = join(home, "shadow");
  if (password !== undefined) await writeFile(shadow, `${user}:${hashOf(password)}:20000::::::\n`);
  const port = await freePort();
  let hostKeys = 0;
  let server: ChildProcess | undefined;

  /** Starts sshd with a new host key. */
  async function start(): Promise<string> {
    const hostKey = join(home, `host-${hostKeys++}`);
    const fingerprint = newKey(hostKey);
    const config = join(home, "sshd_config");
    await writeFile(
      config,
      [
        `Port ${port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${hostKey}`,
        `AuthorizedKeysFile ${join(home, "authorized")}`,
        `PidFile ${join(home, "pid")}`,
        ...(password === undefined
          ? ["PasswordAuthentication no"]
          : ["PasswordAuthentication yes", "PubkeyAuthentication no", "PermitRootLogin yes"]),
        "StrictModes no",
        "UsePAM no",
        "Subsystem sftp internal-sftp",
      ].join("\n"),
    );
    const sshd = [SSHD, "-D", "-e", "-f", config];
    const [program = "", ...options] =
      password === undefined
        ? sshd
        : [
            "unshare",
            "--mount",
            "sh",
            "-c",
            `mount --bind ${shadow} /etc/shadow; exec "$@"`,
            "sh",
          ].concat(sshd);
    server = spawn(program, options, { stdio: "ignore" });
    for (;;) {
      const isOpen = await fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        ({ cause }) => cause?.code !== "ECONNREFUSED",
      );
      if (isOpen) return fingerprint;
      if (server.exitCode !== null) throw new Error(`sshd ended with ${server.exitCode}`);
      await sleep(50);
    }
  }
  async function stop(): Promise<void> {
    if (!server || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  }
  const fingerprint = await start();
  return {
    fingerprint,
    settings: {
      kind: "sftp",
      address: `sftp://127.0.0.1:${port}${folder}`,
      user_name: user,
      ...(password === undefined
        ? { auth: "private_key", credential: await readFile(join(home, "user"), "utf8") }
        : { auth: "password", credential: password }),
    },
    put: (name: string, content: string) => writeFile(join(folder, name), content),
    read: (name: string) => readFile(join(folder, name), "utf8"),
    names: async () => (await readdir(folder, { recursive: true })).sort(),
    async restartWithNewKey(): Promise<string> {
      await stop();
      return start();
    },
    async close() {
      await stop();
      await rm(home, { recursive: true });
    },
  };
}
