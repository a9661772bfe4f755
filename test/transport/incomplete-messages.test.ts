/** Messages of WebSockets that are not complete: they count in the memory of their connection. */
import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { listen } from '../../src/transport/node/index.js';
import { reserveIncomplete } from '../../src/transport/node/websocket/websocket-receive.js';

class FakeSocket extends EventEmitter {
  terminated = 0;

  terminate(): void {
    this.terminated += 1;
  }
}

/** A masked frame of a client. @param lengthBytes bytes that say the length: 0, 2 or 8 */
function frame(opcode: number, length: number, { isFinal = true, lengthBytes = 0 } = {}): Buffer {
  const long = Buffer.alloc(lengthBytes);
  if (lengthBytes > 0) long.writeUIntBE(length, lengthBytes === 2 ? 0 : 2, lengthBytes === 2 ? 2 : 6);
  const head = [(isFinal ? 0x80 : 0) | opcode, 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)];
  return Buffer.concat([Buffer.from(head), long, Buffer.alloc(4 + length)]);
}
const [CONTINUATION, BINARY, PING] = [0, 2, 9];
/** Bytes that are counted for a frame besides its own. */
const FRAME = 160;

/** A connection whose memory has a limit. */
function limited(limit: number): {
  readonly held: () => number;
  readonly socket: FakeSocket;
  send(bytes: Buffer): void;
} {
  const connection = new Duplex({ read: () => undefined });
  const socket = new FakeSocket();
  let held = 0;
  const reserve = (bytes: number): void => {
    if (held + bytes > limit) throw new Error('the memory budget is used up');
    held += bytes;
  };
  reserveIncomplete(connection, socket, { reserve, release: (bytes) => void (held -= bytes) });
  return { socket, held: () => held, send: (bytes) => void connection.emit('data', bytes) };
}

test('their bytes are reserved until they are complete', () => {
  const { socket, held, send } = limited(2000);
  const message = frame(BINARY, 800, { lengthBytes: 2 });
  send(message.subarray(0, 400));
  expect(held()).toBe(400);
  send(message.subarray(400));
  expect(held()).toBe(0);
  send(message.subarray(0, 700));
  send(Buffer.alloc(2000));
  expect([held(), socket.terminated]).toEqual([700, 1]);
  socket.emit('close');
  expect(held()).toBe(0);
});

test('the end of a message releases no byte of the next one', () => {
  const { held, send } = limited(10_000);
  const message = frame(BINARY, 1000, { lengthBytes: 8 });
  send(Buffer.concat([message, message, message.subarray(0, 600)]));
  expect(held()).toBe(600);
});

test('a ping between the frames of a message releases none of them', () => {
  const { held, send } = limited(10_000);
  const first = frame(BINARY, 1000, { isFinal: false, lengthBytes: 2 });
  send(Buffer.concat([first, frame(PING, 100)]));
  expect(held()).toBe(first.length + FRAME);
  send(Buffer.concat([frame(CONTINUATION, 0), frame(PING, 0)]));
  expect(held()).toBe(0);
});

test('frames and chunks count more than their bytes', () => {
  const { held, send } = limited(100_000);
  send(
    Buffer.concat(
      Array.from({ length: 100 }, (_, at) => frame(at === 0 ? BINARY : CONTINUATION, 1, { isFinal: false })),
    ),
  );
  expect(held()).toBe(100 * (7 + FRAME));
  const bytes = frame(CONTINUATION, 100);
  const before = held();
  for (let at = 0; at < bytes.length - 1; at += 1) send(bytes.subarray(at, at + 1));
  expect(held()).toBe(before + 256 * (bytes.length - 1));
  send(bytes.subarray(-1));
  expect(held()).toBe(0);
});

test('wherever the bytes are cut, as much is held of the same message', () => {
  const bytes = Buffer.concat([
    ...[frame(BINARY, 300, { isFinal: false, lengthBytes: 2 }), frame(PING, 5)],
    ...[frame(CONTINUATION, 400, { lengthBytes: 8 }), frame(BINARY, 2)],
    frame(BINARY, 1000, { lengthBytes: 2 }).subarray(0, 900),
  ]);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const { held, send } = limited(10_000);
    send(bytes.subarray(0, cut));
    send(bytes.subarray(cut));
    // A short chunk of the message that is open counts as one of 256 bytes.
    const inOpen = bytes.length - cut < 900 ? 900 + Math.max(0, 256 - (bytes.length - cut)) : 900;
    expect([cut, held()]).toEqual([cut, inOpen]);
  }
});

test('a client that sends the half of a frame holds memory of its user', async () => {
  await using server = new ApiServer({
    dialect: 'kubernetes',
    authentication: { tokens: [{ token: 'a', user: { username: 'alice', groups: ['system:masters'] } }] },
  });
  const listener = await listen(server, { port: 0 });
  const reserved = async (): Promise<number> => {
    const answer = await fetch(`${listener.url}/metrics`, { headers: { authorization: 'Bearer a' } });
    const line = /apiserver_memory_reserved_bytes\{[^}]*"bodies"[^}]*\} (\S+)/.exec(await answer.text());
    return Number(line?.[1]);
  };
  const { port, hostname } = new URL(listener.url);
  const socket = connect(Number(port), hostname);
  try {
    socket.write(
      `GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer a\r\nconnection: upgrade\r\n` +
        'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await new Promise((resolve) => socket.once('data', resolve));
    socket.resume();
    expect(await reserved()).toBe(0);
    // A masked binary frame of 200,000 bytes, of which 150,000 come.
    const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 3, 0x0d, 0x40, 0, 0, 0, 0]);
    socket.write(Buffer.concat([head, Buffer.alloc(150_000)]));
    await expect.poll(reserved, { timeout: 60_000 }).toBe(150_000 + head.length);
  } finally {
    socket.destroy();
  }
  await expect.poll(reserved, { timeout: 60_000 }).toBe(0);
  await listener.close();
});
