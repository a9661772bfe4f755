/** Pings of WebSocket clients. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { answerPings } from '../../src/transport/node/websocket/websocket-receive.js';

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState: 1 | 2 = 1;
  readonly answered: string[] = [];
  readonly #unread: (() => void)[] = [];

  pong(data: Uint8Array, _mask: boolean, sent: () => void): void {
    this.answered.push(Buffer.from(data).toString());
    this.#unread.push(sent);
  }

  /** The client reads the answers so far. */
  read(): void {
    for (const sent of this.#unread.splice(0)) sent();
  }

  ping(text: string): void {
    this.emit('ping', Buffer.from(text));
  }
}

const pinged = (): FakeSocket => {
  const socket = new FakeSocket();
  answerPings(socket);
  return socket;
};

test('a client that reads gets an answer to each', () => {
  const socket = pinged();
  for (const text of ['a', 'b', 'c']) {
    socket.ping(text);
    socket.read();
  }
  expect(socket.answered).toEqual(['a', 'b', 'c']);
});

test('a client that does not read gets an answer to the last', () => {
  const socket = pinged();
  for (let index = 0; index < 10_000; index += 1) socket.ping(`ping ${index}`);
  expect(socket.answered).toEqual(['ping 0']);
  socket.read();
  expect(socket.answered).toEqual(['ping 0', 'ping 9999']);
  socket.read();
  socket.ping('later');
  expect(socket.answered).toEqual(['ping 0', 'ping 9999', 'later']);
});

test('a connection that closes gets no answer', () => {
  const socket = pinged();
  socket.ping('a');
  socket.ping('b');
  socket.readyState = 2;
  socket.read();
  socket.ping('c');
  expect(socket.answered).toEqual(['a']);
});
