import { classes } from "#components/ui/classes.ts";

/** Bidirectional control characters, which could disguise text. */
const DIRECTION = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/** Untrusted text: no markup, and invisible characters are spelled out. */
export function InertText({
  label,
  text,
  wraps = true,
  className,
}: {
  label: string;
  text: string;
  wraps?: boolean;
  className?: string;
}) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className={classes(
        "max-h-96 overflow-auto rounded-md border border-line bg-canvas p-3",
        className,
      )}
    >
      <pre
        className={classes(
          "font-mono text-xs leading-5",
          wraps && "whitespace-pre-wrap wrap-anywhere",
        )}
      >
        {text.replace(DIRECTION, escaped)}
      </pre>
    </section>
  );
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
