import type { Socket } from "node:net";
import type { Dialled, Target } from "./dial.ts";

/** Asks for a target on behalf of a client. Never rejects; a client gets one answer. */
export type Reach = (client: Socket, target: Target) => Promise<Dialled>;
