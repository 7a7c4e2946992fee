"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import {
  BOARD_COOKIE,
  type BoardLook,
  type Preferences,
  SINGLE_KEYS_COOKIE,
  THEME_COOKIE,
  type Theme,
  TIME_ZONE_COOKIE,
  writeBoardLook,
} from "./preferences.ts";
import { writeCookie } from "./write-cookie.ts";

type Held = Preferences & {
  setTheme: (theme: Theme) => void;
  setTimeZone: (timeZone: string) => void;
  setSingleKeys: (on: boolean) => void;
  setBoard: (look: Partial<BoardLook>) => void;
};

const PreferencesContext = createContext<Held | null>(null);

export function PreferencesProvider({
  initial,
  children,
}: {
  initial: Preferences;
  children: ReactNode;
}) {
  const [preferences, setPreferences] = useState(initial);

  function setTheme(theme: Theme) {
    writeCookie(THEME_COOKIE, theme);
    document.documentElement.dataset.theme = theme;
    setPreferences((current) => ({ ...current, theme }));
  }

  function setTimeZone(timeZone: string) {
    writeCookie(TIME_ZONE_COOKIE, timeZone);
    setPreferences((current) => ({ ...current, timeZone }));
  }

  function setSingleKeys(singleKeys: boolean) {
    writeCookie(SINGLE_KEYS_COOKIE, singleKeys ? "on" : "off");
    setPreferences((current) => ({ ...current, singleKeys }));
  }

  function setBoard(look: Partial<BoardLook>) {
    const board = { ...preferences.board, ...look };
    writeCookie(BOARD_COOKIE, writeBoardLook(board));
    setPreferences((current) => ({ ...current, board }));
  }

  return (
    <PreferencesContext value={{ ...preferences, setTheme, setTimeZone, setSingleKeys, setBoard }}>
      {children}
    </PreferencesContext>
  );
}

export function usePreferences(): Held {
  const held = useContext(PreferencesContext);
  if (!held) throw new Error("usePreferences is used outside of PreferencesProvider.");
  return held;
}
