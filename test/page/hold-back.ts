import type { Page } from "playwright-core";

interface Held {
  /** From now on what the hub says waits; what the page says goes through. */
  hold(): void;
  /** All of it, in order, and what comes after it. */
  release(): void;
}

/** The page's sockets, with a hub that can be kept from being heard. Loads the page anew. */
export async function holdBack(page: Page): Promise<Held> {
  let isHeld = false;
  const waiting: (() => void)[] = [];
  await page.routeWebSocket(/^ws:/, (socket) => {
    const hub = socket.connectToServer();
    socket.onMessage((message) => hub.send(message));
    hub.onMessage((message) => {
      if (isHeld) waiting.push(() => socket.send(message));
      else socket.send(message);
    });
  });
  await page.reload();
  return {
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const send of waiting.splice(0)) send();
    },
  };
}
