import { PRODUCT } from "../lib/wire/product.ts";
import { log } from "./log.ts";
import type { Settings } from "./settings.ts";

const SIGN_INS = [
  "ada@acme.example (tenant_admin)",
  "ana@acme.example (tenant_analyst)",
  "leo@acme.example (tenant_lead)",
];
const PASSWORD = "tieout-demo";

export function announce({ env, local, webs }: Settings): void {
  const url = webs > 0 ? env.NEXTAUTH_URL : undefined;
  const mail = env.SMTP_URL ? undefined : env.MAIL_DIR;
  if (process.stdout.isTTY && url) {
    greet(url, mail, local);
    return;
  }
  log("info", "ready", {
    url,
    ...(mail && { mail }),
    ready_ms: Math.round(performance.now()),
    ...(local && { sign_in: SIGN_INS, password: PASSWORD }),
  });
}

/** Says in a terminal where the service is, and how to sign in. */
function greet(url: string, mail: string | undefined, local: boolean): void {
  const how = local
    ? ["", `Sign in with the password ${PASSWORD} as`, ...SIGN_INS.map((user) => `  ${user}`)]
    : [];
  if (mail) how.push("", `Mail is written to ${mail} (set SMTP_URL to send it).`);
  process.stdout.write(
    `\n${[`${PRODUCT} is ready: ${url}`, ...how].map((line) => `  ${line}`).join("\n")}\n\n`,
  );
}
