import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CliError, EXIT } from "./failure.ts";

/** The address of one tenant, and the credential for it. */
export type Profile = {
  url: string;
  tenant: string;
  credential: string;
  /** Signs the events that `listen` forwards, with the same secret each time. */
  listen_secret?: string;
};
type Profiles = Record<string, Profile>;

const GROUP_AND_OTHERS = 0o077;

function file(): string {
  const { TIEOUT_CONFIG, XDG_CONFIG_HOME } = process.env;
  return TIEOUT_CONFIG ?? join(XDG_CONFIG_HOME ?? join(homedir(), ".config"), "tieout/config.json");
}

/** @throws CliError if others can read the file */
async function readProfiles(): Promise<Profiles> {
  const path = file();
  const found = await stat(path).catch(() => null);
  if (!found) return {};
  if (process.platform !== "win32" && (found.mode & GROUP_AND_OTHERS) !== 0)
    throw new CliError(EXIT.failed, `Others can read your credentials: chmod 600 ${path}`);
  const text = await readFile(path, "utf8");
  try {
    return JSON.parse(text).profiles ?? {};
  } catch {
    throw new CliError(
      EXIT.failed,
      `${path} isn't JSON. Delete it, and run \`tieout login\` again.`,
    );
  }
}

export async function readProfile(name: string): Promise<Profile | undefined> {
  return (await readProfiles())[name];
}

/** Replaces the whole file, so that an interrupted save loses nothing. */
export async function saveProfile(name: string, profile: Profile): Promise<string> {
  const path = file();
  const profiles = { ...(await readProfiles()), [name]: profile };
  const temporaryPath = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(temporaryPath, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporaryPath, 0o600);
  await rename(temporaryPath, path);
  return path;
}

export function newListenSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
