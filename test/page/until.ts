const DEADLINE_MS = 90_000;
const PAUSE_MS = 10;

/** What `look` finds, once it finds something; after a long while, that there's no `what`. */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`There was no ${what} in ${DEADLINE_MS / 1_000} s.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
