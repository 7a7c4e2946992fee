import { supabaseIssuer } from "../auth/trust-anchors.ts";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { NotificationSettings } from "./contract.ts";

export async function getNotificationSettings(ctx: Context): Promise<NotificationSettings> {
  return tagged(
    ctx,
    await read<NotificationSettings>(ctx, "get_notification_settings", {
      is_account: hasSupabaseAccount(ctx),
    }),
  );
}

/** Whether the caller is a user of Supabase Auth. Other providers' users have no known address. */
export function hasSupabaseAccount({ principal }: Context): boolean {
  return principal.type === "user" && principal.issuer === supabaseIssuer();
}
