// A client on a thread of its own: it can send while the hub's thread is busy.
import { parentPort, workerData } from "node:worker_threads";
import { WebSocket } from "ws";

const { url, frame, flags } = workerData as { url: string; frame: string; flags: Int32Array };
const socket = new WebSocket(url);
socket.on("open", () => {
  parentPort?.postMessage("open");
  // Not before the hub is busy.
  Atomics.wait(flags, 0, 0);
  socket.send(frame, () => {
    Atomics.store(flags, 1, 1);
    Atomics.notify(flags, 1);
  });
});
socket.on("message", (data) => parentPort?.postMessage(`got ${data.toString()}`));
socket.on("close", (code) => parentPort?.postMessage(`closed ${code}`));
