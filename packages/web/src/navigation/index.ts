export { ON_A_PHONE, PLACES, placeOf } from "./places.ts";
export { goTo, hrefOf, pairingCodeOf, route, routeNow, type ViewProps } from "./route.ts";
