import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { NotificationSettings, putNotificationSettingsContract } from "./contract.ts";
import { hasSupabaseAccount } from "./get-notification-settings.ts";

type Input = z.output<NonNullable<typeof putNotificationSettingsContract.body>>;

export async function putNotificationSettings(
  ctx: Context,
  settings: Input,
): Promise<NotificationSettings> {
  return tagged(
    ctx,
    await write<NotificationSettings>(ctx, "put_notification_settings", {
      settings,
      is_account: hasSupabaseAccount(ctx),
    }),
  );
}
