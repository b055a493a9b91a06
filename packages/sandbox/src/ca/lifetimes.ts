const DAY_MS = 86_400_000;

/** How long certificates are good where nobody says otherwise. */
export const SANDBOX_MS = DAY_MS;
export const RELAY_MS = 397 * DAY_MS;
