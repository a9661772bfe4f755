import { constants, type ServerHttp2Stream } from 'node:http2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEtcdStorage } from '../../../src/storage/etcd/index.js';
import { systemClock } from '../../../src/foundation/index.js';
import { ProtobufReader } from '../../../src/foundation/encoding/protobuf-reader.js';
import { MessageWriter } from '../../../src/storage/etcd/wire/message-writer.js';
import { encodeWatchProgress } from '../../../src/storage/etcd/wire/watches.js';
import { RecordingSink } from '../../../src/testing/storage-contract/recording-sink.js';
import type { Storage } from '../../../src/storage/storage.js';
import { FakeMember, header } from './fake-member.js';

const PREFIX = '/registry/samples/';
const EVERY_WATCH = 2n ** 64n - 1n;
const value = '{"metadata":{"resourceVersion":"0"}}';

interface Reported {
  readonly revision?: number;
  readonly watchId?: bigint;
  readonly fragment?: boolean;
  readonly created?: boolean;
  readonly canceled?: boolean;
  readonly compactRevision?: number;
  readonly puts?: readonly [name: string, revision: number][];
}

/** A message of a watch. */
function reported({
  revision = 10,
  watchId = 0n,
  fragment = false,
  created = false,
  canceled = false,
  compactRevision = 0,
  puts = [],
}: Reported): Uint8Array {
  const message = new MessageWriter()
    .message(1, header(revision))
    .integer(2, watchId)
    .flag(3, created)
    .flag(4, canceled)
    .integer(5, compactRevision)
    .flag(7, fragment);
  for (const [name, modRevision] of puts.toReversed()) {
    const keyValue = (writer: MessageWriter): unknown =>
      writer
        .text(5, value)
        .integer(4, 1)
        .integer(3, modRevision)
        .integer(2, modRevision)
        .text(1, PREFIX + name);
    message.message(11, (write) => write.message(2, keyValue));
  }
  return message.finish();
}

/** The revision from which a watch is requested. */
function startOf(request: Buffer | undefined): number {
  const outer = new ProtobufReader(request ?? Buffer.alloc(0));
  outer.next();
  const create = outer.message();
  for (let field = create.next(); field !== 0; field = create.next()) {
    if (field === 3) return create.uint64();
    create.skip();
  }
  return 0;
}

