import { password, text } from "@clack/prompts";
import { answerOf, isInteractive } from "../ask.ts";
import { clientOf, connect, type GlobalOptions } from "../connection.ts";
import { CliError, EXIT } from "../failure.ts";
import { readStdin, requireAddress } from "../input.ts";
import { facts, print } from "../output.ts";
import { newListenSecret, readProfile, saveProfile } from "../profiles.ts";

export const LOGIN_QUESTIONS = {
  url: "Address of Tieout",
  tenant: "Tenant",
  credential: "API key (<key_id>.<key_secret>) or token",
};

/** Asks for missing options, checks the credential with a call, and saves it. */
export async function login(options: GlobalOptions & { stdin?: boolean }): Promise<void> {
  const saved = await readProfile(options.profile);
  const isAsked = isInteractive(options) && !options.stdin;
  const ask = (message: string, initialValue = "") =>
    answerOf(text({ message, initialValue, validate: (value) => (value ? undefined : message) }));
  const { TIEOUT_URL, TIEOUT_TENANT } = process.env;
  const url =
    options.url ??
    TIEOUT_URL ??
    (isAsked ? await ask(LOGIN_QUESTIONS.url, saved?.url ?? "https://") : "");
  const tenant =
    options.tenant ??
    TIEOUT_TENANT ??
    (isAsked ? await ask(LOGIN_QUESTIONS.tenant, saved?.tenant) : "");
  const credential = isAsked
    ? await answerOf(password({ message: LOGIN_QUESTIONS.credential }))
    : await readStdin();
  if (!url || !tenant || !credential)
    throw new CliError(EXIT.usage, "Give --url, --tenant and the credential on stdin.");
  requireAddress("--url", url);
  const profile = { ...saved, url, tenant, credential };
  profile.listen_secret ??= newListenSecret();
  const { principal } = await clientOf(profile).tieout.me.get();
  const path = await saveProfile(options.profile, profile);
  const { type, name } = principal;
  print(options, { profile: options.profile, path }, `${type} ${name} in ${tenant}: saved ${path}`);
}

/** The caller and its permissions. */
export async function whoami(options: GlobalOptions): Promise<void> {
  const { tieout, profile } = await connect(options);
  const me = await tieout.me.get();
  const { type, name, roles, scopes } = me.principal;
  print(
    options,
    me,
    facts([
      ["Address", profile.url],
      ["Tenant", me.tenant_id],
      ["Caller", `${type} ${name}`],
      [type === "api_key" ? "Scopes" : "Roles", [...scopes, ...roles].join(" ")],
    ]),
  );
}
