export { answerOrders } from "./answer-orders.ts";
export { AskedThread, type Failed, type Numbered } from "./asked-thread.ts";
