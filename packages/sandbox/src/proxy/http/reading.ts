import type { Socket } from "node:net";

/** What a socket isn't read on for: the other side's room, the gate, what was sent ahead, and the hashes of what passes. */
type Obstacle = "room" | "gate" | "ahead" | "hash";

/** Reads a socket on as long as nothing stands in the way: whoever is ready again speaks for itself alone. */
export class Reading {
  readonly #socket: Socket;
  readonly #obstacles = new Set<Obstacle>();

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  stop(obstacle: Obstacle): void {
    this.#obstacles.add(obstacle);
    this.#socket.pause();
  }

  goOn(obstacle: Obstacle): void {
    if (this.#obstacles.delete(obstacle) && this.#obstacles.size === 0) this.#socket.resume();
  }

  isStopped(obstacle: Obstacle): boolean {
    return this.#obstacles.has(obstacle);
  }

  /** Whatever stands in the way. */
  goOnAnyway(): void {
    this.#obstacles.clear();
    this.#socket.resume();
  }
}
