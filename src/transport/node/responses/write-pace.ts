/** Notified when a client blocks a response, so that a client that reads nothing can be disconnected. */
export interface WritePace {
  /** Writing waits until the client has read some data. */
  blocked(): void;
  /** The client has read data, or has disconnected. */
  flowing(): void;
}
