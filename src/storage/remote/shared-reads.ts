interface SharedRead<Value> {
  /** The read in progress. */
  readonly current: Promise<Value>;
  /** The read after it, shared by all callers that arrived meanwhile. */
  next: Promise<Value> | undefined;
}

/**
 * Shares reads that many callers want at the same time, such as the namespace of every write. Callers that arrive
 * during a read share the next one, which is sent after all of them have arrived and therefore sees every earlier write.
 */
export class SharedReads<Key, Value> {
  readonly #running = new Map<Key, SharedRead<Value>>();

  /** Returns the result of `send`, called now or after the read in progress. */
  read(key: Key, send: () => Promise<Value>): Promise<Value> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#send(key, send);
    const sendNext = (): Promise<Value> => this.#send(key, send);
    return (running.next ??= running.current.then(sendNext, sendNext));
  }

  #send(key: Key, send: () => Promise<Value>): Promise<Value> {
    const read: SharedRead<Value> = { current: send(), next: undefined };
    this.#running.set(key, read);
    const finish = (): void => {
      // A next read replaces this one by itself.
      if (read.next === undefined) this.#running.delete(key);
    };
    read.current.then(finish, finish);
    return read.current;
  }
}
