export { goTo, hrefOf, pairingCodeOf, route, routeNow } from "./route.ts";
export type { ViewProps } from "./view-props.ts";
