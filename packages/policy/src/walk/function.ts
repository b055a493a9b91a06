import type { Function as FunctionNode } from "unbash";
import { SPECIAL_BUILTINS } from "../catalog/index.ts";
import { makeEffect, shellEffect } from "../model/index.ts";
import {
  type Definition,
  type Draft,
  define,
  doubtSince,
  type Followup,
  type Frame,
  fork,
  newShell,
  snapshot,
  spanIn,
} from "../shell/index.ts";
import { once, type Step, type Walker } from "./step.ts";

/** Defines a function. It runs nothing, but from here on the name calls it, even if a program has that name. */
export function visitFunction(draft: Draft, node: FunctionNode, frame: Frame): void {
  const span = spanIn(frame, node);
  const name = node.name.value;
  const definition: Definition = { node, frame, called: false };
  draft.definitions.push(definition);
  define(frame.shell, name, definition);
  const plain = node.name.text === name && /^[\w.:@%+/-]+$/.test(name);
  // A loop's round may call a function that the previous round defined, and POSIX shells prefer their own builtins.
  if (!plain || frame.inLoop || draft.traps || SPECIAL_BUILTINS.includes(name)) {
    draft.loose.push(
      shellEffect("obfuscation", `Defines the function ${name}, and what the name then runs isn't certain`, span),
    );
    return;
  }
  // The function ends with the shell that runs the command, unless the agent keeps that shell.
  const about = { kind: "environment", risk: "safe", ruleId: "shell.function", reliesOnJail: true } as const;
  draft.loose.push(makeEffect(span, { ...about, sentence: `Defines the function ${name}` }));
}

/** Walks a function's body with the call's words. Its variables may be local, so none is certain afterwards. */
export function callFunction({ into }: Walker, followup: Extract<Followup, { kind: "function" }>): readonly Step[] {
  const { definition, positional, frame: caller } = followup;
  const { source, names, span } = definition.frame;
  const functions = [...caller.functions, definition.node.name.value];
  const inner: Frame = { ...caller, source, names, functions, span };
  const { shell } = inner;
  const before = snapshot(shell);
  definition.called = true;
  shell.positional = positional;
  const leave = once(() => {
    shell.positional = before.positional;
    doubtSince(shell, before);
  });
  return [into(definition.node.body, inner), leave];
}

/** Walks a function that nothing called: its purpose isn't known, so a person is asked. */
export function visitUncalled({ draft, into }: Walker, definition: Definition): readonly Step[] {
  const { node, frame } = definition;
  definition.called = true;
  const name = node.name.value;
  draft.loose.push(
    shellEffect("obfuscation", `Defines the function ${name}, which may replace a program`, spanIn(frame, node)),
  );
  const shell = { ...newShell(frame.shell.foreign), functions: frame.shell.functions };
  const inner = { ...fork(frame), shell, functions: [...frame.functions, name], inLoop: true };
  return [into(node.body, inner)];
}
