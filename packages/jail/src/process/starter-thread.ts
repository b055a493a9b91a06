import { answerOrders } from "@countersign/core/worker";
import { posixSpawn } from "@countersign/native";
import { StanceLost, StanceTaker } from "./stance.ts";
import type { StartOrder } from "./starter.ts";

// Before anything else: the thread that can't says so by ending.
const taker = new StanceTaker();

answerOrders(
  ({ request, stance }: StartOrder) => taker.inStance(stance, () => posixSpawn(request)),
  // Whatever it started dies with it.
  { endsIt: (cause) => cause instanceof StanceLost },
);
