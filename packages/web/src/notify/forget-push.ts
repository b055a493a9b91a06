/** Who signs out is told nothing more here: the push service tells the hub that it is over the next time, and what is shown goes. */
export async function forgetPush(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration === undefined) return;
  await (await registration.pushManager?.getSubscription())?.unsubscribe();
  for (const shown of await registration.getNotifications()) shown.close();
  await navigator.clearAppBadge?.();
}
