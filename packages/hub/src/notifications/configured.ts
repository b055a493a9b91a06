import type { ChannelConfig, NotifyConfig } from "@countersign/core/config";
import {
  type Channel,
  findDesktop,
  type HttpChannel,
  type HttpChannelRooms,
  openDesktop,
  openNtfy,
  openWebhook,
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
  /** What is being sent is; nothing is tried again. */
  finish(): Promise<void>;
  close(): void;
}

type Rooms = HttpChannelRooms & { readonly bell: (() => void) | undefined };

export function openConfigured(config: NotifyConfig, rooms: Rooms): Configured {
  const { bell } = rooms;
  const channels = Object.entries(config.channels).map(([name, channel]) => {
    const opened = channel.kind === "webhook" ? openWebhook(name, channel, rooms) : openNtfy(name, channel, rooms);
    return { name, config: channel, channel: opened };
  });
  const found = config.desktop.on ? findDesktop(rooms) : undefined;
  const shown = found && "program" in found ? openDesktop(found.program, config.desktop, rooms) : undefined;
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

/** A bell can't be taken back. */
function ringing(bell: () => void): Channel {
  return {
    raise: ({ alert }) => {
      if (alert) bell();
    },
    withdraw: () => undefined,
  };
}
