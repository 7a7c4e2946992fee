import type { Break } from "../break.ts";

const WALK = "e2e/ui/walk.spec.ts";
const DESIGN = "e2e/ui/design.spec.ts";

/** What users see, reach and lose. */
export const PAGES: Break[] = [
  {
    name: "contrast-lowered",
    is: "muted text is too pale in light",
    how: {
      file: "app/globals.css",
      replace: "--color-muted: light-dark(#5a5c66, #a3a6b0);",
      by: "--color-muted: light-dark(#9a9ca6, #a3a6b0);",
    },
    caught: { file: WALK, name: "reconciliations, empty" },
  },
  {
    name: "contrast-lowered-in-dark",
    is: "a note is too pale in dark",
    how: {
      file: "app/globals.css",
      replace: "--color-accent-text: light-dark(#2a4fc4, #97b0ff);",
      by: "--color-accent-text: light-dark(#2a4fc4, #3a4a8a);",
    },
    caught: { file: WALK, name: "docs, errors" },
  },
  {
    name: "panel-without-a-name",
    is: "a panel is announced as nothing",
    how: { file: "components/ui/side-panel.tsx", replace: "      aria-label={label}\n", by: "" },
    caught: { file: WALK, name: "design, a panel" },
  },
  {
    name: "wider-than-a-phone",
    is: "a page scrolls sideways on a phone",
    how: {
      file: "components/kit/page.tsx",
      replace: '<header className="px-4',
      by: '<header className="min-w-[30rem] px-4',
    },
    caught: { file: WALK, name: "integrations, empty" },
  },
  {
    name: "console-complains",
    is: "a page logs an error in the browser",
    how: {
      file: "components/ui/segmented.tsx",
      replace: "  return (\n    <fieldset",
      by: '  if (typeof window !== "undefined") console.error("broken");\n  return (\n    <fieldset',
    },
    caught: { file: WALK, name: "bin, empty" },
  },
  {
    name: "focus-lost",
    is: "a dialog that closes leaves the focus nowhere",
    how: {
      file: "components/ui/dialog.tsx",
      replace:
        "      shown?.close();\n      // Hidden elements keep focus until the next frame.\n      if (document.activeElement === document.body || shown?.contains(document.activeElement))\n        restoreFocus();",
      by: "      void restoreFocus;",
    },
    caught: {
      file: DESIGN,
      name: "a dialog focuses its first field, traps the focus, and returns it on Escape",
    },
  },
  {
    name: "menu-without-arrows",
    is: "a menu cannot be walked around",
    how: {
      file: "components/ui/menu-keys.ts",
      replace: "return items[(at + 1) % items.length];",
      by: "return items[at + 1];",
    },
    caught: {
      file: DESIGN,
      name: "a menu is used by arrow keys and letters, and Escape returns the focus",
    },
  },
  {
    name: "nowhere-to-skip-to",
    is: "the first stop of the keyboard leads nowhere",
    how: {
      file: "components/shell/app-shell.tsx",
      replace: 'href="#content"',
      by: 'href="#contents"',
    },
    caught: {
      file: "e2e/ui/shell.spec.ts",
      name: "the first stop of the keyboard leads past the navigation",
    },
  },
  {
    name: "board-scrolls-for-ever",
    is: "the browser scrolls against the rows that are not rendered",
    how: {
      file: "components/kit/use-virtual-rows.ts",
      replace: 'overflowAnchor: "none"',
      by: 'overflowAnchor: "auto"',
    },
    caught: {
      file: "e2e/ui/board.spec.ts",
      name: "the rows are one tab stop, and keep the focus when a focused row disappears",
    },
  },
  {
    name: "focus-gone-with-an-empty-list",
    is: "the focus goes nowhere when an empty list is no longer empty",
    how: {
      file: "components/ui/keep-focus.tsx",
      replace: "controls.contains(document.activeElement)",
      by: "false",
    },
    caught: {
      file: "e2e/ui/api-keys/keyboard.spec.ts",
      name: "by keyboard alone: sign in, create, store the secret, rotate and revoke",
    },
  },
  {
    name: "live-log-moves",
    is: "what a read under way brings moves the rows below the pointer",
    how: {
      file: "components/requests/requests-page.tsx",
      replace: "first > 0 ?",
      by: "first > 1e9 ?",
    },
    caught: {
      file: "e2e/ui/requests.spec.ts",
      name: "while it is live, no request moves under the pointer",
    },
  },
  {
    name: "secret-closed-over",
    is: "a secret goes before it is stored",
    how: {
      file: "components/api-keys/revealed-key.tsx",
      replace: "held={!stored}",
      by: "held={false}",
    },
    caught: {
      file: "e2e/ui/api-keys/creating.spec.ts",
      name: "the secret stays until it is stored, however one tries to leave",
    },
  },
  {
    name: "two-clicks-are-two",
    is: "a double click asks twice",
    how: {
      file: "components/kit/use-form.ts",
      replace: "      send(sent, key).finally(() => {",
      by: "      send(sent, key && crypto.randomUUID()).finally(() => {",
    },
    caught: {
      file: "e2e/ui/webhooks/registering.spec.ts",
      name: "a retry after a lost response and a double click each create one webhook",
    },
  },
  {
    name: "asks-while-hidden",
    is: "the board asks on in a tab that nobody looks at",
    how: {
      file: "components/kit/query.ts",
      replace: "    placeholderData: keepPreviousData,\n    refetchInterval:",
      by: "    placeholderData: keepPreviousData,\n    refetchIntervalInBackground: true,\n    refetchInterval:",
    },
    caught: {
      file: "e2e/ui/board-live.spec.ts",
      name: "pauses while its tab is hidden, and catches up when it is shown",
    },
  },
  {
    name: "browsers-clock-believed",
    is: "deadlines go by the browser's clock",
    how: {
      file: "components/ui/server-clock.ts",
      replace: "offsetMs = Date.parse(asOf) - performance.now();",
      by: "offsetMs = asOf ? Date.now() - performance.now() : 0;",
    },
    caught: {
      file: "e2e/ui/board-live.spec.ts",
      name: "counts time by the server's clock, even if the browser's is wrong",
    },
  },
  {
    name: "unsaved-lost",
    is: "a panel closes over what was typed",
    how: {
      file: "components/ui/use-unsaved-warning.ts",
      replace: "(leadsAway(event) || closesPanel(event)) && ask(event)",
      by: "leadsAway(event) && ask(event)",
    },
    caught: {
      file: "e2e/ui/records.spec.ts",
      name: "a panel asks before it closes over what was typed, and not without",
    },
  },
  {
    name: "refusal-not-taken-back",
    is: "what the server refused stays on the screen",
    how: {
      file: "components/exceptions/use-update-exception.ts",
      replace:
        "        cache.setQueryData(keyOf(id), before.exception);\n        for (const [key, board] of before.boards) cache.setQueryData(key, board);\n",
      by: "      void before;\n",
    },
    caught: {
      file: "e2e/ui/exception.spec.ts",
      name: "a change that the server refuses is rolled back",
    },
  },
  {
    name: "markdown-loads-pictures",
    is: "an image in a user's text is loaded from another host",
    how: {
      file: "components/records/updates/markdown.tsx",
      replace: ' disallowedElements={["img"]}',
      by: "",
    },
    caught: {
      file: "e2e/ui/updates.spec.ts",
      name: "Markdown from users runs no scripts and loads nothing",
    },
  },
];
