import {
  answerResultSchema,
  type Outcome,
  outcomeSchema,
  type ProposeExecParams,
} from "@countersign/protocol/proposals";
import { type GlobalOptions, homeDirOf } from "../base/index.ts";
import { findHub } from "./find-hub.ts";
import { followHttp } from "./follow-http.ts";
import { callHttp } from "./http.ts";
import { anything } from "./read-answer.ts";
import { askSocket, type OnOutput } from "./socket.ts";

/** The two ways to propose: the local socket, with an agent's role, or HTTP where an address was given. */
export interface ExecTransport {
  propose(params: ProposeExecParams): Promise<Outcome>;
  /** Gives what the run writes to `onOutput` as it comes; the outcome then has no stdout and stderr. */
  proposeStreamed(params: ProposeExecParams, onOutput: OnOutput): Promise<Outcome>;
  cancel(proposalId: string): Promise<void>;
}

export async function execTransport(options: GlobalOptions): Promise<ExecTransport> {
  return options.url === undefined ? socketTransport(homeDirOf(options)) : await httpDoor(options);
}

export function socketTransport(homeDir: string): ExecTransport {
  return {
    propose: (params) => askSocket(homeDir, { method: "proposeExec", params }, outcomeSchema),
    proposeStreamed: (params, onOutput) =>
      askSocket(homeDir, { method: "proposeExec", params, stream: true }, outcomeSchema, onOutput),
    async cancel(proposalId) {
      await askSocket(homeDir, { method: "cancelExec", params: { proposalId } }, anything);
    },
  };
}

async function httpDoor(options: GlobalOptions): Promise<ExecTransport> {
  const hub = await findHub(options);
  const call = (body: ProposeExecParams) => ({ method: "POST", path: "/api/v1/exec", body, timeoutMs: 0 }) as const;
  return {
    propose: async (params) => (await callHttp(hub, call(params), outcomeSchema)).value,
    proposeStreamed: (params, onOutput) => followHttp(hub, call(params), onOutput),
    async cancel(proposalId) {
      const path = `/api/v1/exec/${encodeURIComponent(proposalId)}`;
      await callHttp(hub, { method: "DELETE", path }, answerResultSchema);
    },
  };
}