describe('the watch of a member', () => {
  let member: FakeMember;
  let storage: Storage;
  beforeEach(async () => {
    member = await FakeMember.start();
  });
  afterEach(async () => {
    await storage.close();
    await member.close();
  });
  const open = async (): Promise<void> => {
    storage = await openEtcdStorage({ endpoints: [member.url], clock: systemClock, compactionInterval: 0 });
  };
  const watched = (from: number) => {
    const sink = new RecordingSink(from);
    return { sink, watch: storage.watch(PREFIX, from, sink) };
  };

  test('requests a member with a leader, previous values, and large messages in fragments', async () => {
    await open();
    const watch = await member.watch(0);
    await watch.requested(1);
    expect(watch.headers['hasleader']).toBe('true');
    const create = new ProtobufReader(watch.requests[0] ?? Buffer.alloc(0));
    expect(create.next()).toBe(1);
    const fields: number[] = [];
    const inner = create.message();
    for (let field = inner.next(); field !== 0; field = inner.next()) {
      fields.push(field);
      inner.skip();
    }
    // key, range_end, start_revision, progress_notify, prev_kv, fragment
    expect(fields).toEqual([1, 2, 3, 4, 6, 8]);
  });

  test('a fragmented message is delivered when it is complete, and the watch resumes after the last complete one', async () => {
    await open();
    const first = await member.watch(0);
    const { sink } = watched(10);
    first.send(reported({ created: true }));
    first.send(reported({ revision: 12, puts: [['a', 11]] }));
    await sink.untilCount(1);
    // The connection is lost before the second part.
    first.send(reported({ revision: 12, fragment: true, puts: [['b', 12]] }));
    await storage.currentRevision();
    expect(sink.received).toHaveLength(1);
    member.cut();
    const second = await member.watch(1);
    await second.requested(1);
    expect(startOf(second.requests[0])).toBe(12);
    second.send(reported({ revision: 13, fragment: true, puts: [['b', 12]] }));
    second.send(reported({ revision: 13, fragment: true, puts: [['c', 13]] }));
    second.send(reported({ revision: 13, puts: [['d', 14]] }));
    await sink.until(() => sink.received.length === 4);
    expect(sink.received.map(({ key, revision }) => `${key.slice(PREFIX.length)}@${revision}`)).toEqual([
      'a@11',
      'b@12',
      'c@13',
      'd@14',
    ]);
  });

  test('progress is requested from the member, again until it is reported', async () => {
    await open();
    const stream = await member.watch(0);
    stream.send(reported({ created: true }));
    const { sink, watch } = watched(10);
    stream.send(reported({ revision: 11, puts: [['a', 11]] }));
    await sink.untilCount(1);
    // Writes of another client.
    member.revision = 20;
    watch.requestProgress();
    await stream.requested(3);
    expect(stream.requests.slice(1)).toEqual([1, 2].map(() => Buffer.from(encodeWatchProgress())));
    stream.send(reported({ revision: 20, watchId: EVERY_WATCH }));
    await sink.until(() => sink.progressed.includes(20));
  });

  test('progress of a member with unreliable progress is neither requested nor used', async () => {
    member.version = '3.4.23';
    await open();
    const stream = await member.watch(0);
    stream.send(reported({ created: true }));
    const { sink, watch } = watched(10);
    member.revision = 20;
    stream.send(reported({ revision: 20, watchId: EVERY_WATCH }));
    watch.requestProgress();
    await sink.until(() => sink.progressed.length > 0);
    expect(Math.max(...sink.progressed)).toBeLessThanOrEqual(10);
    expect(stream.requests).toHaveLength(1);
    // The progress that it reports on its own initiative is in order.
    stream.send(reported({ revision: 18 }));
    watch.requestProgress();
    await sink.until(() => sink.progressed.includes(18));
  });

  test('a watch that the member reports as compacted restarts after the compacted revision', async () => {
    await open();
    const first = await member.watch(0);
    const { sink } = watched(10);
    const future = watched(31);
    first.send(reported({ created: true }));
    first.send(reported({ revision: 40, canceled: true, compactRevision: 30 }));
    await sink.until(() => sink.ends.length > 0);
    expect(sink.ends).toEqual([{ kind: 'compacted', compactRevision: 30 }]);
    const second = await member.watch(1);
    await second.requested(1);
    expect(startOf(second.requests[0])).toBe(31);
    second.send(reported({ revision: 40, puts: [['a', 32]] }));
    await future.sink.untilCount(1);
  });

  test('an update without its previous version ends the watches that need it, as compacted', async () => {
    await open();
    const stream = await member.watch(0);
    const { sink } = watched(10);
    const keyValue = (writer: MessageWriter): unknown =>
      writer.text(5, value).integer(4, 2).integer(3, 11).integer(2, 5).text(1, `${PREFIX}a`);
    stream.send(
      new MessageWriter()
        .message(11, (write) => write.message(2, keyValue))
        .message(1, header(11))
        .finish(),
    );
    await sink.until(() => sink.ends.length > 0);
    expect(sink.ends[0]).toMatchObject({ kind: 'failed', error: { code: 'Compacted' } });
  });

  test('an invalid message ends the stream, and the next stream continues', async () => {
    await open();
    const first = await member.watch(0);
    const { sink } = watched(10);
    first.send(reported({ revision: 11, puts: [['a', 11]] }));
    await sink.untilCount(1);
    first.send(Buffer.from([0x0a, 0xff]));
    const second = await member.watch(1);
    await second.requested(1);
    expect(startOf(second.requests[0])).toBe(12);
    second.send(reported({ revision: 12, puts: [['b', 12]] }));
    await sink.untilCount(2);
  });
});

