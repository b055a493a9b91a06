import type { Clock, Limits, Log } from "@countersign/core/base";
import type { ChannelConfig, NotifyConfig } from "@countersign/core/config";
import {
  type Channel,
  Deliveries,
  findDesktop,
  type HttpChannel,
  openDesktop,
  openNtfy,
  openWebhook,
  SignedPoster,
} from "./channels/index.ts";

interface NamedChannel {
  readonly name: string;
  readonly config: ChannelConfig;
  readonly channel: HttpChannel;
}

/** The channels that `config.json` turns on. */
export interface Configured {
  readonly config: NotifyConfig;
  readonly bell: Channel | undefined;
  readonly desktop: { readonly channel: Channel | undefined } | { readonly problem: string };
  readonly channels: readonly NamedChannel[];
  /** Waits for the attempts that are under way; retries nothing. */
  finish(): Promise<void>;
  close(): void;
}

interface ConfiguredOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Log;
  readonly keysDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Base address of the page as people reach it. */
  readonly page: string | undefined;
  /** Rings where the hub runs in a terminal. */
  readonly bell: (() => void) | undefined;
}

export function openConfigured(config: NotifyConfig, options: ConfiguredOptions): Configured {
  const { clock, limits, log, keysDir, env, page, bell } = options;
  const poster = new SignedPoster({ keysDir, env, clock, timeoutMs: limits.notifyTimeoutMs });
  const channels = Object.entries(config.channels).map(([name, channel]) => {
    const deliveries = new Deliveries({ clock, limits, log, to: name, onlyNewest: channel.kind === "ntfy" });
    const opened =
      channel.kind === "webhook"
        ? openWebhook(name, channel, { deliveries, poster, clock, page })
        : openNtfy(name, channel, { deliveries, poster, clock, keysDir, env, page });
    return { name, config: channel, channel: opened };
  });
  const found = config.desktop.on ? findDesktop({ env }) : undefined;
  const shown =
    found && "program" in found ? openDesktop(found.program, config.desktop, { log, env, page }) : undefined;
  return {
    config,
    bell: config.bell && bell ? ringing(bell) : undefined,
    desktop: found && "problem" in found ? found : { channel: shown },
    channels,
    async finish() {
      await Promise.all(channels.map(({ channel }) => channel.deliveries.finish()));
    },
    close() {
      shown?.close();
      for (const { channel } of channels) channel.deliveries.close();
    },
  };
}

/** Rings only for alerts. A bell can't be withdrawn. */
function ringing(bell: () => void): Channel {
  return {
    raise: ({ alert }) => {
      if (alert) bell();
    },
    withdraw: () => undefined,
  };
}
