import { Tieout } from "../../typescript/src/index.ts";
import type { Send } from "../../typescript/src/request.ts";
import { sender } from "../../typescript/src/send.ts";
import { CliError, EXIT } from "./failure.ts";
import { requireAddress } from "./input.ts";
import { type Profile, readProfile } from "./profiles.ts";

/** The profile of commands that name none. */
export const DEFAULT_PROFILE = "default";

/** The options of every command. */
export type GlobalOptions = { profile: string; url?: string; tenant?: string; json?: boolean };

export type Connection = { tieout: Tieout; send: Send; profile: Profile };

/** From the options, else the environment, else the profile. @throws CliError if one is missing */
export async function connect(
  options: GlobalOptions & { credential?: string; fetch?: typeof fetch },
): Promise<Connection> {
  const { TIEOUT_URL, TIEOUT_TENANT, TIEOUT_TOKEN } = process.env;
  const saved = await readProfile(options.profile);
  const profile = {
    ...saved,
    url: options.url ?? TIEOUT_URL ?? saved?.url ?? "",
    tenant: options.tenant ?? TIEOUT_TENANT ?? saved?.tenant ?? "",
    credential: options.credential ?? (TIEOUT_TOKEN || saved?.credential) ?? "",
  };
  if (!profile.url || !profile.tenant || !profile.credential)
    throw new CliError(EXIT.usage, missing(options.profile, saved));
  requireAddress("--url", profile.url);
  return { profile, ...clientOf(profile, options.fetch) };
}

function missing(name: string, saved: Profile | undefined): string {
  const isOther = name !== DEFAULT_PROFILE;
  const start = isOther && !saved ? `There is no profile "${name}". ` : "";
  const login = isOther ? `tieout login --profile ${name}` : "tieout login";
  return `${start}Run \`${login}\` first, or set TIEOUT_URL, TIEOUT_TENANT and TIEOUT_TOKEN.`;
}

export function clientOf({ url, tenant, credential }: Profile, customFetch?: typeof fetch) {
  const options = { key: credential, tenant, baseUrl: url, fetch: customFetch };
  return { tieout: new Tieout(options), send: sender(options) };
}
