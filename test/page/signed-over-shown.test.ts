import assert from "node:assert/strict";
import {
  type Answer,
  type Envelope,
  ExecApprovalRequestAction,
  type ExecApprovalRequestPayload,
  ExecApprovalResolvedAction,
} from "@countersign/protocol/proposals";
import { proposalHashOf } from "@countersign/protocol/text";
import { type DecisionToSign, verifyDecision } from "@countersign/sdk";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { answerable, denyAll, openCard, painted, propose, stopTime } from "./asking.ts";
import { openSignedIn } from "./open-page.ts";
import { until } from "./until.ts";

type Card = ExecApprovalRequestPayload;
type Said = Envelope & { readonly id?: string };

/** What stands between the page and its hub: it sees each answer, and can make a card another. */
interface Between {
  readonly answers: (Answer & { readonly approvalId: string })[];
  /** Applied to every card on its way to the page; undefined leaves it. */
  change: ((card: Card) => Card | undefined) | undefined;
  /** Says the last card once more, as `change` makes it now; after its end, where that is wanted. */
  sayAgain(options?: { readonly isEndedFirst: boolean }): void;
}

async function spawnProxied(page: Page): Promise<Between> {
  let again: Between["sayAgain"] | undefined;
  const between: Between = { answers: [], change: undefined, sayAgain: (options) => again?.(options) };
  await page.routeWebSocket(/^ws:/, (socket) => {
    const hub = socket.connectToServer();
    socket.onMessage((message) => {
      const { payload } = JSON.parse(String(message)) as { payload?: { method?: string; params?: unknown } };
      if (payload?.method === "resolveExecApproval") between.answers.push(payload.params as Between["answers"][number]);
      hub.send(message);
    });
    hub.onMessage((message) => {
      const said = JSON.parse(String(message)) as Said;
      if (said.action !== ExecApprovalRequestAction) return void socket.send(message);
      const card = said.payload as Card;
      const tell: Between["sayAgain"] = ({ isEndedFirst } = { isEndedFirst: false }) => {
        const end = { approvalId: card.approvalId, by: "person", decision: "deny" };
        if (isEndedFirst) socket.send(JSON.stringify({ ...said, action: ExecApprovalResolvedAction, payload: end }));
        socket.send(JSON.stringify({ ...said, payload: between.change?.(card) ?? card }));
      };
      again = tell;
      tell();
    });
  });
  await page.reload();
  return between;
}

/** What a person sees of it, read from the screen. */
async function onScreen(page: Page): Promise<{ command: string; cwd: string }> {
  const card = page.getByRole("article", { name: "Approval" });
  const command = (await card.locator("figure pre").textContent()) ?? "";
  const cwd = (await card.locator(".origin code").textContent()) ?? "";
  return { command, cwd };
}

/** The public half of the key that this browser signs with. */
function publicKeyOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const opened = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open("countersign");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const device = await new Promise<{ key: { publicKey: string } }>((resolve, reject) => {
      const request = opened.transaction("device").objectStore("device").get("this");
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    opened.close();
    return device.key.publicKey;
  });
}

