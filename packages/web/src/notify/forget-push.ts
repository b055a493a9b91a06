/** Unsubscribes this browser and closes its notifications, at sign-out. The push service reports that to the hub with the next push. */
export async function forgetPush(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration === undefined) return;
  await (await registration.pushManager?.getSubscription())?.unsubscribe();
  for (const shown of await registration.getNotifications()) shown.close();
  await navigator.clearAppBadge?.();
}
