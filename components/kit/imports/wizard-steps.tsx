"use client";

import { Check } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { classes } from "#components/ui/classes.ts";

/** The steps of an import, with the current one below. `file`: the name of the chosen file. */
export function WizardSteps({
  steps,
  current,
  file,
  children,
}: {
  steps: readonly string[];
  current: number;
  file: string | undefined;
  children: ReactNode;
}) {
  const heading = useFocusOf(`${current} ${file ?? ""}`);
  return (
    <div className="flex flex-col gap-6">
      <ol aria-label="Steps" className="flex flex-wrap gap-x-2 gap-y-1 text-sm">
        {steps.map((name, at) => (
          <li
            key={name}
            aria-current={at === current ? "step" : undefined}
            className={classes(
              "flex items-center gap-2 not-last:after:mx-1 not-last:after:h-px",
              "not-last:after:w-6 not-last:after:bg-field not-last:after:content-['']",
              "max-sm:not-last:after:w-2",
              at === current ? "font-medium text-ink" : "text-muted",
            )}
          >
            <span
              className={classes(
                "flex size-5 items-center justify-center rounded-full border text-xs tabular-nums",
                at < current
                  ? "border-accent bg-accent text-on-accent"
                  : at === current
                    ? "border-accent-text text-accent-text"
                    : "border-field",
              )}
            >
              {at < current ? (
                <Check aria-label="Done" className="size-3" strokeWidth={3} />
              ) : (
                at + 1
              )}
            </span>
            {name}
          </li>
        ))}
      </ol>
      <h2 ref={heading} tabIndex={-1} className="sr-only">
        {steps[current]}
      </h2>
      {children}
    </div>
  );
}

/**
 * Focuses the heading of each new step but the first, so that the keyboard and screen readers
 * follow.
 */
function useFocusOf(step: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    heading.current?.focus();
  }, [step]);
  return heading;
}
