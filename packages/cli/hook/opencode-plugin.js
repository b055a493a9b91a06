// OpenCode loads this file before it works. `install` writes a line above it: const SETTINGS = { node, hook, home, key, deadlineMs }.
//
// It decides nothing: each use of a tool is put to the hub by the same hook that other agents call, as a process of its own. What isn't
// allowed is thrown, which is how OpenCode is told not to go on; so whatever goes wrong in here isn't allowed either. No environment
// variable changes anything: a repository could set one.
import { spawn } from "node:child_process";

/* global SETTINGS */

/** The hook answers by its own deadline; when it doesn't, something is wrong with it. */
const LATE_MS = 5_000;
/** An answer is some sentences and a command. */
const MAX_ANSWER = 1024 * 1024;
/** Calls that were allowed and may still be asked about by OpenCode itself; one that it forgets isn't kept for ever. */
const MAX_ALLOWED = 1_000;

const FAILED = "Countersign's hook failed, so this isn't allowed. Its user can ask: countersign doctor";

/** What OpenCode calls a plugin: it is given the means and tells what it wants to hear of. */
export const Countersign = async ({ client, directory }) => {
  /** So that nobody is asked twice for the same thing. */
  const allowed = new Set();
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const answer = await ask({
        ...named("tool.execute.before", { tool, sessionID, callID }),
        tool_input: output.args,
      });
      if (answer.decision !== "allow") throw new Error(answer.reason ?? "Countersign didn't allow this.");
      if (typeof answer.command === "string") output.args.command = answer.command;
      if (allowed.size >= MAX_ALLOWED) allowed.delete(allowed.values().next().value);
      allowed.add(callID);
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      allowed.delete(callID);
      const tool_response = { output: output?.output, metadata: output?.metadata };
      const event = { ...named("tool.execute.after", { tool, sessionID, callID }), tool_input: args, tool_response };
      // What is over can't be denied any more: that it isn't on record is in the hub's log.
      await ask(event).catch(() => undefined);
    },
    event: async ({ event: { type, properties } }) => {
      if (type !== "permission.asked" || !allowed.has(properties.tool?.callID)) return;
      const path = { id: properties.sessionID, permissionID: properties.id };
      await client.postSessionIdPermissionsPermissionId({ path, body: { response: "once" } });
    },
  };

  function named(hook_event_name, { tool, sessionID, callID }) {
    return { hook_event_name, session_id: sessionID, call_id: callID, cwd: directory, tool_name: tool };
  }
};

/** What the hook prints for an event. Rejects wherever there is no such thing, and that is a denial. */
async function ask(event) {
  const { code, stdout, stderr } = await runHook(JSON.stringify(event));
  // Exit 2 has the hook's own words; anything else are Node's, which nobody here could use.
  if (code !== 0) throw new Error((code === 2 && stderr.trim()) || FAILED);
  return JSON.parse(stdout || "{}") ?? {};
}

function runHook(input) {
  const { node, hook, home, key, deadlineMs } = SETTINGS;
  // Threads that it is over too soon to use aren't started.
  const options = ["--v8-pool-size=1", hook];
  const args = [...options, "opencode", "--home", home, "--key", key, "--deadline-ms", String(deadlineMs)];
  return new Promise((resolve, reject) => {
    const failed = (why) => reject(new Error(`Countersign couldn't decide, so this isn't allowed: ${why}.`));
    // Without NODE_OPTIONS and its like, which could load something else into it.
    const child = spawn(node, args, { stdio: ["pipe", "pipe", "pipe"], env: {} });
    const late = setTimeout(() => {
      child.kill("SIGKILL");
      failed("its hook gave no answer in time");
    }, deadlineMs + LATE_MS);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
      if (stdout.length > MAX_ANSWER) child.kill("SIGKILL");
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr = (stderr + text).slice(0, MAX_ANSWER);
    });
    child.on("error", (cause) => {
      clearTimeout(late);
      failed(`its hook can't be started (${cause.code ?? cause.message}); run \`countersign install opencode\` again`);
    });
    child.on("close", (code) => {
      clearTimeout(late);
      resolve({ code, stdout, stderr });
    });
    // A hook that ends before it has read all says so by its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
