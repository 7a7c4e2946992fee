import type { Metadata } from "next";
import { NewCalendarPage } from "#components/calendars/calendar-page.tsx";

export const metadata: Metadata = { title: "New calendar" };

export default function Page() {
  return <NewCalendarPage today={new Date().toISOString().slice(0, 10)} />;
}
