/** One transaction in a database of this origin: resolves to the result of the request, once it is durable. */
type Within = (mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest) => Promise<unknown>;

/** Opens a store in a database of its own for each transaction, since pages and workers use it concurrently. */
export function indexedDbStore(database: string, store: string): Within {
  return async (mode, work) => {
    const opened = await open(database, store);
    try {
      return await new Promise((resolve, reject) => {
        const transaction = opened.transaction(store, mode);
        const request = work(transaction.objectStore(store));
        transaction.oncomplete = () => resolve(request.result);
        // A failed request aborts the transaction, and only then does the transaction have its error.
        transaction.onabort = () => reject(transaction.error);
      });
    } finally {
      opened.close();
    }
  };
}

function open(database: string, store: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
