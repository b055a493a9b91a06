import type { Page } from "playwright-core";

/** As one whose token was pasted: without a key, which neither figures nor pictures need. */
export async function comeIn(page: Page, url: string, device: { token: string; name: string }): Promise<void> {
  await page.goto(`${url}/icon.svg`);
  await page.evaluate(({ token, name }) => {
    return new Promise<void>((resolve, reject) => {
      const request = indexedDB.open("countersign", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("device");
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const transaction = request.result.transaction("device", "readwrite");
        transaction.objectStore("device").put({ token, deviceId: crypto.randomUUID(), name }, "this");
        transaction.oncomplete = () => {
          request.result.close();
          resolve();
        };
      };
    });
  }, device);
  await page.goto(`${url}/#/inbox`);
  await page.getByText("● live").waitFor();
}
