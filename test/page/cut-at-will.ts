import type { Page, WebSocketRoute } from "playwright-core";

interface Connections {
  cut(): void;
  mend(): Promise<void>;
}

/** From now on the page's sockets can be cut, and kept from coming back. Loads the page anew. */
export async function cutAtWill(page: Page): Promise<Connections> {
  const open = new Set<WebSocketRoute>();
  let isCut = false;
  await page.routeWebSocket(/^ws:/, (socket) => {
    if (isCut) return void socket.close({ code: 4999 });
    const hub = socket.connectToServer();
    open.add(socket);
    socket.onMessage((message) => hub.send(message));
    hub.onMessage((message) => socket.send(message));
    hub.onClose((code, reason) => {
      open.delete(socket);
      void socket.close({ ...(code === undefined ? {} : { code }), ...(reason === undefined ? {} : { reason }) });
    });
  });
  await page.reload();
  return {
    cut() {
      isCut = true;
      for (const socket of open) void socket.close({ code: 4999 });
      open.clear();
    },
    async mend() {
      isCut = false;
      await tryNow(page);
    },
  };
}

/** Pressed from within: the button goes as soon as the page has come back by itself. */
export async function tryNow(page: Page): Promise<void> {
  await page.evaluate(() => {
    const buttons = [...document.querySelectorAll("button")];
    buttons.find(({ textContent }) => textContent === "Try now")?.click();
  });
}
