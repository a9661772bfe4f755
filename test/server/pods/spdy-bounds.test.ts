/** Bounds of what a client of a tunnel can make the server hold, and do in one turn. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { kubernetes } from '../../../src/entries/index.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import { Channels, selectProtocol } from '../../../src/server/connect/channels.js';
import { FrameReader, type Frame } from '../../../src/server/connect/spdy/frames.js';
import { HeaderReader } from '../../../src/server/connect/spdy/header-blocks.js';
import { SpdySession, type SpdyStream } from '../../../src/server/connect/spdy/spdy-session.js';
import { turnsDuring } from '../../support/turns.js';
import { SpdyClient } from './spdy-client.js';

let client: SpdyClient;
let session: SpdySession;
let streams: SpdyStream[];

const isDone = async (work: Promise<unknown>): Promise<boolean> => {
  let done = false;
  void work.then(() => (done = true));
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  return done;
};

const read = async (): Promise<void> => {
  for await (const _message of session.messages);
};

beforeEach(() => {
  const headers = HeaderReader.create();
  if (headers === undefined) throw new Error('this host has no zlib');
  client = new SpdyClient();
  streams = [];
  session = new SpdySession(headers, (stream) => streams.push(stream) > 0);
});

afterEach(() => session.close());

describe('a tunnel', () => {
  test.each([
    ['pings', () => client.ping(1)],
    ['streams', () => client.open(1, {})],
  ])('is not read while the client does not read the answers to its %s', async (_name, frame) => {
    const taken = session.receive(await frame());
    expect(await isDone(taken)).toBe(false);
    await session.messages.next();
    await taken;
  });

  test('takes many frames of a message in several turns', async () => {
    const message = Buffer.concat(Array.from({ length: 200 }, (_, id) => client.data(id, 'x')));
    expect(await turnsDuring(() => session.receive(message))).toBeGreaterThan(20);
  });

  test('takes no more frames of a message once it is closed', async () => {
    const message = Buffer.concat([client.ping(1), await client.open(1, {})]);
    const taken = session.receive(message);
    await nextTurn();
    session.close();
    await session.messages.return();
    await taken;
    expect(streams).toEqual([]);
  });

  test('is read as fast as its streams are while eight megabytes of all of them wait', async () => {
    void read();
    const large = 'x'.repeat(256 * 1024);
    for (let id = 1; id <= 10; id += 1) {
      await session.receive(await client.open(id, {}));
      for (let sent = 0; sent < 3; sent += 1) await session.receive(client.data(id, large));
    }
    await session.receive(await client.open(11, {}));
    await session.receive(client.data(11, large));
    const taken = session.receive(client.data(11, large));
    expect(await isDone(taken)).toBe(false);
    for (let waiting = 0; waiting < 2; waiting += 1) await streams.at(-1)?.input.next();
    await taken;
    // Room is given back by streams that end.
    for (const stream of streams.slice(0, 10)) stream.stop();
    for (let sent = 0; sent < 3; sent += 1) await session.receive(client.data(11, large));
  });

  test('counts what small frames take besides their data', async () => {
    void read();
    await session.receive(await client.open(1, {}));
    const message = Buffer.concat(Array.from({ length: 10_000 }, () => client.data(1, 'x')));
    const taken = session.receive(message);
    expect(await isDone(taken)).toBe(false);
    streams[0]?.stop();
    await taken;
  });

  test('ends when headers are too long', async () => {
    const ended = read();
    await session.receive(await client.open(1, { name: 'x'.repeat(9000) }));
    await ended;
    expect(streams).toEqual([]);
  });

  test('keeps no more of a message than the data that waits', () => {
    const message = Buffer.concat([client.data(1, 'a'), client.data(2, 'x'.repeat(100_000)), client.data(1, 'b')]);
    const kept = ([...new FrameReader().read(message)] as Extract<Frame, { type: 'data' }>[]).map(({ data }) => data);
    expect(kept.map(({ buffer }) => buffer.byteLength)).toEqual([1, 100_000, 1]);
  });

  test('reserves the memory of the beginning of a frame', () => {
    let held = 0;
    const reserve = (bytes: number): void => {
      if (held + bytes > 250_000) throw new Error('the memory budget is used up');
      held += bytes;
    };
    const reader = new FrameReader({ reserve, release: (bytes) => void (held -= bytes) });
    const frame = client.data(1, 'x'.repeat(200_000));
    expect([...reader.read(frame.subarray(0, 60_000))]).toEqual([]);
    expect(held).toBe(60_000);
    expect([...reader.read(Buffer.concat([frame.subarray(60_000), frame.subarray(0, 10)]))]).toHaveLength(1);
    expect(held).toBe(10);
    expect([...reader.read(frame.subarray(10, 150_000))]).toEqual([]);
    // Its buffer would be twice as large.
    expect(() => [...reader.read(frame.subarray(150_000, 160_000))]).toThrow('the memory budget is used up');
    reader.close();
    expect(held).toBe(0);
  });

  test('gives the memory of an incomplete frame back at its end', async () => {
    let held = 0;
    const headers = HeaderReader.create();
    if (headers === undefined) throw new Error('this host has no zlib');
    const memory = {
      reserve: (bytes: number) => void (held += bytes),
      release: (bytes: number) => void (held -= bytes),
    };
    const tunnel = new SpdySession(headers, () => true, memory);
    await tunnel.receive(client.data(1, 'x'.repeat(100_000)).subarray(0, 50_000));
    expect(held).toBe(50_000);
    tunnel.close();
    await tunnel.receive(Buffer.alloc(50_000));
    expect(held).toBe(0);
  });

  test('finds a frame that comes byte by byte, and what follows it', () => {
    const reader = new FrameReader();
    const message = Buffer.concat([
      client.data(1, 'first'),
      client.data(2, ''),
      client.ping(3),
      client.data(4, 'last'),
    ]);
    const found: Frame[] = [];
    for (const byte of message) found.push(...reader.read(Uint8Array.of(byte)));
    found.push(...reader.read(message.subarray(0, 20)), ...reader.read(message.subarray(20)));
    const shown = found.map((frame) => ('data' in frame ? `${frame.stream} ${Buffer.from(frame.data)}` : frame.type));
    const once = ['1 first', '2 ', 'ping', '4 last'];
    expect(shown).toEqual([...once, ...once]);
  });
});

/** Memory with a limit, and what is reserved in it. */
class Memory {
  held = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  reserve(bytes: number): void {
    if (this.held + bytes > this.#limit) throw new Error('the memory budget is used up');
    this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

describe('what nobody has read of a client', () => {
  test('counts in the memory of its tunnel, which ends when there is none', async () => {
    const headers = HeaderReader.create();
    if (headers === undefined) throw new Error('this host has no zlib');
    const memory = new Memory(300_000);
    const opened: SpdyStream[] = [];
    const tunnel = new SpdySession(headers, (stream) => opened.push(stream) > 0, memory);
    const ended = (async () => {
      for await (const _message of tunnel.messages);
    })();
    await tunnel.receive(await client.open(1, {}));
    await tunnel.receive(client.data(1, 'x'.repeat(100_000)));
    expect(memory.held).toBe(100_128);
    await opened[0]?.input.next();
    expect(memory.held).toBe(0);
    for (let sent = 0; sent < 3; sent += 1) await tunnel.receive(client.data(1, 'x'.repeat(100_000)));
    await ended;
    expect(memory.held).toBe(0);
  });

  test('counts in the memory of its channels, which end when there is none', async () => {
    const memory = new Memory(300_000);
    const channels = new Channels(selectProtocol('v5.channel.k8s.io', kubernetes), memory);
    const input = channels.input(0);
    const message = (): Uint8Array => Buffer.concat([Uint8Array.of(0), Buffer.alloc(100_000)]);
    await channels.receive(message());
    expect(memory.held).toBe(100_128);
    await input.next();
    expect(memory.held).toBe(0);
    for (let sent = 0; sent < 3; sent += 1) await channels.receive(message());
    expect(await channels.messages.next()).toEqual({ done: true, value: undefined });
    channels.dropInputs();
    expect(memory.held).toBe(0);
  });
});
