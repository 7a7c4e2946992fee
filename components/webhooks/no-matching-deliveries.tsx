import { SearchX } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";

export function NoMatchingDeliveries({ onClear }: { onClear: () => void }) {
  return (
    <Notice
      icon={SearchX}
      title="No matching deliveries"
      action={<Button onClick={onClear}>Clear filters</Button>}
    >
      No deliveries from the last 30 days match these filters.
    </Notice>
  );
}
