import { answerOrders } from "@countersign/core/worker";
import { posixSpawn } from "@countersign/native";
import type { StartOrder } from "./privileged-starter.ts";
import { ContextChanger, ContextLost } from "./start-context.ts";

// Before anything else: the thread that can't says so by ending.
const taker = new ContextChanger();

answerOrders(
  ({ request, context }: StartOrder) => taker.inContext(context, () => posixSpawn(request)),
  // Whatever it started dies with it.
  { endsIt: (cause) => cause instanceof ContextLost },
);
