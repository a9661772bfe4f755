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

test('their bytes are reserved until they are complete', () => {
  const connection = new Duplex({ read: () => undefined });
  const socket = new FakeSocket();
  let held = 0;
  const memory = {
    reserve: (bytes: number): void => {
      if (held + bytes > 1000) throw new Error('the memory budget is used up');
      held += bytes;
    },
    release: (bytes: number): void => void (held -= bytes),
  };
  reserveIncomplete(connection, socket, memory);
  connection.emit('data', Buffer.alloc(400));
  connection.emit('data', Buffer.alloc(500));
  expect(held).toBe(900);
  socket.emit('message');
  expect(held).toBe(0);
  connection.emit('data', Buffer.alloc(900));
  connection.emit('data', Buffer.alloc(200));
  expect([held, socket.terminated]).toEqual([900, 1]);
  socket.emit('close');
  expect(held).toBe(0);
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
