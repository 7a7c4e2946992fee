"use client";

import { Button } from "#components/ui/button.tsx";
import { signOut } from "./auth-client.ts";

export function SignOutButton() {
  return <Button onClick={signOut}>Sign out</Button>;
}
