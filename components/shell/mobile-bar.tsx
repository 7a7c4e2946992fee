"use client";

import { Menu } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import type { FirstSteps } from "#lib/first-steps/contract.ts";
import { Brand } from "./brand.tsx";
import { SearchIconButton } from "./commands/search-button.tsx";
import { FirstStepsSlot } from "./first-steps-slot.tsx";
import type { Member, Tenant } from "./member.ts";
import { Navigation } from "./navigation.tsx";
import type { SurfaceLink } from "./sections.ts";
import { TenantSwitcher } from "./tenant-switcher.tsx";
import { UserMenu } from "./user-menu.tsx";

type Props = { tenant: Tenant; member: Member; surfaces: readonly SurfaceLink[]; firstSteps: FirstSteps | null };

/** The bar on top of narrow screens, whose button opens all navigation. */
export function MobileBar({ tenant, member, surfaces, firstSteps }: Props) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b border-line bg-canvas px-2 lg:hidden">
      <Button variant="ghost" size="touch" aria-label="Open navigation" aria-expanded={open} onClick={() => setOpen(true)}>
        <Menu aria-hidden className="size-5" />
      </Button>
      <Brand />
      <span className="ml-auto min-w-0 truncate text-sm text-muted">{tenant.name}</span>
      <SearchIconButton />
      <SidePanel open={open} onClose={close} side="left" label="Navigation" header={<Brand className="px-2" />}>
        <div className="flex grow flex-col gap-4 p-3">
          <TenantSwitcher tenant={tenant} tenants={member.tenants} />
          <Navigation tenantId={tenant.id} surfaces={surfaces} onNavigate={close} />
          <div className="mt-auto flex flex-col gap-2">
            {open && <FirstStepsSlot tenantId={tenant.id} initial={firstSteps} onGo={close} />}
            <UserMenu member={member} tenantId={tenant.id} />
          </div>
        </div>
      </SidePanel>
    </header>
  );
}
