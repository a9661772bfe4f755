import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { piecesOf } from '../../src/transport/node/outbound/pieces.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const textOf = (piece: Uint8Array | void): string => Buffer.from(piece ?? []).toString();

describe('the pieces of a stream', () => {
  test('are what has arrived since the last one', async () => {
    const stream = new PassThrough();
    const pieces = piecesOf(stream);
    const first = pieces.next();
    stream.write('a');
    expect(textOf((await first).value)).toBe('a');
    const second = pieces.next();
    await turn();
    stream.write('b');
    expect(textOf((await second).value)).toBe('b');
    stream.write('c');
    stream.write('d');
    stream.end();
    await turn();
    expect(textOf((await pieces.next()).value)).toBe('cd');
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });

  test('are one piece when thousands come at once', async () => {
    const stream = new PassThrough({ highWaterMark: 64 * 1024 });
    const pieces = piecesOf(stream);
    const first = pieces.next();
    for (let count = 0; count < 5_000; count += 1) stream.write(String(count % 10));
    stream.end();
    const text = textOf((await first).value) + textOf((await pieces.next()).value);
    expect(text).toBe('0123456789'.repeat(500));
  });

  test('of a slow server may be as short and as many as it likes', async () => {
    const stream = new PassThrough();
    const pieces = piecesOf(stream);
    let read = 0;
    for (; read < 6_000; read += 1) {
      const next = pieces.next();
      stream.write('x');
      if (textOf((await next).value) !== 'x') break;
    }
    expect(read).toBe(6_000);
    stream.destroy();
  });

  test('over HTTP/2 are there when they have all arrived before anyone reads them', async () => {
    const server = createServer((_request, response) => response.end('late'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      session.close();
      server.close();
    });
    const stream = session.request({ ':path': '/' });
    while (!stream.closed) await turn();
    const pieces = piecesOf(stream);
    expect(textOf((await pieces.next()).value)).toBe('late');
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });

  test('wait in the stream while they are not read', async () => {
    const stream = new PassThrough({ highWaterMark: 1024 });
    const pieces = piecesOf(stream);
    const first = pieces.next();
    stream.write('a');
    await first;
    const block = Buffer.alloc(16 * 1024);
    for (let count = 0; count < 20; count += 1) stream.write(block);
    for (let count = 0; count < 20; count += 1) await turn();
    expect(stream.isPaused()).toBe(true);
    let bytes = 0;
    stream.end();
    for await (const piece of pieces) bytes += piece.length;
    expect(bytes).toBe(20 * block.length);
  });

  test('that arrived before an error come before it', async () => {
    const stream = new PassThrough();
    const pieces = piecesOf(stream, (error) => new Error('lost', { cause: error }));
    const first = pieces.next();
    stream.write('a');
    expect(textOf((await first).value)).toBe('a');
    stream.write('b');
    await turn();
    const cause = new Error('reset');
    stream.destroy(cause);
    expect(textOf((await pieces.next()).value)).toBe('b');
    await expect(pieces.next()).rejects.toMatchObject({ message: 'lost', cause });
  });

  test('of a stream that was destroyed before are an error', async () => {
    const stream = new PassThrough();
    stream.destroy();
    await turn();
    await expect(piecesOf(stream).next()).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
  });

  test('destroy the stream when the loop is left', async () => {
    const stream = new PassThrough();
    stream.write('a');
    for await (const _piece of piecesOf(stream)) break;
    await turn();
    expect(stream.destroyed).toBe(true);
  });
});
