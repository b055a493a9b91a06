/** More tabs than anybody keeps open. */
const MOST_TABS = 32;

/**
 * Which of this browser's tabs this is, from 1: held until the tab is closed or loaded anew. Each connects as a device of its own, since a
 * second connection of the same device would put the first one out; and by number, since the hub remembers every device that it ever saw.
 */
export async function takeSlot(): Promise<number> {
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
