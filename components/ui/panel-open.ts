import { createContext } from "react";

/** Whether the panel around is open; outside of panels, true. */
export const PanelOpen = createContext(true);
