"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import {
  BOARD_COOKIE,
  type BoardDisplay,
  type Preferences,
  SINGLE_KEYS_COOKIE,
  THEME_COOKIE,
  type Theme,
  TIME_ZONE_COOKIE,
  writeBoardDisplay,
} from "./preferences.ts";
import { writeCookie } from "./write-cookie.ts";

type PreferencesState = Preferences & {
  setTheme: (theme: Theme) => void;
  setTimeZone: (timeZone: string) => void;
  setSingleKeys: (on: boolean) => void;
  setBoard: (display: Partial<BoardDisplay>) => void;
};

const PreferencesContext = createContext<PreferencesState | null>(null);

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

  function setBoard(display: Partial<BoardDisplay>) {
    const board = { ...preferences.board, ...display };
    writeCookie(BOARD_COOKIE, writeBoardDisplay(board));
    setPreferences((current) => ({ ...current, board }));
  }

  return (
    <PreferencesContext value={{ ...preferences, setTheme, setTimeZone, setSingleKeys, setBoard }}>
      {children}
    </PreferencesContext>
  );
}

export function usePreferences(): PreferencesState {
  const preferences = useContext(PreferencesContext);
  if (!preferences) throw new Error("usePreferences is used outside of PreferencesProvider.");
  return preferences;
}
