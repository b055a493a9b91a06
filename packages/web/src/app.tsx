import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Credentials, forgetCredentials, HubContext, keepCredentials, PageHub } from "./hub/index.ts";
import { goTo, hrefOf, pairingCodeOf, route } from "./navigation/index.ts";
import { forgetPush } from "./notify/index.ts";
import { Shell } from "./shell/index.ts";
import { LoadSignIn } from "./sign-in/index.ts";

/** Signed in, the shell; else the way in. */
export function App({ known }: { known: Credentials | undefined }): VNode | null {
  const [device, setDevice] = useState(known);
  const [hub, setHub] = useState<PageHub>();
  const [told, setTold] = useState<string>();
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
    // First what matters most: the key.
    await forgetCredentials();
    await forgetPush().catch((cause: unknown) => console.warn("web-push could not be given up", cause));
    setTold(why);
    setDevice(undefined);
  };
  const hasLink = pairingCodeOf(route.value) !== undefined;
  if (device === undefined || hasLink) {
    return (
      <LoadSignIn
        told={told}
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

/** After the inbox is there. Without it, when the hub is away, the page still shows what it has. */
function notifyLater(hub: PageHub): Promise<(() => void) | undefined> {
  return import("./notify/start.ts").then(
    ({ startNotify }) => startNotify(hub),
    () => undefined,
  );
}

/** More tabs than anybody keeps open. */
const MOST_TABS = 32;

/**
 * Which of this browser's tabs this is, from 1: held until the tab is closed or loaded anew. Each connects as a device of its own, since a
 * second connection of the same device would put the first one out; and by number, since the hub remembers every device that it ever saw.
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
        // Never settled: the browser lets go of it when the tab ends.
        return lock === null ? undefined : new Promise<never>(() => undefined);
      })
      .catch(reject);
  });
}
