import { FileText, LifeBuoy, type LucideIcon, Megaphone, Plug } from "lucide-react";

const ICONS: Record<string, LucideIcon> = {
  integrations: Plug,
  troubleshooting: LifeBuoy,
  "release-notes": Megaphone,
};

export function surfaceIcon(path: string): LucideIcon {
  return ICONS[path] ?? FileText;
}
