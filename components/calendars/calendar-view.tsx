import { Card } from "#components/kit/card.tsx";
import { Fact, Facts } from "#components/kit/facts.tsx";
import { zoneName } from "#components/preferences/time-zone.ts";
import { type Calendar, WEEKDAYS } from "#lib/calendars/contract.ts";
import { DAY_NAMES, formatHours } from "./hours.ts";
import { SpecialDayList } from "./special-day-list.tsx";
import { ExportButton } from "./special-days-card.tsx";
import { YearPreview } from "./year-preview.tsx";

/** A calendar, read-only. */
export function CalendarView({ calendar, today }: { calendar: Calendar; today: string }) {
  return (
    <div className="grid gap-4 @5xl:grid-cols-2 @5xl:items-start">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Weekly hours" hint={`Local time in ${zoneName(calendar.time_zone)}`}>
          <Facts>
            {WEEKDAYS.map((day) => (
              <Fact key={day} name={DAY_NAMES[day]}>
                {formatHours(calendar.weekly.filter((item) => item.day === day))}
              </Fact>
            ))}
          </Facts>
        </Card>
        <Card
          title="Special days"
          aside={calendar.special_days.length > 0 && <ExportButton calendar={calendar} />}
        >
          <SpecialDayList days={calendar.special_days} today={today} />
        </Card>
      </div>
      <Card title="Next twelve months">
        <YearPreview hours={calendar} today={today} />
      </Card>
    </div>
  );
}
