"use client";

import { useEffect, useState } from "react";

let linkToken = "";

/**
 * The token in the fragment of a mailed link, undefined until the page is awake. Taken out of the
 * address at once: neither the history nor who looks over a shoulder has it then.
 */
export function useLinkToken(): string | undefined {
  const [token, setToken] = useState<string>();
  useEffect(() => {
    const fragment = window.location.hash.slice(1);
    if (fragment) {
      linkToken = fragment;
      window.history.replaceState(null, "", window.location.pathname);
    }
    setToken(linkToken);
  }, []);
  return token;
}
