import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import { Connection } from '../../../src/storage/etcd/rpc/connection.js';
import { RpcError } from '../../../src/storage/etcd/rpc/rpc-error.js';
import { FakeMember } from './fake-member.js';

const STATUS = '/etcdserverpb.Maintenance/Status';
const WATCH = '/etcdserverpb.Watch/Watch';

let member: FakeMember;
beforeEach(async () => {
  member = await FakeMember.start();
});
afterEach(() => member.close());

const open = (): Promise<Connection> =>
  Connection.open(
    { origin: member.url, secure: false },
    { clock: systemClock, connectTimeoutMs: 60_000, tls: () => ({}) },
  );

test('a connection that ends with the answer of a call harms nothing', async () => {
  // The answers of calls arrive together. Node frees the streams of a session that ends while it reads: it aborted here.
  for (let round = 0; round < 200; round += 1) {
    const connection = await open();
    const ended = [0, 1, 2].map(
      () =>
        new Promise<RpcError>((resolve) =>
          connection.stream(WATCH, {}, { message: () => undefined, end: resolve }).send(new Uint8Array(50)),
        ),
    );
    const calls = Array.from({ length: 6 }, () => connection.call(STATUS, new Uint8Array(), {}, 60_000));
    const outcomes = Promise.allSettled(calls);
    await calls[round % calls.length];
    if (round % 2 === 0) connection.destroy();
    else connection.retire();
    expect(connection.usable).toBe(false);
    await expect(connection.call(STATUS, new Uint8Array(), {}, 60_000)).rejects.toThrow('the connection is over');
    if (round % 2 === 1) connection.destroy();
    for (const outcome of await outcomes)
      expect(outcome.status === 'fulfilled' || outcome.reason instanceof RpcError).toBe(true);
    expect((await Promise.all(ended)).map(({ message }) => message)).toEqual(
      ended.map(() => `${member.url}: the connection was lost`),
    );
  }
});
