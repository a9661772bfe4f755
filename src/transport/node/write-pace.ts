/** Told when a client makes an answer wait, so that one that takes nothing can be cut off. */
export interface WritePace {
  /** Nothing more is written until the client has taken some of it. */
  blocked(): void;
  /** It has, or it is gone. */
  flowing(): void;
}
