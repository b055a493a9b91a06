import {
  type AgentChanged,
  agentChangedSchema,
  type DetectedAgentView,
  detectedAgentSchema,
} from "@countersign/protocol/access";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import * as z from "zod";
import { signChangeFields, useHub, useMutation } from "../hub/index.ts";
import { Button, Notice, VisibleText } from "../ui/index.ts";
import { CommandLine } from "./command-line.tsx";
import { useLoaded } from "./use-loaded.ts";

const agentsSchema = z.array(detectedAgentSchema);

/** The agents on this machine, whether they are gated, and what the gate covers for each. */
export function Agents(): VNode {
  const { answer, problem, again } = useLoaded(agentsSchema, "GET /api/v1/agents");
  const [done, setDone] = useState<AgentChanged>();
  const agents = answer && [...answer].sort((a, b) => rank(a) - rank(b));
  return (
    <section aria-labelledby="agents-title">
      <h2 id="agents-title">Agents on the hub’s machine</h2>
      {problem && <Notice kind="problem">{problem}</Notice>}
      {done && <ChangedFiles changed={done} onDone={() => setDone(undefined)} />}
      {agents && (
        <table class="agents">
          <thead>
            <tr>
              <th scope="col">Agent</th>
              {PROMISES.map(({ word, means }) => (
                <th key={word} scope="col" title={means}>
                  {word}
                </th>
              ))}
              <th scope="col">
                <span class="heard">Connect</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {agents.map((agent) => (
              <Row
                key={agent.name}
                agent={agent}
                onChanged={async (changed) => {
                  setDone(changed);
                  await again();
                }}
              />
            ))}
          </tbody>
        </table>
      )}
      <dl class="promises quiet small">
        {PROMISES.map(({ word, means }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const PROMISES = [
  { word: "Decided", key: "decided", means: "A command that it asks about doesn’t run before the answer." },
  { word: "Jailed", key: "jailed", means: "Allowed commands get only the access that was predicted." },
  { word: "Rewritable", key: "rewritable", means: "It accepts an edited command instead of its own." },
  { word: "Recorded", key: "outcomeRecorded", means: "The outcome is recorded." },
] as const;

/** Agents of this machine first, connected or not, so that a row stays where it was clicked. */
function rank({ found, connected }: DetectedAgentView): number {
  if (found || connected.length > 0) return 0;
  return found === null ? 1 : 2;
}

function Row({
  agent,
  onChanged,
}: {
  agent: DetectedAgentView;
  onChanged(changed: AgentChanged): Promise<void>;
}): VNode {
  const { title, limits, command, connected, found } = agent;
  const commandLine = connected.length === 0 && command !== "" && (
    <CommandLine command={command} what={`the command for ${title}`} />
  );
  return (
    <tr class={found === false ? "absent" : ""}>
      <th scope="row">
        <span class="agent-title">{title}</span>
        <State agent={agent} />
        {found === true && commandLine}
        <details class="small">
          <summary>{found === true ? "What to know" : "How to connect, and what to know"}</summary>
          {found !== true && commandLine}
          <ul>
            {limits.map((limit) => (
              <li key={limit}>
                <WithCode text={limit} />
              </li>
            ))}
          </ul>
        </details>
      </th>
      {PROMISES.map(({ word, key }) => (
        <td key={key} class={`promise ${agent[key] ? "yes" : "no"}`} data-word={word}>
          <span aria-hidden="true">{agent[key] ? "✓" : "–"}</span>
          <span class="heard">{agent[key] ? "yes" : "no"}</span>
        </td>
      ))}
      <td class="agent-act">
        <Act agent={agent} onChanged={onChanged} />
      </td>
    </tr>
  );
}

/** Shows text between backticks as code. */
function WithCode({ text }: { text: string }): VNode {
  return <>{text.split("`").map((part, n) => (n % 2 === 1 ? <code key={`${n}`}>{part}</code> : part))}</>;
}

const WHERE = { user: "", project: " in this project", managed: " on the whole machine" } as const;

function State({ agent: { found, connected } }: { agent: DetectedAgentView }): VNode | null {
  if (connected.length > 0)
    return <span class="agent-state asks">asks first{connected.map((scope) => WHERE[scope]).join(",")}</span>;
  if (found === null) return null;
  return found ? (
    <span class="agent-state open">found, not connected</span>
  ) : (
    <span class="agent-state quiet">not found here</span>
  );
}

function Act({ agent, onChanged }: Parameters<typeof Row>[0]): VNode {
  const { name, title, connected, connectable, found } = agent;
  const hub = useHub();
  const { isBusy, problem, mutate } = useMutation();
  const ask = (method: "POST" | "DELETE") =>
    mutate(async () => {
      const change = { approvalId: `agent:${name}`, content: { agent: name, wish: "disconnect" } };
      const body = method === "DELETE" ? await signChangeFields(change, hub) : {};
      const options = { params: { name }, body };
      await onChanged(await hub.api(agentChangedSchema, `${method} /api/v1/agents/:name/connect`, options));
    });
  const isOurs = connected.includes("user");
  return (
    <>
      {connectable && found === true && connected.length === 0 && (
        <Button kind="main" disabled={isBusy} onClick={() => ask("POST")} aria-label={`Connect ${title}`}>
          Connect
        </Button>
      )}
      {isOurs && (
        <Button disabled={isBusy} onClick={() => ask("DELETE")} aria-label={`Disconnect ${title}`}>
          Disconnect
        </Button>
      )}
      {problem && <Notice kind="problem">{problem}</Notice>}
    </>
  );
}

/** The changes made to the agent's files, and where their backups are. */
function ChangedFiles({ changed, onDone }: { changed: AgentChanged; onDone(): void }): VNode {
  const { files, backups, notes } = changed;
  return (
    <Notice>
      {files.length > 0 && (
        <p>
          Changed: <Paths paths={files} />
        </p>
      )}
      {backups.length > 0 && (
        <p>
          Backup: <Paths paths={backups} />
        </p>
      )}
      {notes.map((note) => (
        <p key={note}>
          <VisibleText text={note} />
        </p>
      ))}
      <Button onClick={onDone}>Done</Button>
    </Notice>
  );
}

function Paths({ paths }: { paths: readonly string[] }): VNode {
  return (
    <>
      {paths.map((path, n) => (
        <span key={path}>
          {n > 0 && ", "}
          <code>
            <VisibleText text={path} />
          </code>
        </span>
      ))}
    </>
  );
}
