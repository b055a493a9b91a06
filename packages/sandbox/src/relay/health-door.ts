import { createServer, type Server } from "node:http";

export interface RelayState {
  /** `refuses`: it is there, and takes nothing for now. */
  readonly recorder: "up" | "down" | "refuses";
  readonly refusal: string | undefined;
  readonly spooledFrames: number;
  readonly spooledBytes: number;
  readonly spoolIsFull: boolean;
  /** The disk has failed: until it is started anew, nothing is kept. */
  readonly spoolProblem: string | undefined;
  readonly connections: number;
  readonly revoked: number;
  /** Why the newest list of what is revoked isn't in force. */
  readonly revocationsProblem: string | undefined;
  readonly counts: ReadonlyMap<string, number>;
}

/** Beside the sandboxes' door, on an address that they don't reach: `/healthz` and `/metrics`. */
export function healthServer(stateOf: () => RelayState): Server {
  return createServer(
    { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 8 * 1024 },
    (request, response) => {
      request.resume();
      if (request.method === "GET" && request.url === "/healthz") {
        const { counts: _, ...state } = stateOf();
        const problem = state.spoolProblem ?? state.revocationsProblem;
        const isWell = !state.spoolIsFull && problem === undefined;
        response.writeHead(isWell ? 200 : 503, { "content-type": "application/json" });
        response.end(`${JSON.stringify({ status: isWell ? "ok" : "failing", ...state })}\n`);
      } else if (request.method === "GET" && request.url === "/metrics") {
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4" });
        response.end(metricsOf(stateOf()));
      } else {
        response.writeHead(404).end();
      }
    },
  );
}

function metricsOf(state: RelayState): string {
  const gauges: readonly (readonly [string, number])[] = [
    ["recorder_up", state.recorder === "up" ? 1 : 0],
    ["spooled_frames", state.spooledFrames],
    ["spooled_bytes", state.spooledBytes],
    ["spool_works", state.spoolProblem === undefined ? 1 : 0],
    ["connections", state.connections],
    ["revoked_certificates", state.revoked],
    ["revocations_in_force", state.revocationsProblem === undefined ? 1 : 0],
  ];
  const lines = gauges.flatMap(([name, value]) => [
    `# TYPE countersign_relay_${name} gauge`,
    `countersign_relay_${name} ${value}`,
  ]);
  const counts = [...state.counts].map(([result, n]) => `countersign_relay_total{result="${result}"} ${n}`);
  return [...lines, "# TYPE countersign_relay_total counter", ...counts, ""].join("\n");
}
