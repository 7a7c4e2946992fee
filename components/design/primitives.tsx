"use client";

import { CircleCheck, CircleDashed, Clock, Inbox, Info, OctagonX, Plus } from "lucide-react";
import { useState } from "react";
import { ApiProblem } from "#components/api-client.ts";
import { DataFields } from "#components/kit/data-fields.tsx";
import { PanelBody, PanelDock, PanelTitle } from "#components/kit/panel-parts.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { Badge, type Tone } from "#components/ui/badge.tsx";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/check-field.tsx";
import { CommandLine } from "#components/ui/command-line.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Dialog, DialogActions, DialogBody } from "#components/ui/dialog.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Keys } from "#components/ui/keys.tsx";
import { Menu, MenuChoice, MenuItem, MenuSeparator } from "#components/ui/menu.tsx";
import { Note } from "#components/ui/note.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { RadioGroup } from "#components/ui/radio-group.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { TextArea, TextField } from "#components/ui/text-field.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast, toastFailure } from "#components/ui/toast.ts";
import { EXAMPLE_ORIGIN, PRODUCT } from "#lib/wire/product.ts";
import { Sample, Section } from "./specimen.tsx";

const TONES: readonly { tone: Tone; icon: typeof Info }[] = [
  { tone: "neutral", icon: CircleDashed },
  { tone: "good", icon: CircleCheck },
  { tone: "info", icon: Info },
  { tone: "warning", icon: Clock },
  { tone: "danger", icon: OctagonX },
];

export function Primitives() {
  return (
    <>
      <Controls />
      <Fields />
      <Feedback />
      <Overlays />
      <States />
    </>
  );
}

function Controls() {
  const [view, setView] = useState("active");
  const [sort, setSort] = useState("time");
  return (
    <Section
      title="Controls"
      about="One primary action per page. Destructive actions are red where they're confirmed, not where they're offered."
    >
      <Sample name="Button">
        {(["primary", "secondary", "selected", "danger", "ghost"] as const).map((variant) => (
          <Button key={variant} variant={variant}>
            {variant}
          </Button>
        ))}
        <Button variant="primary" disabled>
          disabled
        </Button>
        <Button disabled>disabled</Button>
      </Sample>
      <Sample name="Button, small and as an icon">
        <Button size="sm">Small</Button>
        <Button size="sm" variant="primary">
          <Plus aria-hidden className="size-4" />
          With an icon
        </Button>
        <Button size="icon" variant="ghost" aria-label="Add">
          <Plus aria-hidden className="size-4" />
        </Button>
        <CopyButton text="copied" label="Copy" />
        <Keys keys={["⌘K"]} />
        <Keys keys={["g", "e"]} />
      </Sample>
      <div className="grid gap-6 sm:grid-cols-2">
        <Sample name="Segmented">
          <Segmented
            label="Show"
            value={view}
            onChange={setView}
            options={[
              { value: "active", label: "Active" },
              { value: "bin", label: "Bin" },
            ]}
          />
        </Sample>
        <Sample name="Menu">
          <Menu
            label="Sort by"
            trigger="Sort by"
            triggerClass="inline-flex h-8 items-center rounded-md border border-line bg-raised px-2.5 text-sm font-medium shadow-raised"
          >
            <MenuChoice
              label="Sort by"
              value={sort}
              onChange={setSort}
              options={[
                { value: "time", label: "Time left" },
                { value: "risk", label: "Risk" },
              ]}
            />
            <MenuSeparator />
            <MenuItem onClick={() => toast("Done")}>An action</MenuItem>
          </Menu>
        </Sample>
      </div>
    </Section>
  );
}

function Fields() {
  const [expiry, setExpiry] = useState("90");
  return (
    <Section
      title="Fields"
      about="A label above, a hint below. An error replaces the hint and says what to do."
    >
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField label="Name" placeholder="Nightly export" hint="The server that uses it." />
        <TextField
          label="With an error"
          defaultValue="10.0.0.256"
          error="“10.0.0.256” isn't an IP address or CIDR range."
        />
        <TextArea label="Description" rows={2} />
        <TextField label="Disabled" defaultValue="acme" disabled />
        <RadioGroup
          legend="Expiry"
          value={expiry}
          onChange={setExpiry}
          options={[
            { value: "30", label: "30 days" },
            { value: "90", label: "90 days" },
            { value: "never", label: "Never" },
          ]}
        />
        <div className="flex flex-col gap-2">
          <CheckField label="I've stored it" />
          <CheckField label="Published" defaultChecked />
          <CheckField label="Required" error="Select this to continue." />
        </div>
      </div>
    </Section>
  );
}

