/**
 * A person's preferences in this browser. Stored in cookies, so that the server's first paint is
 * already right.
 */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/**
 * `timeZone`: "UTC", or the IANA zone of the browser, which applies from sign-in until the user
 * chooses UTC. `singleKeys`: whether single-key shortcuts are on; speech input users may want them
 * off.
 */
export type Preferences = {
  theme: Theme;
  timeZone: string;
  singleKeys: boolean;
  board: BoardDisplay;
};

/** Display settings for lists of exceptions: `columns` replaces the default columns. */
export type BoardDisplay = { density: Density; columns: readonly string[] | null };
export const DENSITIES = ["comfortable", "compact"] as const;
export type Density = (typeof DENSITIES)[number];

export const THEME_COOKIE = "tieout.theme";
export const TIME_ZONE_COOKIE = "tieout.time-zone";
export const SINGLE_KEYS_COOKIE = "tieout.single-keys";

export const BOARD_COOKIE = "tieout.board";

const COLUMNS_MAX = 200;

/** `compact:due,money`; without a colon, the default columns. */
export function writeBoardDisplay({ density, columns }: BoardDisplay): string {
  return columns === null ? density : `${density}:${columns.join()}`;
}

function readBoardDisplay(written = ""): BoardDisplay {
  const [density, columns] = written.slice(0, COLUMNS_MAX).split(":", 2);
  return {
    density: DENSITIES.find((known) => known === density) ?? "comfortable",
    columns: columns === undefined ? null : columns.split(",").filter(Boolean),
  };
}

export function readPreferences(cookie: (name: string) => string | undefined): Preferences {
  const theme = THEMES.find((known) => known === cookie(THEME_COOKIE)) ?? "system";
  const timeZone = cookie(TIME_ZONE_COOKIE);
  return {
    theme,
    timeZone: timeZone && isTimeZone(timeZone) ? timeZone : "UTC",
    singleKeys: cookie(SINGLE_KEYS_COOKIE) !== "off",
    board: readBoardDisplay(cookie(BOARD_COOKIE)),
  };
}

function isTimeZone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
