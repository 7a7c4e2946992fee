import type { Task } from "graphile-worker";
import { z } from "zod";
import { linkTokenHash, newLinkToken } from "#lib/accounts/link-token.ts";
import type { Mailer } from "./mailer.ts";

const payload = z.object({ tenant_id: z.string(), invitation_id: z.string() });

type Mail = { email: string; tenant_name: string; invited_by: string };

/** Makes the link and mails it. A retry makes another: the one before, which may not have arrived, stops working. */
export function sendInvitation(mailer: Mailer, origin: string): Task {
  return async (given, { query }) => {
    const { tenant_id, invitation_id } = payload.parse(given);
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
      // A person chooses their name: it must not write the subject of a mail from us.
      subject: `Invitation to join ${mail.tenant_name} on Tieout`,
      paragraphs: [
        `${inviter} invited you to join ${mail.tenant_name} on Tieout, where teams reconcile their records and resolve exceptions before they are due.`,
        "The link works once and expires in seven days.",
      ],
      action: { label: "Accept the invitation", url: `${origin}/sign-in/invitation#${token}` },
      footer:
        "If you weren't expecting this, you can ignore it. Nothing happens unless you accept.",
    });
    await query("select private.end_invitation_mail($1, $2)", [tenant_id, invitation_id]);
  };
}
