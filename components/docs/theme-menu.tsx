"use client";

import { SunMoon } from "lucide-react";
import { THEMES, type Theme } from "#components/preferences/preferences.ts";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";

const NAMES: Record<Theme, string> = { system: "Match system", light: "Light", dark: "Dark" };

export function ThemeMenu() {
  const { theme, setTheme } = usePreferences();
  return (
    <Menu
      label="Theme"
      align="end"
      triggerClass={buttonClass({ variant: "ghost", size: "icon" })}
      trigger={<ThemeIcon />}
    >
      <MenuChoice
        label="Theme"
        value={theme}
        onChange={setTheme}
        options={THEMES.map((value) => ({ value, label: NAMES[value] }))}
      />
    </Menu>
  );
}

function ThemeIcon() {
  return (
    <>
      <SunMoon aria-hidden className="size-4" />
      <span className="sr-only">Theme</span>
    </>
  );
}
