import { execFileSync, spawnSync } from "node:child_process";

export type Account = {
  /** Undefined when we are no superuser ourselves and nothing has to change. */
  ids: { uid: number; gid: number } | undefined;
  /** What to put in front of a command so that it runs under the account. */
  prefix: string[];
};

/**
 * Postgres refuses to run as root. The account keeps one capability of root's, to pass through
 * directories such as /root that it may not enter; `no_setuid_fixup` makes access(2) count it as
 * well, by which initdb looks for its parts.
 */
export function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return { ids: undefined, prefix: [] };
  const ids = { uid: idOf("-u"), gid: idOf("-g") };
  const prefix = [
    "setpriv",
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    "--clear-groups",
    "--bounding-set=-all,+dac_override",
    "--inh-caps=-all,+dac_override",
    "--ambient-caps=+dac_override",
    "--securebits=+no_setuid_fixup",
  ];
  const works = spawnSync(prefix[0] as string, [...prefix.slice(1), "true"]).status === 0;
  return { ids, prefix: works ? prefix : [] };
}

function idOf(flag: "-u" | "-g"): number {
  return Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
}
