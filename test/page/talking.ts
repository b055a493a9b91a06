import type { Locator, Page } from "playwright-core";

/** Where a message to an agent is written. */
export function message(page: Page): Locator {
  return page.getByRole("textbox", { name: /^Message/ });
}

/** Writes and sends it, by keys. */
export async function say(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await sendTyped(page);
}

/** Sends what was typed, once that can be sent: before there's a connection, and until the last answer is over, Enter does nothing. */
export async function sendTyped(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send", disabled: false }).waitFor();
  await message(page).press("Enter");
}
