import type { ReactNode } from "react";
import { Brand } from "#components/kit/brand.tsx";
import type { FirstSteps } from "#lib/first-steps/contract.ts";
import { Commands } from "./commands/commands.tsx";
import { SearchButton } from "./commands/search-button.tsx";
import { FirstStepsSlot } from "./first-steps-slot.tsx";
import { MobileBar } from "./mobile-bar.tsx";
import { Navigation } from "./navigation.tsx";
import { OfflineNotice } from "./offline-notice.tsx";
import type { SurfaceLink } from "./sections.ts";
import { TenantSwitcher } from "./tenant-switcher.tsx";
import { UserMenu } from "./user-menu.tsx";

type Props = {
  surfaces: readonly SurfaceLink[];
  firstSteps: FirstSteps | null;
  children: ReactNode;
};

export function AppShell({ surfaces, firstSteps, children }: Props) {
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[15rem_minmax(0,1fr)] print:block">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <MobileBar surfaces={surfaces} firstSteps={firstSteps} />
      <aside
        aria-label="Sidebar"
        className="sticky top-0 flex h-dvh flex-col gap-3 border-r border-line p-3 max-lg:hidden print:hidden"
      >
        <Brand className="h-9 px-2" />
        <TenantSwitcher />
        <SearchButton />
        {/* The items at the bottom stay visible, however low the window is. */}
        <div className="-m-1 min-h-0 flex-1 overflow-y-auto p-1">
          <Navigation surfaces={surfaces} />
        </div>
        <div className="flex shrink-0 flex-col gap-2">
          <FirstStepsSlot initial={firstSteps} />
          <UserMenu />
        </div>
      </aside>
      <main
        id="content"
        tabIndex={-1}
        className="min-h-[calc(100dvh-3.5rem)] bg-surface outline-none lg:min-h-dvh"
      >
        {children}
      </main>
      <OfflineNotice />
      <Commands surfaces={surfaces} />
    </div>
  );
}
