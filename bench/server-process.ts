// A server in a process of its own, so that its memory can be measured apart from its clients.
import { scratchServer } from "./scratch-server.ts";

const { url, token, workspace, home, hubKey, remove } = await scratchServer();
process.stdout.write(`${JSON.stringify({ url, token, workspace, home: home.dir, hubKey })}\n`);
process.once("SIGTERM", () => remove().then(() => process.exit(0)));
