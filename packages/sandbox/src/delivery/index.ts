export {
  Delivery,
  type DeliveryOptions,
  type DeliveryState,
  type FrameClient,
  openDelivery,
  openDeliveryBy,
} from "./delivery.ts";
export {
  type ExecdBinding,
  type ExecdCoverage,
  type ExecdFrame,
  type FrameSink,
  MOST_DROPS,
  type UntoldCall,
} from "./frame.ts";
export { DELIVERY_LIMITS, type DeliveryLimits } from "./limits.ts";
