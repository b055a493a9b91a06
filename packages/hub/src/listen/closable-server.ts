import type { Server, Socket } from "node:net";

/** How long a connection may take to read its last answer. */
const LINGER_MS = 1_000;

/** A server that can be closed without cutting off answers in progress. */
export interface ClosableServer {
  /** Accepts no new connections. Resolves when the last one has ended. */
  stopListening(): Promise<void>;
  /** Ends the remaining connections after everything written has been sent. */
  endConnections(): void;
}

export function closable(server: Server): ClosableServer {
  const connections = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  return {
    stopListening: () => new Promise((resolve) => server.close(() => resolve())),
    endConnections() {
      // After the turn of the event loop in which the last answers were written.
      setImmediate(() => {
        for (const socket of connections) socket.end();
        setTimeout(() => {
          for (const socket of connections) socket.destroy();
        }, LINGER_MS).unref();
      });
    },
  };
}
