import { type NotificationsView, notificationsSchema, notificationTestedSchema } from "@countersign/protocol/access";
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { ApiError, useHub } from "../hub/index.ts";
import { changePush, isPhone, type PushWish, pushOf, turnOff, turnOn, whileOpen, whyNot } from "../notify/index.ts";
import { Button, Notice } from "../ui/index.ts";
import { Channels, OtherDevices } from "./other-devices.tsx";
import { useLoaded } from "./use-loaded.ts";
import "./notifications.css";

/** The settings of notifications: this device, other devices, and the channels of the hub's configuration. */
export function Notifications(): VNode {
  const hub = useHub();
  const { answer: view, problem, again } = useLoaded(notificationsSchema, "GET /api/v1/notifications");
  const [said, setSaid] = useState<{ kind: "note" | "problem"; text: string }>();
  const [isBusy, setBusy] = useState(false);
  /** Runs one action at a time, and shows its message or error below. */
  const attempt = async (work: () => Promise<string | undefined>) => {
    setBusy(true);
    setSaid(undefined);
    try {
      const text = await work();
      await again();
      if (text !== undefined) setSaid({ kind: "note", text });
    } catch (cause) {
      setSaid({ kind: "problem", text: cause instanceof Error ? cause.message : String(cause) });
      if (!(cause instanceof ApiError || cause instanceof DOMException)) throw cause;
    } finally {
      setBusy(false);
    }
  };
  const test = (body: { deviceId: string } | { channel: string }) =>
    attempt(async () => {
      const { delivered, problem } = await hub.api(notificationTestedSchema, "POST /api/v1/notifications/test", {
        body,
      });
      if (delivered) return "Sent. It should appear in a moment.";
      throw new ApiError("INTERNAL", `It couldn’t be delivered. ${problem ?? ""}`);
    });
  const off = (deviceId: string) =>
    attempt(async () => {
      await turnOff(hub, deviceId);
      return "Turned off.";
    });
  return (
    <section class="notifications" aria-labelledby="notifications-title">
      <h2 id="notifications-title">Notifications</h2>
      <p class="quiet">
        Notifications open an approval, and never answer one. Your phone is notified if nobody has answered for{" "}
        {view?.phoneAfterSeconds ?? 30} seconds. Nobody is notified while you look at this page.
      </p>
      {view && <ThisDevice view={view} isBusy={isBusy} attempt={attempt} test={test} off={off} />}
      {problem && <Notice kind="problem">{problem}</Notice>}
      {said && <Notice kind={said.kind}>{said.text}</Notice>}
      {view && <OtherDevices view={view} mine={hub.device.deviceId} isBusy={isBusy} off={off} />}
      {view && <Channels view={view} isBusy={isBusy} test={test} />}
    </section>
  );
}

interface ThisDeviceProps {
  view: NotificationsView;
  isBusy: boolean;
  attempt(work: () => Promise<string | undefined>): Promise<void>;
  test(body: { deviceId: string }): void;
  off(deviceId: string): void;
}

function ThisDevice({ view, isBusy, attempt, test, off }: ThisDeviceProps): VNode {
  const hub = useHub();
  const mine = pushOf(view, hub);
  const { publicKey } = view.push;
  if (mine !== undefined) {
    const { deviceId } = mine;
    const change = (wanted: PushWish) =>
      attempt(async () => {
        await changePush(hub, publicKey, wanted);
        return undefined;
      });
    return (
      <div class="notify-state">
        <p class="notify-line">
          <strong>On for this device.</strong> {mine.place === "phone" ? "It is called last." : "It is called at once."}
          {globalThis.Notification?.permission !== "granted" && (
            <span class="notify-problem">
              {" "}
              {whyNot() ?? "This browser no longer shows them; turn it off and on again."}
            </span>
          )}
          {mine.problem && <span class="notify-problem"> {mine.problem}</span>}
        </p>
        <HowTold mine={mine} change={change} seconds={view.phoneAfterSeconds} />
        <p class="notify-buttons">
          <Button disabled={isBusy} onClick={() => test({ deviceId })}>
            Send a test
          </Button>
          <Button kind="danger" disabled={isBusy} onClick={() => off(deviceId)}>
            Turn off
          </Button>
        </p>
      </div>
    );
  }
  if (whileOpen.value) {
    return (
      <div class="notify-state">
        <p>
          <strong>On while this page is open.</strong> This browser has no push service, so it can’t notify you when the
          page is closed.
        </p>
        <p class="notify-buttons">
          <Button
            kind="danger"
            disabled={isBusy}
            onClick={() => {
              whileOpen.value = false;
            }}
          >
            Turn off
          </Button>
        </p>
      </div>
    );
  }
  const why = whyNot();
  return (
    <div class="notify-state">
      <p>Off for this device.{why && ` ${why}`}</p>
      <p class="notify-buttons">
        <Button
          kind="main"
          disabled={isBusy || why !== undefined}
          onClick={() =>
            attempt(async () => {
              const place = isPhone() ? "phone" : "desk";
              const made = await turnOn(hub, publicKey, { place, showDangerous: false });
              if (made === "refused") return "Your browser is set to block notifications from this page.";
              whileOpen.value = made === "no-push";
              return undefined;
            })
          }
        >
          Turn on for this device
        </Button>
      </p>
    </div>
  );
}

interface HowToldProps {
  mine: PushWish;
  seconds: number;
  change(wanted: PushWish): Promise<void>;
}

const USUAL_HOURS = { from: "22:00", to: "07:00" };

/** Shows the new choice at once, and the hub's state when it has answered. The focus stays. */
function HowTold({ mine, seconds, change }: HowToldProps): VNode {
  const [wished, setWished] = useState<PushWish>();
  const turn = useRef(Promise.resolve());
  const { place, showDangerous, quiet } = wished ?? mine;
  const wish = (changed: Partial<PushWish>) => {
    const wanted = { place, showDangerous, quiet, ...changed };
    setWished(wanted);
    turn.current = turn.current
      .then(() => change(wanted))
      .finally(() => setWished((now) => (now === wanted ? undefined : now)));
  };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const hours = quiet ?? { ...USUAL_HOURS, timeZone };
  return (
    <fieldset class="notify-how">
      <legend class="heard">How this device is notified</legend>
      {(["desk", "phone"] as const).map((value) => (
        <label key={value}>
          <input type="radio" name="place" checked={place === value} onChange={() => wish({ place: value })} />
          {value === "desk" ? "At once: it stands on my desk" : `After ${seconds} seconds: it is my phone`}
        </label>
      ))}
      <label>
        <input
          type="checkbox"
          checked={showDangerous}
          onChange={({ currentTarget }) => wish({ showDangerous: currentTarget.checked })}
        />
        Show the text of dangerous commands, also on a locked screen
      </label>
      <label>
        <input
          type="checkbox"
          checked={quiet !== undefined}
          onChange={({ currentTarget }) => wish({ quiet: currentTarget.checked ? hours : undefined })}
        />
        Quiet hours
      </label>
      {quiet && (
        <p class="quiet-hours">
          {(["from", "to"] as const).map((end) => (
            <label key={end}>
              {end}
              <input
                type="time"
                value={quiet[end]}
                onChange={({ currentTarget }) => {
                  if (currentTarget.value !== "") wish({ quiet: { ...quiet, [end]: currentTarget.value } });
                }}
              />
            </label>
          ))}
          <span class="quiet small">{quiet.timeZone}</span>
        </p>
      )}
    </fieldset>
  );
}
