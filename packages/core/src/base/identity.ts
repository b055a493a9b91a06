import type { Role } from "@countersign/vocabulary";

/** Who is on the other side of a connection. */
export interface Identity {
  /** Owns sessions and proposals: a token's id, or `local` for the local socket. */
  readonly id: string;
  readonly role: Role;
  /** A person's or an agent's name, for cards and records. */
  readonly name: string;
  /** True when the door proves that it is the hub's own user on this machine. */
  readonly sameUser: boolean;
  /** Never waits for a person. */
  readonly unattended: boolean;
}

/** Whoever can open `run/hub.sock`: its mode lets in this user alone. */
export const LOCAL_AGENT: Identity = { id: "local", role: "agent", name: "local", sameUser: true, unattended: false };

/** An agent on this machine, as its hook or a command that we rewrote for it names it over the local socket. */
export function localAgent(agent: string): Identity {
  return { ...LOCAL_AGENT, id: `local:${agent}`, name: agent };
}
