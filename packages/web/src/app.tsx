import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Credentials, forgetCredentials, HubContext, keepCredentials, PageHub } from "./hub/index.ts";
import { goTo, hrefOf, pairingCodeOf, route } from "./navigation/index.ts";
import { forgetPush } from "./notify/index.ts";
import { Shell } from "./shell/index.ts";
import { LoadSignIn } from "./sign-in/index.ts";

/** The shell if this browser is signed in; otherwise the sign-in page. */
export function App({ known }: { known: Credentials | undefined }): VNode | null {
  const [device, setDevice] = useState(known);
  const [hub, setHub] = useState<PageHub>();
  const [reason, setReason] = useState<string>();
  useEffect(() => {
    if (device === undefined) return;
    let opened: PageHub | undefined;
    let isOver = false;
    let notifying: Promise<(() => void) | undefined> | undefined;
    (async () => {
      const slot = await takeSlot();
      if (isOver) return;
      opened = new PageHub(device, slot);
      setHub(opened);
      notifying = notifyLater(opened);
      await opened.open();
    })();
    return () => {
      isOver = true;
      notifying?.then((stop) => stop?.());
      opened?.close();
      setHub(undefined);
    };
  }, [device]);
  const signOut = async (why?: string) => {
    // Deletes the key first: it matters most.
    await forgetCredentials();
    await forgetPush().catch((cause: unknown) => console.warn("web-push could not be given up", cause));
    setReason(why);
    setDevice(undefined);
  };
  const hasLink = pairingCodeOf(route.value) !== undefined;
  if (device === undefined || hasLink) {
    return (
      <LoadSignIn
        reason={reason}
        known={device}
        onDevice={async (made) => {
          await keepCredentials(made);
          goTo(hrefOf("inbox"), { replace: true });
          setDevice(made);
        }}
      />
    );
  }
  if (hub === undefined) return null;
  return (
    <HubContext.Provider value={hub}>
      <Shell signOut={signOut} />
    </HubContext.Provider>
  );
}

/** Loads notifications after the inbox. If loading fails, because the hub is away, the page works without them. */
function notifyLater(hub: PageHub): Promise<(() => void) | undefined> {
  return import("./notify/start.ts").then(
    ({ startNotify }) => startNotify(hub),
    () => undefined,
  );
}

/** More tabs than anyone keeps open. */
const MOST_TABS = 32;

/**
 * Returns the number of this tab among the browser's tabs, from 1; the tab holds it until it is closed or reloaded. Each tab connects as a
 * device of its own, because a second connection of one device would replace the first. Numbers are reused, because the hub remembers every
 * device that it ever saw.
 */
async function takeSlot(): Promise<number> {
  for (let slot = 1; slot < MOST_TABS; slot++) if (await holds(slot)) return slot;
  return MOST_TABS;
}

function holds(slot: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`tab-${slot}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        // Never settles: the browser releases the lock when the tab is closed.
        return lock === null ? undefined : new Promise<never>(() => undefined);
      })
      .catch(reject);
  });
}
