"use client";

import type { ComponentProps } from "react";
import { restoreFocus } from "./restore-focus.ts";

/**
 * If these controls are removed while they have the focus, the page in front gets it; otherwise the
 * next key would go nowhere.
 */
export function KeepFocus(props: ComponentProps<"div">) {
  return <div ref={leaveFocus} {...props} />;
}

// React detaches a ref while the element still has the focus.
function leaveFocus(controls: HTMLDivElement) {
  return () => {
    if (controls.contains(document.activeElement)) restoreFocus();
  };
}
