export type { ViewProps } from "./route.ts";
export { goTo, hrefOf, pairingCodeOf, route, routeNow } from "./route.ts";
