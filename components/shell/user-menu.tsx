"use client";

import { BookOpen, ChevronsUpDown, Keyboard, ListChecks, LogOut, Monitor, MonitorSmartphone, Moon, Sun } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { signOut } from "#components/sign-in/auth-client.ts";
import { Menu, MenuChoice, MenuItem, MenuLink, MenuSeparator } from "#components/ui/menu.tsx";
import { allows, needs } from "#lib/wire/access.ts";
import { bringToFront } from "./commands/front.ts";
import { Initials } from "./initials.tsx";
import { type Member, roleNames } from "./member.ts";
import { usePreferences } from "./preferences-provider.tsx";

// Few open it: it is no part of every page.
const SessionsDialog = dynamic(() => import("#components/sign-in/sessions-dialog.tsx").then((part) => part.SessionsDialog), { ssr: false });

export function UserMenu({ member, tenantId }: { member: Member; tenantId: string }) {
  const [showsSessions, setShowsSessions] = useState(false);
  return (
    <>
      <Menu
        label="Account and preferences"
        triggerClass="flex min-h-11 w-full items-center gap-2.5 rounded-md px-2 text-left transition-colors duration-100 hover:bg-hover aria-expanded:bg-hover"
        trigger={
          <>
            <Initials name={member.name} />
            <span className="min-w-0 flex-1">
              <span className="sr-only">Account and preferences of</span> <span className="block truncate font-medium">{member.name}</span>{" "}
              <span className="block truncate text-xs leading-4 text-muted">{roleNames(member.roles)}</span>
            </span>
            <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
          </>
        }
      >
        <Choices />
        <MenuSeparator />
        {allows(needs("read:first-steps"), { type: "user", roles: member.roles }) && (
          <MenuItem onClick={() => bringToFront("first-steps")}>
            <ListChecks aria-hidden className="size-4 text-muted" />
            First steps
          </MenuItem>
        )}
        <MenuItem onClick={() => bringToFront("shortcuts")}>
          <Keyboard aria-hidden className="size-4 text-muted" />
          Keyboard shortcuts
        </MenuItem>
        <MenuLink href="/docs" prefetch={false}>
          <BookOpen aria-hidden className="size-4 text-muted" />
          Documentation
        </MenuLink>
        <MenuItem onClick={() => setShowsSessions(true)}>
          <MonitorSmartphone aria-hidden className="size-4 text-muted" />
          Your sessions
        </MenuItem>
        <MenuItem onClick={signOut}>
          <LogOut aria-hidden className="size-4 text-muted" />
          Sign out
        </MenuItem>
      </Menu>
      {showsSessions && <SessionsDialog tenantId={tenantId} onClose={() => setShowsSessions(false)} />}
    </>
  );
}

const THEMES = [
  { value: "system", name: "As the system", icon: Monitor },
  { value: "light", name: "Light", icon: Sun },
  { value: "dark", name: "Dark", icon: Moon },
] as const;

function Choices() {
  const { theme, timeZone, setTheme, setTimeZone } = usePreferences();
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
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
          ...(local === "UTC" ? [] : [{ value: local, label: `Local, ${local.replaceAll("_", " ")}` }]),
        ]}
      />
    </>
  );
}
