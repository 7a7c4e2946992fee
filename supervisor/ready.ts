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
    printGreeting(url, mail, local);
    return;
  }
  log("info", "ready", {
    url,
    ...(mail && { mail }),
    ready_ms: Math.round(performance.now()),
    ...(local && { sign_in: SIGN_INS, password: PASSWORD }),
  });
}

/** Prints the service's URL and the demonstration sign-ins to the terminal. */
function printGreeting(url: string, mail: string | undefined, local: boolean): void {
  const lines = local
    ? ["", `Sign in with the password ${PASSWORD} as`, ...SIGN_INS.map((user) => `  ${user}`)]
    : [];
  if (mail) lines.push("", `Mail is written to ${mail} (set SMTP_URL to send it).`);
  process.stdout.write(
    `\n${[`${PRODUCT} is ready: ${url}`, ...lines].map((line) => `  ${line}`).join("\n")}\n\n`,
  );
}
