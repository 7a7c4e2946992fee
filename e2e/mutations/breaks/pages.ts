import type { Break } from "../break.ts";

const WALK = "e2e/ui/walk.spec.ts";
const DESIGN = "e2e/ui/design.spec.ts";

/** What users see, reach and lose. */
export const PAGES: Break[] = [
  {
    name: "contrast-lowered",
    effect: "muted text is too pale in light",
    patch: {
      file: "app/globals.css",
      replace: "--color-muted: light-dark(#5a5c66, #a3a6b0);",
      by: "--color-muted: light-dark(#9a9ca6, #a3a6b0);",
    },
    killedBy: { file: WALK, name: "reconciliations, empty" },
  },
  {
    name: "contrast-lowered-in-dark",
    effect: "a note is too pale in dark",
    patch: {
      file: "app/globals.css",
      replace: "--color-accent-text: light-dark(#2a4fc4, #97b0ff);",
      by: "--color-accent-text: light-dark(#2a4fc4, #3a4a8a);",
    },
    killedBy: { file: WALK, name: "docs, errors" },
  },
  {
    name: "panel-without-a-name",
    effect: "a panel is announced as nothing",
    patch: { file: "components/ui/side-panel.tsx", replace: "      aria-label={label}\n", by: "" },
    killedBy: {
      file: DESIGN,
      name: "a panel closes by Escape or a click outside, and returns the focus",
    },
  },
  {
    name: "wider-than-a-phone",
    effect: "a page scrolls sideways on a phone",
    patch: {
      file: "components/kit/page.tsx",
      replace: '<header className="px-4',
      by: '<header className="min-w-[30rem] px-4',
    },
    killedBy: { file: WALK, name: "integrations, empty" },
  },
  {
    name: "console-complains",
    effect: "a page logs an error in the browser",
    patch: {
      file: "components/ui/segmented.tsx",
      replace: "  return (\n    <fieldset",
      by: '  if (typeof window !== "undefined") console.error("broken");\n  return (\n    <fieldset',
    },
    killedBy: { file: WALK, name: "bin, empty" },
  },
  {
    name: "focus-lost",
    effect: "a dialog that closes leaves the focus nowhere",
    patch: {
      file: "components/ui/dialog.tsx",
      replace:
        "      element?.close();\n      // Hidden elements keep focus until the next frame.\n      if (document.activeElement === document.body || element?.contains(document.activeElement))\n        restoreFocus();",
      by: "      void restoreFocus;",
    },
    killedBy: {
      file: DESIGN,
      name: "a dialog focuses its first field, traps the focus, and returns it when it closes",
    },
  },
  {
    name: "menu-without-arrows",
    effect: "a menu cannot be walked around",
    patch: {
      file: "components/ui/menu-keys.ts",
      replace: "return items[(at + 1) % items.length];",
      by: "return items[at + 1];",
    },
    killedBy: {
      file: DESIGN,
      name: "a menu is used by arrow keys and letters, and Escape returns the focus",
    },
  },
  {
    name: "nowhere-to-skip-to",
    effect: "the first stop of the keyboard leads nowhere",
    patch: {
      file: "components/shell/app-shell.tsx",
      replace: 'href="#content"',
      by: 'href="#contents"',
    },
    killedBy: {
      file: "e2e/ui/shell.spec.ts",
      name: "the first tab stop skips the navigation",
    },
  },
  {
    name: "focus-gone-with-an-empty-list",
    effect: "the focus goes nowhere when an empty list is no longer empty",
    patch: {
      file: "components/ui/keep-focus.tsx",
      replace: "controls.contains(document.activeElement)",
      by: "false",
    },
    killedBy: {
      file: "e2e/ui/api-keys/keyboard.spec.ts",
      name: "by keyboard alone: sign in, create, store the secret, rotate and revoke",
    },
  },
  {
    name: "live-log-moves",
    effect: "what a read under way brings moves the rows below the pointer",
    patch: {
      file: "components/requests/requests-page.tsx",
      replace: "first > 0 ?",
      by: "first > 1e9 ?",
    },
    killedBy: {
      file: "e2e/ui/requests.spec.ts",
      name: "in the live log, no request moves under the pointer",
    },
  },
  {
    name: "secret-closed-over",
    effect: "a secret goes before it is stored",
    patch: {
      file: "components/api-keys/revealed-key.tsx",
      replace: "keepsOpen={!stored}",
      by: "keepsOpen={false}",
    },
    killedBy: {
      file: "e2e/ui/api-keys/creating.spec.ts",
      name: "a new secret's dialog can't be closed before the secret is stored",
    },
  },
  {
    name: "two-clicks-are-two",
    effect: "a double click asks twice",
    patch: {
      file: "components/kit/use-form.ts",
      replace: "      send(sent, key).finally(() => {",
      by: "      send(sent, key && crypto.randomUUID()).finally(() => {",
    },
    killedBy: {
      file: "e2e/ui/webhooks/registering.spec.ts",
      name: "a retry after a lost response and a double click each create one webhook",
    },
  },
  {
    name: "asks-while-hidden",
    effect: "the board asks on in a tab that nobody looks at",
    patch: {
      file: "components/exceptions/board/use-board-poll.ts",
      replace: "refetchIntervalInBackground: inBackground",
      by: "refetchIntervalInBackground: true",
    },
    killedBy: {
      file: "e2e/ui/board-live.spec.ts",
      name: "pauses while its tab is hidden, and catches up when it is shown",
    },
  },
  {
    name: "browsers-clock-believed",
    effect: "deadlines go by the browser's clock",
    patch: {
      file: "components/ui/server-clock.ts",
      replace: "offsetMs = Date.parse(asOf) - performance.now();",
      by: "offsetMs = asOf ? Date.now() - performance.now() : 0;",
    },
    killedBy: {
      file: "e2e/ui/board-live.spec.ts",
      name: "counts time by the server's clock, even if the browser's is wrong",
    },
  },
  {
    name: "unsaved-lost",
    effect: "a panel closes over what was typed",
    patch: {
      file: "components/ui/use-unsaved-warning.ts",
      replace: "(leadsAway(event) || closesPanel(event)) && confirmLeave(event)",
      by: "leadsAway(event) && confirmLeave(event)",
    },
    killedBy: {
      file: "e2e/ui/records.spec.ts",
      name: "a panel asks before it discards typed text, and otherwise closes at once",
    },
  },
  {
    name: "refusal-not-taken-back",
    effect: "what the server refused stays on the screen",
    patch: {
      file: "components/exceptions/use-update-exception.ts",
      replace:
        "        cache.setQueryData(keyOf(id), before.exception);\n        for (const [key, board] of before.boards) cache.setQueryData(key, board);\n",
      by: "      void before;\n",
    },
    killedBy: {
      file: "e2e/ui/exception.spec.ts",
      name: "a change that the server refuses is rolled back",
    },
  },
  {
    name: "markdown-loads-pictures",
    effect: "an image in a user's text is loaded from another host",
    patch: {
      file: "components/records/updates/markdown.tsx",
      replace: ' disallowedElements={["img"]}',
      by: "",
    },
    killedBy: {
      file: "e2e/ui/updates.spec.ts",
      name: "Markdown from users runs no scripts and loads nothing",
    },
  },
];