function Feedback() {
  return (
    <Section title="Feedback" about="Badges for a state, notes inside a form, and text to copy.">
      <Sample name="Badge">
        {TONES.map(({ tone, icon }) => (
          <Badge key={tone} tone={tone} icon={icon}>
            {tone}
          </Badge>
        ))}
      </Sample>
      <div className="grid gap-3 sm:grid-cols-3">
        <Note tone="info">Works only from 192.0.2.0/24.</Note>
        <Note tone="warning">This key works from anywhere.</Note>
        <Note tone="danger">3 calls used this key in the last 7 days.</Note>
      </div>
      <div className="grid gap-5 sm:grid-cols-2">
        <CommandLine text={`curl ${EXAMPLE_ORIGIN}/v1/me \\\n  -H "X-Tenant-Id: acme"`} />
        <DataFields
          label="Details"
          value={{ source_line: 118, booked: "2026-11-20", checks: { amount: true } }}
        />
      </div>
      <Sample name="Time">
        <Time iso="2026-11-20T09:30:00.000Z" />
      </Sample>
      <Disclosure title="More details">
        <p className="text-sm">Its content loads when it opens.</p>
      </Disclosure>
    </Section>
  );
}

function Overlays() {
  const [open, setOpen] = useState<"dialog" | "panel" | "docked">();
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Overlays"
      about="A dialog asks, a panel shows one item next to its list, a toast reports the result. Each returns focus when it closes."
    >
      <Sample name="Open one">
        <Button onClick={() => setOpen("dialog")}>Dialog</Button>
        <Button onClick={() => setOpen("panel")}>Panel</Button>
        <Button onClick={() => setOpen("docked")}>Docked panel</Button>
        <Button onClick={() => toast("Saved Bank feed")}>Toast</Button>
        <Button onClick={() => toastFailure("Couldn't save", `${PRODUCT} can't be reached.`)}>
          Failure toast
        </Button>
      </Sample>
      {open === "dialog" && (
        <Dialog
          title="Revoke Bank feed"
          description="The key stops working immediately."
          onClose={close}
        >
          <DialogBody>
            <TextField label="Reason" />
          </DialogBody>
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button variant="danger" onClick={close}>
              Revoke key
            </Button>
          </DialogActions>
        </Dialog>
      )}
      <SidePanel open={open === "panel"} onClose={close} side="right" label="A panel">
        <div className="flex flex-col gap-4 px-6 pb-6">
          <h2 className="text-xl font-semibold tracking-tight">Payout 4711 has no bank line</h2>
          <p>Details of the exception.</p>
        </div>
      </SidePanel>
      <SidePanel
        open={open === "docked"}
        onClose={close}
        side="right"
        label="A docked panel"
        docked
      >
        <PanelBody>
          <PanelTitle>Payout 4711 has no bank line</PanelTitle>
          <p>Where there is room, the page stays usable.</p>
        </PanelBody>
        <PanelDock>
          <Button size="sm" variant="primary" onClick={() => toast("Resolved")}>
            Resolve
          </Button>
        </PanelDock>
      </SidePanel>
    </Section>
  );
}

const PROBLEMS = [
  new ApiProblem(403, {
    code: "role_required",
    detail: "This requires the role tenant_admin. Ask a tenant admin.",
    request_id: "req_5f0c",
  }),
  new ApiProblem(500, {
    code: "internal",
    detail: "Something went wrong on our side. It has been logged.",
    request_id: "req_7a1d",
  }),
  new ApiProblem(0, { code: "unreachable", detail: "", request_id: null }),
];

function States() {
  return (
    <Section
      title="States"
      about="Loading has the shape of the content. An empty list offers one action and differs from a search without results. An error shows its request ID and what to do next."
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <div
          className="flex flex-col gap-3 rounded-lg border border-line p-4"
          role="status"
          aria-label="A skeleton"
        >
          <Skeleton className="h-4 w-2/5" />
          <Skeleton className="h-4 w-full" />
          <Skeleton className="h-4 w-3/4" />
        </div>
        <div className="rounded-lg border border-line">
          <Notice
            icon={Inbox}
            title="No API keys yet"
            action={<Button variant="primary">Create key</Button>}
          >
            An API key lets your servers call {PRODUCT} without a user signing in.
          </Notice>
        </div>
        {PROBLEMS.map((problem) => (
          <div key={problem.code} className="rounded-lg border border-line">
            <ProblemNotice error={problem} onRetry={() => toast("Tried again")} />
          </div>
        ))}
      </div>
    </Section>
  );
}
