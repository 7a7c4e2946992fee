import type { Task } from "graphile-worker";
import { z } from "zod";
import { linkTokenHash, newLinkToken } from "#lib/accounts/link-token.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import type { Mailer } from "./mailer.ts";

const payload = z.object({ email: z.string() });

/**
 * Creates and mails the link if the address has an account. If the mail fails, the link is revoked
 * and the job retried.
 */
export function sendPasswordReset(mailer: Mailer, origin: string): Task {
  return async (job, { query }) => {
    const { email } = payload.parse(job);
    const token = newLinkToken();
    const tokenHash = linkTokenHash(token);
    const begin = "select private.begin_password_reset_mail($1, $2) as mail";
    const { rows } = await query<{ mail: { email: string } | null }>(begin, [email, tokenHash]);
    const mail = rows[0]?.mail;
    if (!mail) return;
    try {
      await mailer.send({
        id: `reset-${tokenHash.slice(0, 24)}`,
        to: mail.email,
        ...contentOf(`${origin}/sign-in/reset#${token}`),
      });
    } catch (error) {
      await query("select private.delete_password_reset($1)", [tokenHash]);
      throw error;
    }
  };
}

function contentOf(url: string) {
  return {
    subject: `Set a new password for ${PRODUCT}`,
    paragraphs: [
      `Someone, probably you, asked to set a new password for your account on ${PRODUCT}.`,
      "The link works once and expires in an hour. Setting a new password signs you out " +
        "everywhere.",
    ],
    action: { label: "Set a new password", url },
    footer: "If it wasn't you, you can ignore this email. Your password won't change.",
  };
}
