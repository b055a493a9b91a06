import { CODE } from "./sdk-surface/code.ts";
import { COMMANDS } from "./sdk-surface/commands.ts";
import { FILES } from "./sdk-surface/files.ts";
import { HEALTH } from "./sdk-surface/health.ts";
import { ISOLATION } from "./sdk-surface/isolation.ts";
import { SESSIONS } from "./sdk-surface/sessions.ts";
import type { SurfaceStep } from "./sdk-surface/surface.ts";

export { ISOLATED_MOUNTS } from "./sdk-surface/isolated-mounts.ts";
export { Surface } from "./sdk-surface/surface.ts";

/** All that the official SDK does with an execd. */
export const SDK_SURFACE: readonly SurfaceStep[] = [
  ...HEALTH,
  ...COMMANDS,
  ...SESSIONS,
  ...CODE,
  ...FILES,
  ...ISOLATION,
];
