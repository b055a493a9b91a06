import { randomUUID } from "node:crypto";
import type { Desk } from "./call.ts";
import { makeFrame } from "./frame-maker.ts";

/** A request that never got to execd, since two servers could read it in two ways. That somebody tried is worth a receipt. */
export function tellRefusal({ sink, voice }: Pick<Desk, "sink" | "voice">, reason: string): void {
  const name = "refused request";
  const route = { operation: "control", family: "/", name, parameters: {}, rawQuery: "", filesAt: "/files" } as const;
  const told = { route, actionType: "system.application.control", input: { route: name }, correlationId: randomUUID() };
  sink.emit(makeFrame(voice, { ...told, error: `refused by the proxy: ${reason}` }));
}
