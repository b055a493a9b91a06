import type { Figures } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";
import { quoted } from "../terminal/index.ts";
import { howLong } from "./local-time.ts";
import type { Section } from "./section.ts";

/** Who answered and how fast; which agents asked; who else spoke. */
export function peopleSections({ approvers, agents, emitters }: Figures): Section[] {
  return [
    ...(approvers.length === 0 ? [] : [approverSection(approvers)]),
    ...(agents.length === 0 ? [] : [agentSection(agents)]),
    ...(emitters.length === 0 ? [] : [emitterSection(emitters)]),
  ];
}

function approverSection(approvers: Figures["approvers"]): Section {
  const rows = approvers.map(({ person, device, assurance, allowed, denied, medianMs, slowestMs }) => [
    quoted(person),
    assurance === "device" ? `signed on ${quoted(device ?? "", 40)}` : `${visible(assurance ?? "unknown")}, unsigned`,
    ...[String(allowed), String(denied)],
    medianMs === null ? "" : howLong(medianMs),
    slowestMs === null ? "" : howLong(slowestMs),
  ]);
  const head = ["person", "how sure", "allowed", "denied", "median", "slowest"];
  return { title: "Who answered", blocks: [{ kind: "table", head, rows, numbers: [2, 3, 4, 5] }] };
}

export function agentSection(agents: Figures["agents"]): Section {
  const rows = agents.map(({ agent, allowed, asked, refused, ended, failed, waitedMs }) => [
    quoted(agent),
    ...[allowed, refused, asked, ended, failed].map(String),
    waitedMs === 0 ? "" : howLong(waitedMs),
  ]);
  const head = ["agent", "allowed", "refused", "asked", "ended", "failed", "waited for people"];
  return { title: "Agents", blocks: [{ kind: "table", head, rows, numbers: [1, 2, 3, 4, 5, 6] }] };
}

function emitterSection(emitters: Figures["emitters"]): Section {
  const rows = emitters.map(({ emitter, frames, failed, blocked, dropped }) => [
    visible(emitter),
    ...[frames, failed, blocked, dropped, frames + dropped].map(String),
  ]);
  const head = ["emitter", "frames", "failed", "blocked", "dropped", "emitted"];
  return { title: "Emitters", blocks: [{ kind: "table", head, rows, numbers: [1, 2, 3, 4, 5] }] };
}
