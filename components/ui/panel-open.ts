import { createContext } from "react";

/** Whether the surrounding panel is open; true outside panels. */
export const PanelOpen = createContext(true);
