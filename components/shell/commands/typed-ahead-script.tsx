import { headers } from "next/headers";
import { collectTypedAhead } from "./typed-ahead.ts";

/** The function as text, with the nonce that the page's policy asks of inline scripts. */
export async function TypedAheadScript() {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: our own function, verbatim
      dangerouslySetInnerHTML={{ __html: `(${collectTypedAhead})()` }}
    />
  );
}
