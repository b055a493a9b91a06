export { NEVER_NAMES } from "./address-ranges.ts";
export { checkFound } from "./check-found.ts";
export { type Dialer, systemDialer } from "./dialer.ts";
export { type Host, readAuthority, readHost, showAuthority } from "./host.ts";
