/** Bodies in many short pieces: memory by their bytes, and a turn for some thousands of them. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyPieces } from '../../src/foundation/index.js';
import { readBody } from '../../src/transport/node/body.js';
import { turnsDuring } from '../support/turns.js';

test('short pieces share arrays, long ones are kept as they are', () => {
  const pieces = new BodyPieces();
  for (let index = 0; index < 200_000; index += 1) pieces.push(Uint8Array.of(index % 251));
  expect(pieces.held).toBeLessThan(20);
  const long = new Uint8Array(5_000).fill(7);
  pieces.push(long);
  const joined = pieces.joined();
  expect(joined).toHaveLength(205_000);
  expect(joined[199_999]).toBe(199_999 % 251);
  expect(joined[204_999]).toBe(7);
});

test('a body in one piece is not copied', () => {
  const pieces = new BodyPieces();
  const only = Uint8Array.of(1, 2, 3);
  pieces.push(only);
  expect(pieces.joined()).toBe(only);
});

test('any pieces make the same body', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ minLength: 1020, maxLength: 1030 }))),
      (all) => {
        const pieces = new BodyPieces();
        for (const each of all) pieces.push(each);
        expect(Buffer.from(pieces.joined())).toEqual(Buffer.concat(all));
        expect(pieces.length).toBe(Buffer.concat(all).length);
      },
    ),
  );
});

test('a body in short pieces is taken in several turns', async () => {
  const count = 20_000;
  const request = new IncomingMessage(new Socket());
  let [inTurn, most, isDone] = [0, 0, false];
  const look = (): void => {
    most = Math.max(most, inTurn);
    inTurn = 0;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  request._read = () => undefined;
  request.headers['transfer-encoding'] = 'chunked';
  const body = readBody(request, { response: undefined }, 1_000_000, () => void (inTurn += 1));
  for (let index = 0; index < count; index += 1) request.push(Buffer.from('x'));
  request.push(null);
  expect(await body).toHaveLength(count);
  isDone = true;
  expect(most).toBeLessThanOrEqual(4_096);
  expect(most).toBeGreaterThan(0);
});

test('clients that leave in one turn end their bodies in several', async () => {
  const requests = Array.from({ length: 200 }, () => {
    const request = new IncomingMessage(new Socket());
    request._read = () => undefined;
    request.headers['transfer-encoding'] = 'chunked';
    return request;
  });
  const bodies = requests.map((request) => readBody(request, { response: undefined }, 1_000_000));
  const turns = await turnsDuring(async () => {
    for (const request of requests) request.destroy();
    const ends = await Promise.allSettled(bodies);
    expect(ends.every((end) => end.status === 'rejected' && String(end.reason).includes('unexpected EOF'))).toBe(true);
  });
  expect(turns).toBeGreaterThan(20);
});
