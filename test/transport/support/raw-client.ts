import { connect, type Socket } from 'node:net';

/** A client that writes arbitrary bytes, to misbehave. */
export class RawClient {
  readonly socket: Socket;
  /** Everything received so far, one character per byte. */
  received = '';
  readonly closed: Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.received += text;
      this.#wake();
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve(this.#wake())));
  }

  write(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Resolves when the received data contains the text; fails if the connection closes before. */
  async until(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      if (this.socket.destroyed)
        throw new Error(`closed before ${JSON.stringify(text)}: ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
