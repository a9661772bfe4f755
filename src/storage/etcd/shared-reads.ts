interface Flight<Value> {
  /** The read that was sent. */
  readonly sent: Promise<Value>;
  /** The one that follows it, for all who came meanwhile. */
  next: Promise<Value> | undefined;
}

/**
 * Reads of which many may want the same at the same time, such as the namespace of every write. Who comes while one is under way
 * shares the next with all others who do: it is sent after each of them came, and so sees what each of them must see.
 */
export class SharedReads<Key, Value> {
  readonly #flights = new Map<Key, Flight<Value>>();

  /** What `send` reads, when it is called now or later. */
  read(key: Key, send: () => Promise<Value>): Promise<Value> {
    const flight = this.#flights.get(key);
    if (flight === undefined) return this.#send(key, send);
    const follow = (): Promise<Value> => this.#send(key, send);
    return (flight.next ??= flight.sent.then(follow, follow));
  }

  #send(key: Key, send: () => Promise<Value>): Promise<Value> {
    const flight: Flight<Value> = { sent: send(), next: undefined };
    this.#flights.set(key, flight);
    const land = (): void => {
      // Who follows has sent already.
      if (flight.next === undefined) this.#flights.delete(key);
    };
    flight.sent.then(land, land);
    return flight.sent;
  }
}
