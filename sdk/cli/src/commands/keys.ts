import { connect, type GlobalOptions } from "../connection.ts";
import { readStdin } from "../input.ts";
import { facts, print } from "../output.ts";

type CreateOptions = GlobalOptions & {
  name: string;
  scope: string[];
  description?: string;
  expires?: string;
};

export async function createKey(options: CreateOptions): Promise<void> {
  const { tieout, profile } = await connect(options);
  const { name, scope, description, expires } = options;
  const key = await tieout.apiKeys.create(profile.tenant, {
    name,
    scopes: scope as never,
    description,
    expires_at: expires,
  });
  printNew(options, key);
}

export async function rotateKey(
  id: string,
  options: GlobalOptions & { gracePeriod?: number },
): Promise<void> {
  const { tieout, profile } = await connect(options);
  const key = await tieout.apiKeys.rotate(profile.tenant, id, {
    grace_period_seconds: options.gracePeriod,
  });
  printNew(options, key);
}

/** Only the credential goes to stdout, so that a script can store it. */
function printNew(
  options: GlobalOptions,
  key: { id: string; key_id: string; key_secret: string; warning?: string },
): void {
  if (!options.json) console.error(`${key.id}\nIt is shown once. Keep it in a secret store:`);
  print(options, key, `${key.key_id}.${key.key_secret}`);
}

/** Whether a credential works, and its permissions: the profile's, or one on stdin. */
export async function checkKey(options: GlobalOptions & { stdin?: boolean }): Promise<void> {
  const credential = options.stdin ? await readStdin() : undefined;
  const { tieout } = await connect({ ...options, credential });
  const me = await tieout.me.get();
  const { type, id, name, roles, scopes } = me.principal;
  print(
    options,
    me,
    facts([
      ["Works", `${type} ${name} in ${me.tenant_id}`],
      ["ID", id],
      type === "user" ? ["Roles", roles.join(" ")] : ["Scopes", scopes.join(" ")],
    ]),
  );
}
