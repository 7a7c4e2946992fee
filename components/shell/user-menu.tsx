"use client";

import {
  BookOpen,
  ChevronsUpDown,
  CircleUser,
  Keyboard,
  ListChecks,
  LogOut,
  Monitor,
  MonitorSmartphone,
  Moon,
  Sun,
} from "lucide-react";
import { useMember } from "#components/kit/member.tsx";
import { may } from "#components/kit/permissions.ts";
import { roleNames } from "#components/kit/role-names.ts";
import { Initials } from "#components/people/initials.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { localTimeZone, zoneName } from "#components/preferences/time-zone.ts";
import { signOut } from "#components/sign-in/auth-client.ts";
import { Menu, MenuChoice, MenuItem, MenuLink, MenuSeparator } from "#components/ui/menu.tsx";
import { needs } from "#lib/wire/access.ts";
import { openOverlay } from "./commands/overlay.ts";

export function UserMenu() {
  const { name, roles, tenant } = useMember();
  return (
    <Menu
      label="Account and preferences"
      triggerClass="flex min-h-11 w-full items-center gap-2.5 rounded-md px-2 text-left transition-colors duration-100 hover:bg-hover aria-expanded:bg-hover"
      trigger={
        <>
          <Initials name={name} />
          <span className="min-w-0 flex-1">
            <span className="sr-only">Account and preferences of</span>{" "}
            <span className="block truncate font-medium">{name}</span>{" "}
            <span className="block truncate text-xs leading-4 text-muted">{roleNames(roles)}</span>
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
        </>
      }
    >
      <Choices />
      <MenuSeparator />
      {may(roles, needs("read:first-steps")) && (
        <MenuItem onClick={() => openOverlay.set("first-steps")}>
          <ListChecks aria-hidden className="size-4 text-muted" />
          First steps
        </MenuItem>
      )}
      <MenuItem onClick={() => openOverlay.set("shortcuts")}>
        <Keyboard aria-hidden className="size-4 text-muted" />
        Keyboard shortcuts
      </MenuItem>
      <MenuLink href="/docs" prefetch={false}>
        <BookOpen aria-hidden className="size-4 text-muted" />
        Documentation
      </MenuLink>
      <MenuLink href={`/${tenant.id}/profile`} prefetch={false}>
        <CircleUser aria-hidden className="size-4 text-muted" />
        Profile
      </MenuLink>
      <MenuItem onClick={() => openOverlay.set("sessions")}>
        <MonitorSmartphone aria-hidden className="size-4 text-muted" />
        Sessions
      </MenuItem>
      <MenuItem onClick={signOut}>
        <LogOut aria-hidden className="size-4 text-muted" />
        Sign out
      </MenuItem>
    </Menu>
  );
}

const THEMES = [
  { value: "system", name: "Match system", icon: Monitor },
  { value: "light", name: "Light", icon: Sun },
  { value: "dark", name: "Dark", icon: Moon },
] as const;

function Choices() {
  const { theme, timeZone, setTheme, setTimeZone } = usePreferences();
  const local = localTimeZone();
  return (
    <>
      <MenuChoice
        label="Theme"
        value={theme}
        onChange={setTheme}
        options={THEMES.map(({ value, name, icon: Icon }) => ({
          value,
          label: (
            <>
              <Icon aria-hidden className="size-4 text-muted" />
              {name}
            </>
          ),
        }))}
      />
      <MenuSeparator />
      <MenuChoice
        label="Times"
        value={timeZone}
        onChange={setTimeZone}
        options={[
          { value: "UTC", label: "UTC" },
          ...(local === "UTC" ? [] : [{ value: local, label: `Local, ${zoneName(local)}` }]),
        ]}
      />
    </>
  );
}
