import { dialog, goTo, inTurn, press, says, type View } from "./view.ts";

const CALENDARS = { path: "/:world/calendars", role: "tenant_admin" } as const;

const office = goTo("Frankfurt office", /calendars\/cal_/);

export const CALENDAR_VIEWS: View[] = [
  { name: "calendars", ...CALENDARS },
  { name: "calendars, empty", path: "/:empty/calendars", role: "tenant_admin" },
  { name: "calendars, empty for reading", path: "/:empty/calendars", role: "tenant_analyst" },
  { name: "a calendar", ...CALENDARS, arrange: inTurn(office, says("Version 2")) },
  {
    name: "a calendar for reading",
    ...CALENDARS,
    role: "tenant_analyst",
    arrange: inTurn(office, says("Version 2")),
  },
  { name: "a new calendar", ...CALENDARS, path: "/:empty/calendars/new" },
  {
    name: "a new calendar, refused",
    ...CALENDARS,
    path: "/:empty/calendars/new",
    role: "tenant_analyst",
  },
  {
    name: "a new calendar, incomplete",
    ...CALENDARS,
    path: "/:empty/calendars/new",
    arrange: inTurn(
      (page) => page.getByLabel("Monday, hours 1, to").fill("late"),
      press("Create calendar"),
      says("Enter a name."),
    ),
  },
  {
    name: "a calendar, its time zone",
    ...CALENDARS,
    path: "/:empty/calendars/new",
    arrange: inTurn(
      press(/^Time zone/),
      (page) => page.getByRole("combobox", { name: "Time zone" }).fill("tok"),
      says("Asia / Tokyo"),
    ),
  },
  {
    name: "a calendar, adding holidays",
    ...CALENDARS,
    arrange: inTurn(
      office,
      press("Add holidays"),
      (page) => dialog(page).getByLabel("Country").selectOption("DE"),
      (page) => dialog(page).getByText("Christmas Day").first().waitFor(),
    ),
  },
  {
    name: "a calendar, adding a day",
    ...CALENDARS,
    arrange: inTurn(
      office,
      press("Add a day"),
      (page) => dialog(page).getByText("Other hours").click(),
      press("Add day"),
      says("Choose a date."),
    ),
  },
  {
    name: "a calendar, importing ICS",
    ...CALENDARS,
    arrange: inTurn(
      office,
      press("Import ICS"),
      (page) =>
        dialog(page)
          .getByLabel("Choose a file")
          .setInputFiles({
            name: "company-holidays.ics",
            mimeType: "text/calendar",
            buffer: Buffer.from(
              [
                ...[
                  "BEGIN:VCALENDAR",
                  "VERSION:2.0",
                  "BEGIN:VEVENT",
                  "DTSTART;VALUE=DATE:20271224",
                  "SUMMARY:Christmas Eve",
                  "END:VEVENT",
                ],
                ...[
                  "BEGIN:VEVENT",
                  "DTSTART:20271224T090000Z",
                  "SUMMARY:Standup",
                  "END:VEVENT",
                  "END:VCALENDAR",
                  "",
                ],
              ].join("\r\n"),
            ),
          }),
      says(/1 event skipped/),
    ),
  },
  {
    name: "a calendar, reviewed",
    ...CALENDARS,
    arrange: inTurn(
      office,
      (page) => page.getByLabel("Monday, hours 1, to").fill("16:00"),
      press("Review changes"),
      (page) => dialog(page).getByText("Open ones, too").click(),
      (page) => dialog(page).getByRole("table").waitFor(),
    ),
  },
];
