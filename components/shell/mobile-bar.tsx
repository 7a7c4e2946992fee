"use client";

import { Menu } from "lucide-react";
import { useState } from "react";
import { Brand } from "#components/kit/brand.tsx";
import { useMember } from "#components/kit/member.tsx";
import { SandboxMark } from "#components/kit/sandbox-mark.tsx";
import { Button } from "#components/ui/button.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import type { FirstSteps } from "#lib/first-steps/contract.ts";
import { SearchIconButton } from "./commands/search-button.tsx";
import { FirstStepsSlot } from "./first-steps-slot.tsx";
import { Navigation } from "./navigation.tsx";
import type { SurfaceLink } from "./sections.ts";
import { TenantSwitcher } from "./tenant-switcher.tsx";
import { UserMenu } from "./user-menu.tsx";

type Props = { surfaces: readonly SurfaceLink[]; firstSteps: FirstSteps | null };

/** The top bar of narrow screens; its button opens the navigation. */
export function MobileBar({ surfaces, firstSteps }: Props) {
  const { tenant } = useMember();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <header className="sticky top-0 z-30 flex h-14 short:static short:h-11 items-center gap-2 border-b border-line bg-canvas px-2 lg:hidden print:hidden">
      <Button
        variant="ghost"
        size="touch"
        aria-label="Open navigation"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Menu aria-hidden className="size-5" />
      </Button>
      <Brand />
      <span className="ml-auto min-w-0 truncate text-sm text-muted">{tenant.name}</span>
      <SandboxMark tenant={tenant.id} />
      <SearchIconButton />
      <SidePanel
        open={open}
        onClose={close}
        side="left"
        label="Navigation"
        header={<Brand className="px-2" />}
      >
        <div className="flex grow flex-col gap-4 p-3">
          <TenantSwitcher />
          <Navigation surfaces={surfaces} onNavigate={close} />
          <div className="mt-auto flex flex-col gap-2">
            {open && <FirstStepsSlot initial={firstSteps} onGo={close} />}
            <UserMenu />
          </div>
        </div>
      </SidePanel>
    </header>
  );
}
