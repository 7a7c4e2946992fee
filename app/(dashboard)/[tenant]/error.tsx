"use client";

import { PageFailed } from "#components/ui/page-failed.tsx";

export default PageFailed;