deepTest("what is signed is what was on screen", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const between = await spawnProxied(page);
  const publicKey = await publicKeyOf(page);
  const signs = async (answer: Answer, proposalHash: string, change: Partial<DecisionToSign> = {}) => {
    const {
      approvalId = "",
      decision,
      scope,
      jail,
      times,
      nonce = "",
      signature = "",
    } = answer as Answer & {
      approvalId?: string;
    };
    const signed = { approvalId, proposalHash, decision, scope, jail, times, nonce, ...change };
    return await verifyDecision(signed, publicKey, signature);
  };

  await t.test(
    "the signature holds over the command and directory that stood there, and over nothing else",
    async () => {
      const command = "touch 'sh own' && echo \"ünï\" # 木";
      const outcome = propose(server, command);
      await openCard(page, "touch 'sh own'");
      await answerable(page);
      const shown = await onScreen(page);
      assert.equal(shown.command, command);
      await page.getByRole("button", { name: "Allow once" }).click();
      assert.equal((await outcome).kind, "exited");
      const [answer] = between.answers.splice(0);
      assert.ok(answer !== undefined);
      const hash = await proposalHashOf({ ...shown, env: {} });
      assert.equal(await signs(answer, hash), true);
      for (const other of [
        { command: `${command} `, cwd: shown.cwd },
        { command, cwd: `${shown.cwd}/x` },
      ])
        assert.equal(await signs(answer, await proposalHashOf({ ...other, env: {} })), false);
      assert.equal(await signs(answer, hash, { decision: "allow-always" }), false);
      assert.equal(await signs(answer, hash, { approvalId: "another" }), false);
    },
  );

  await t.test("what somebody wrote instead is what is signed then", async () => {
    const outcome = propose(server, "touch wrong", { session: "edit" });
    await openCard(page, "touch wrong");
    await answerable(page);
    const { cwd } = await onScreen(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: /runs instead/ }).fill("touch right");
    await page.getByRole("button", { name: "Allow this once" }).and(page.locator('[aria-disabled="false"]')).click();
    assert.equal((await outcome).kind, "exited");
    const [answer] = between.answers.splice(0);
    assert.ok(answer !== undefined);
    assert.equal(await signs(answer, await proposalHashOf({ command: "touch right", cwd, env: {} })), true);
    assert.equal(await signs(answer, await proposalHashOf({ command: "touch wrong", cwd, env: {} })), false);
  });

  await t.test("a hub that shows one command and asks about another gets no answer", async () => {
    between.change = (card) => ({ ...card, command: "ls" });
    const outcome = propose(server, "touch stolen", { session: "other" });
    await page.goto("#/inbox");
    await openCard(page, "ls");
    await answerable(page);
    for (const press of [
      () => page.getByRole("button", { name: "Allow once" }).click(),
      async () => {
        await page.getByRole("button", { name: "Deny…" }).click();
        await page.getByRole("button", { name: "Deny", exact: true }).click();
      },
    ]) {
      await press();
      await page
        .getByRole("alert")
        .getByText(/What was shown isn't what would run/)
        .waitFor();
    }
    assert.deepEqual(between.answers, [], "nothing was sent, signed or not");
    between.change = undefined;
    await denyAll(server);
    assert.equal((await outcome).kind, "denied");
  });

  /** The hub's word for the card that is open, from then on for another command. */
  const changeCard = async () => {
    const { cwd } = await onScreen(page);
    const proposalHash = await proposalHashOf({ command: "touch second", cwd, env: {} });
    between.change = (card) => ({ ...card, command: "touch second", proposalHash });
    return proposalHash;
  };

  await t.test("a card that is said again as another stays what it was, on screen and in the signature", async () => {
    await page.goto("#/inbox");
    const outcome = propose(server, "touch first", { session: "again" });
    await openCard(page, "touch first");
    await answerable(page);
    await changeCard();
    between.sayAgain();
    // Whatever came before it has been heard when this is on screen.
    between.change = undefined;
    const last = propose(server, "touch last", { session: "last" });
    await page.getByRole("link", { name: "touch last" }).waitFor();
    const shown = await onScreen(page);
    assert.equal(shown.command, "touch first");
    await page.getByRole("button", { name: "Allow once" }).click();
    assert.equal((await outcome).kind, "exited");
    const [answer] = between.answers.splice(0);
    assert.ok(answer !== undefined);
    assert.equal(await signs(answer, await proposalHashOf({ ...shown, env: {} })), true);
    await denyAll(server);
    await last;
  });

  await t.test("a card that becomes another takes no click that was meant for what stood there", async () => {
    await page.goto("#/inbox");
    const outcome = propose(server, "touch third", { session: "changed" });
    await openCard(page, "touch third");
    await answerable(page);
    await stopTime(page);
    const proposalHash = await changeCard();
    between.sayAgain({ isEndedFirst: true });
    const allow = page.getByRole("button", { name: "Allow once" });
    await page.locator("figure pre").getByText("touch second").waitFor();
    await painted(page);
    await allow.click();
    assert.deepEqual(between.answers, [], "it has just been changed");
    await answerable(page);
    await allow.click();
    const answer = await until("answer", () => between.answers[0]);
    // Whoever looks long enough signs what stands there by then; the hub asked about something else.
    assert.equal(await signs(answer, proposalHash), true);
    await page.getByRole("alert").waitFor();
    assert.equal(between.answers.length, 1, "the first click was none");
    between.change = undefined;
    await denyAll(server);
    assert.equal((await outcome).kind, "denied");
    const decided = (await server.readLedger()).filter(({ type, body }) => {
      return type === "decided" && body.approvalId === answer.approvalId;
    });
    assert.deepEqual(
      decided.map(({ body }) => body.verdict),
      ["deny"],
    );
  });
});
