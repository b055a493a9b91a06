import { EnvelopeClient } from "./envelope-client.ts";
import { residentMb, startServer, stopServer } from "./server-of-its-own.ts";

const CLIENTS = 1_000;

/** What a thousand approvers that only wait cost the server. */
async function benchIdleClients(): Promise<void> {
  const server = await startServer();
  const warm = await Promise.all(
    Array.from({ length: 50 }, () => EnvelopeClient.register(server.url, server.token, "client")),
  );
  for (const client of warm) client.close();
  const before = residentMb(server);
  for (let index = 0; index < CLIENTS / 50; index += 1) {
    await Promise.all(Array.from({ length: 50 }, () => EnvelopeClient.register(server.url, server.token, "client")));
  }
  const after = residentMb(server);
  await stopServer(server);
  console.log(`${CLIENTS} idle WebSocket clients: ${after - before} MB more resident memory (to reach: ≤ 60 MB)`);
}

await benchIdleClients();
process.exit(0);