describe('a call', () => {
  let member: FakeMember;
  let storage: Storage;
  beforeEach(async () => {
    member = await FakeMember.start();
    storage = await openEtcdStorage({
      endpoints: [member.url],
      clock: systemClock,
      compactionInterval: 0,
      requestTimeout: 10_000,
    });
  });
  afterEach(async () => {
    await storage.close();
    await member.close();
  });

  const write = () => storage.create(`${PREFIX}a`, () => value);
  const committed = (revision: number): Uint8Array =>
    new MessageWriter().message(1, header(revision)).flag(2, true).finish();

  test.each<[what: string, refusal: { code: number; message: string } | number]>([
    ['no leader', { code: 14, message: 'etcdserver: no leader' }],
    ['too many requests', { code: 8, message: 'etcdserver: too many requests' }],
    ['a learner', { code: 14, message: 'etcdserver: rpc not supported for learner' }],
    ['no look at it', constants.NGHTTP2_REFUSED_STREAM],
  ])('that a member rejects with %s is repeated, even a write', async (_, refusal) => {
    let refused = 0;
    member.answer = (path, _message, stream) => {
      if (!path.endsWith('/Txn')) return undefined;
      if ((refused += 1) > 2) return committed(11);
      if (typeof refusal !== 'number') return refusal;
      stream.close(refusal);
      return 'none';
    };
    expect((await write()).modRevision).toBe(11);
    expect(refused).toBe(3);
  });

  test.each([
    ['timed out', { code: 14, message: 'etcdserver: request timed out' }],
    ['lost its leader', { code: 14, message: 'etcdserver: leader changed' }],
    ['was stopped', { code: 14, message: 'etcdserver: server stopped' }],
    ['failed in another way', { code: 2, message: 'something else' }],
  ])('that %s may have been carried out: a write is not repeated but read back', async (_, refusal) => {
    let writes = 0;
    member.answer = (path) => {
      if (!path.endsWith('/Txn')) return undefined;
      writes += 1;
      return refusal;
    };
    await expect(write()).rejects.toMatchObject({
      code: 'Unavailable',
      message: `the outcome of the write of ${PREFIX}a is unknown: ${refusal.message}`,
    });
    expect(writes).toBe(1);
    // Looks at the health of the member come between, as time passes.
    expect(member.calls.filter((path) => path.startsWith('/etcdserverpb.KV/')).at(-1)).toBe('/etcdserverpb.KV/Range');
  });

  test('that is too large is rejected unchanged', async () => {
    member.answer = (path) =>
      path.endsWith('/Txn') ? { code: 3, message: 'etcdserver: request is too large' } : undefined;
    await expect(write()).rejects.toMatchObject({ name: 'RpcError', message: 'etcdserver: request is too large' });
  });

  test.each([
    ['a status other than 200', (stream: ServerHttp2Stream) => stream.respond({ ':status': 502 }, { endStream: true })],
    ['no gRPC status', (stream: ServerHttp2Stream) => stream.respond({ ':status': 200 }, { endStream: true })],
  ])('that is answered with %s has an unknown outcome', async (_, respond) => {
    member.answer = (path, _message, stream) => {
      if (!path.endsWith('/Txn')) return undefined;
      respond(stream);
      return 'none';
    };
    await expect(write()).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('unknown') as string,
    });
  });

  test('announces its deadline', async () => {
    await storage.get(`${PREFIX}a`);
    expect(member.timeouts.at(-1)).toMatch(/^\d+m$/);
    expect(parseInt(member.timeouts.at(-1) ?? '', 10)).toBeGreaterThan(5_000);
    expect(parseInt(member.timeouts.at(-1) ?? '', 10)).toBeLessThanOrEqual(10_000);
  });
});
