import type { DeliveryHealth, NotificationsView } from "@countersign/protocol/access";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { Button, VisibleText } from "../ui/index.ts";

interface OtherDevicesProps {
  view: NotificationsView;
  /** This device's id. */
  mine: string;
  isBusy: boolean;
  off(deviceId: string): void;
}

export function OtherDevices({ view, mine, isBusy, off }: OtherDevicesProps): VNode | null {
  const others = view.push.subscriptions.filter(({ deviceId }) => deviceId !== mine);
  if (others.length === 0) return null;
  return (
    <>
      <h3>Other devices</h3>
      <ul class="notify-list">
        {others.map((device) => (
          <li key={device.deviceId}>
            <span class="notify-name">
              <VisibleText text={device.name} />
            </span>
            <span class="quiet small">
              {device.place === "phone" ? `after ${view.phoneAfterSeconds} s` : "at once"} ·{" "}
              {new URL(device.service).hostname}
              <Health {...device} />
            </span>
            <Button
              disabled={isBusy}
              onClick={() => off(device.deviceId)}
              aria-label={`Turn off for ${visible(device.name)}`}
            >
              Turn off
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ChannelsProps {
  view: NotificationsView;
  isBusy: boolean;
  test(body: { channel: string }): void;
}

/** The channels of `config.json`, which are edited there. */
export function Channels({ view: { channels, desktop, bell }, isBusy, test }: ChannelsProps): VNode {
  return (
    <>
      <h3>From config.json</h3>
      <ul class="notify-list">
        {channels.map((channel) => (
          <li key={channel.name}>
            <span class="notify-name">{channel.name}</span>
            <span class="quiet small">
              {channel.kind} · {new URL(channel.origin).host} ·{" "}
              {channel.afterSeconds === 0 ? "at once" : `after ${channel.afterSeconds} s`}
              <Health {...channel} />
            </span>
            <Button
              disabled={isBusy}
              onClick={() => test({ channel: channel.name })}
              aria-label={`Send a test to ${visible(channel.name)}`}
            >
              Send a test
            </Button>
          </li>
        ))}
        <li>
          <span class="notify-name">Hub’s desktop</span>
          <span class="quiet small">{desktop.on ? "on" : (desktop.problem ?? "off")}</span>
        </li>
        <li>
          <span class="notify-name">Hub’s terminal bell</span>
          <span class="quiet small">{bell.on ? "on" : "off"}</span>
        </li>
      </ul>
      <p class="quiet small">
        Webhooks, ntfy, the desktop and the bell are set under <code>notify</code> in the hub’s <code>config.json</code>
        . A channel that is added there waits for your approval first.
      </p>
    </>
  );
}

function Health({ delivered, dropped, problem }: DeliveryHealth): VNode {
  return (
    <>
      {delivered > 0 && ` · ${delivered} delivered`}
      {dropped > 0 && ` · ${dropped} thrown away`}
      {problem && <span class="notify-problem"> · {problem}</span>}
    </>
  );
}
