import { PRODUCT } from "#lib/wire/product.ts";
import "./globals.css";
import type { Metadata } from "next";
import localFont from "next/font/local";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { readPreferences } from "#components/preferences/preferences.ts";
import { PreferencesProvider } from "#components/preferences/preferences-provider.tsx";

const inter = localFont({
  src: "../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-inter",
});

export const metadata: Metadata = {
  title: { default: PRODUCT, template: `%s · ${PRODUCT}` },
  description: "Reconciliations, exceptions and their deadlines.",
  robots: { index: false },
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const sent = await cookies();
  const preferences = readPreferences((name) => sent.get(name)?.value);
  return (
    <html lang="en" data-theme={preferences.theme} className={inter.variable}>
      <head>
        {/* Next's viewport would replace this tag on each page, and the browser would restyle the
            whole document each time. */}
        <meta name="color-scheme" content="light dark" />
      </head>
      <body>
        <PreferencesProvider initial={preferences}>{children}</PreferencesProvider>
      </body>
    </html>
  );
}
