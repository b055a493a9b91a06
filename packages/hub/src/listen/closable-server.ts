import type { Server, Socket } from "node:net";

/** How long a connection may take to read its last answer. */
const LINGER_MS = 1_000;

/** A server that can be closed without cutting off the answers that are still under way. */
export interface ClosableServer {
  /** Takes no newcomers; resolves when the last connection has ended. */
  stopListening(): Promise<void>;
  /** Ends what is still connected: what was written is sent, then the connection is closed. */
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
      // After the turn in which the last answers were written.
      setImmediate(() => {
        for (const socket of connections) socket.end();
        setTimeout(() => {
          for (const socket of connections) socket.destroy();
        }, LINGER_MS).unref();
      });
    },
  };
}
