import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import { openEtcdStorage } from '../../../src/storage/etcd/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { FakeMember } from './fake-member.js';

let member: FakeMember;
let storage: Storage;
beforeEach(async () => {
  member = await FakeMember.start();
  storage = await openEtcdStorage({ endpoints: [member.url], clock: systemClock, compactionInterval: 0 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await storage.close();
  await member.close();
});

/** A stream of a call. */
interface Opened {
  readonly stream: ClientHttp2Stream;
  readonly closed: Promise<unknown>;
}

/** Makes a call and returns its stream once it is closed. */
async function closedStreamOf(call: () => Promise<unknown>): Promise<ClientHttp2Stream> {
  const session = connect(member.url);
  await once(session, 'connect');
  session.destroy();
  const opened: Opened[] = [];
  const prototype = Object.getPrototypeOf(session) as ClientHttp2Session;
  const { request } = prototype as { request: (this: ClientHttp2Session, headers: object) => ClientHttp2Stream };
  vi.spyOn(prototype, 'request').mockImplementation(function (this: ClientHttp2Session, headers = {}) {
    const stream = request.call(this, headers);
    opened.push({ stream, closed: once(stream, 'close') });
    return stream;
  });
  await Promise.allSettled([call()]);
  const [first] = opened;
  if (first === undefined) throw new Error('no call');
  await first.closed;
  return first.stream;
}

test.each([
  ['that succeeds', undefined],
  ['that is refused', { code: 3, message: 'etcdserver: invalid' }],
])('the stream of a call %s holds nothing of it once it is closed', async (_, refusal) => {
  member.answer = () => refusal;
  const stream = await closedStreamOf(() => storage.get('/registry/samples/a'));
  for (const event of ['response', 'trailers', 'data', 'end', 'close']) expect(stream.listenerCount(event)).toBe(0);
});

test('an error of a closed stream is not thrown', async () => {
  const stream = await closedStreamOf(() => storage.get('/registry/samples/a'));
  expect(() => stream.emit('error', new Error('late'))).not.toThrow();
});
