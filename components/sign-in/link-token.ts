"use client";

import { useEffect, useState } from "react";

let linkToken = "";

/**
 * The token in the fragment of a mailed link, undefined until hydration. It is removed from the URL
 * at once, so that neither the history nor an onlooker has it.
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
