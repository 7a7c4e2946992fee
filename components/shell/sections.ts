import { KeyRound, type LucideIcon, TimerReset } from "lucide-react";

/** The pages of a tenant, in the order of the navigation. */
export const SECTIONS: readonly { path: string; name: string; icon: LucideIcon }[] = [
  { path: "exceptions", name: "Exceptions", icon: TimerReset },
  { path: "api-keys", name: "API keys", icon: KeyRound },
];
