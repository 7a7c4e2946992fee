/** A worker thread that writes PDFs: one of 250 lines would block the event loop. */
import { serveTasks } from "../../runtime/serve-tasks.ts";
import type { PdfInput } from "./document.ts";
import { writePdf } from "./write-pdf.ts";

serveTasks((input: PdfInput) => writePdf(input));
