import type { Metadata } from "next";
import { unstable_rethrow } from "next/navigation";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { NotificationCard } from "#components/alerts/notification-card.tsx";
import { notificationSettings } from "#components/alerts/queries.ts";
import { ProfilePage } from "#components/sign-in/profile-page.tsx";
import { accountEmail } from "#lib/accounts/change-password.ts";
import { PASSWORD } from "#lib/accounts/contract.ts";
import { getNotificationSettings } from "#lib/alerts/get-notification-settings.ts";
import { requireUser } from "#lib/auth/page-context.ts";

export const metadata: Metadata = { title: "Profile" };

type Props = { params: Promise<{ tenant: string }> };

export default async function Profile({ params }: Props) {
  const { tenant } = await params;
  return (
    <Prefetched
      reads={[prefetch(notificationSettings(tenant), ({ ctx }) => getNotificationSettings(ctx))]}
    >
      <ProfilePage email={await addressOfReader()} passwordMin={PASSWORD.min}>
        <NotificationCard />
      </ProfilePage>
    </Prefetched>
  );
}

/** Null if another identity provider manages the account. */
async function addressOfReader(): Promise<string | null> {
  return accountEmail(await requireUser()).catch((error) => {
    unstable_rethrow(error);
    return null;
  });
}
