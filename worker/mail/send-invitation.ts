import type { Task } from "graphile-worker";
import { z } from "zod";
import { linkTokenHash, newLinkToken } from "#lib/accounts/link-token.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import type { Mailer } from "./mailer.ts";

const payload = z.object({ tenant_id: z.string(), invitation_id: z.string() });

type Mail = { email: string; tenant_name: string; invited_by: string };

/**
 * Creates the link and mails it. A retry creates a new link and revokes the previous one, which may
 * not have arrived.
 */
export function sendInvitation(mailer: Mailer, origin: string): Task {
  return async (job, { query }) => {
    const { tenant_id, invitation_id } = payload.parse(job);
    const token = newLinkToken();
    const begin = "select private.begin_invitation_mail($1, $2, $3) as mail";
    const { rows } = await query<{ mail: Mail | null }>(begin, [
      tenant_id,
      invitation_id,
      linkTokenHash(token),
    ]);
    const mail = rows[0]?.mail;
    if (!mail) return;
    const inviter = mail.invited_by.replace(/^user:/, "");
    await mailer.send({
      id: `${invitation_id}-${linkTokenHash(token).slice(0, 12)}`,
      to: mail.email,
      // Users choose their own names, so the subject doesn't contain the inviter's.
      subject: `Invitation to join ${mail.tenant_name} on ${PRODUCT}`,
      paragraphs: [
        `${inviter} invited you to join ${mail.tenant_name} on ${PRODUCT}, where teams ` +
          "reconcile their records and resolve exceptions before they are due.",
        "The link works once and expires in seven days.",
      ],
      action: { label: "Accept the invitation", url: `${origin}/sign-in/invitation#${token}` },
      footer:
        "If you weren't expecting this, you can ignore it. Nothing happens unless you accept.",
    });
    await query("select private.end_invitation_mail($1, $2)", [tenant_id, invitation_id]);
  };
}
