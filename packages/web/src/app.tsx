import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Credentials, forgetCredentials, HubContext, keepCredentials, PageHub, takeSlot } from "./hub/index.ts";
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
