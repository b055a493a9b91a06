import type { Configured } from "./configured.ts";
import type { ChannelTier } from "./notifier.ts";
import type { Push } from "./push/index.ts";

/** A phone is called when nobody answered for so long. */
export const PHONE_AFTER_MS = 30_000;
/** From one tier on the desk to the next. */
const STEP_MS = 5_000;
/** One call for a burst; on a phone, which is looked at less often, a longer one. */
const BURST_MS = 10_000;
const PHONE_BURST_MS = 60_000;

interface Reachable {
  readonly bell: Configured["bell"];
  readonly desktop: Configured["desktop"];
  readonly channels: Configured["channels"];
  readonly push: Pick<Push, "has" | "channel">;
  /** A terminal rings already. */
  readonly watched: boolean;
}

/**
 * Who is called, in their order: the terminal, the desktop, the browser, each a step after the one before, so that the first that there is comes at
 * once; then the phone. Channels that config names have times of their own.
 */
export function tiersOf({ bell, desktop, channels, push, watched }: Reachable): ChannelTier[] {
  const near = [
    ...(bell && !watched ? [{ name: "bell", channel: bell }] : []),
    ...("channel" in desktop && desktop.channel ? [{ name: "desktop", channel: desktop.channel }] : []),
    ...(push.has("desk") ? [{ name: "browser", channel: push.channel("desk") }] : []),
  ];
  // A terminal that watches is the first tier, and rings by itself.
  const before = watched ? 1 : 0;
  const phone = { name: "phone", afterMs: PHONE_AFTER_MS, againMs: PHONE_BURST_MS };
  return [
    ...near.map((tier, index) => ({ ...tier, afterMs: (index + before) * STEP_MS, againMs: BURST_MS })),
    ...(push.has("phone") ? [{ ...phone, channel: push.channel("phone") }] : []),
    ...channels.map(({ name, config: { afterSeconds }, channel }) => {
      return { name: `channel:${name}`, afterMs: afterSeconds * 1_000, againMs: BURST_MS, channel };
    }),
  ];
}
