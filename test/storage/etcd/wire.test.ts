import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHex } from '../../../src/foundation/encoding/hex.js';
import { ProtobufReader } from '../../../src/foundation/encoding/protobuf-reader.js';
import { FrameReader, frameOf } from '../../../src/storage/etcd/rpc/frames.js';
import { parseEndpoints } from '../../../src/storage/etcd/rpc/endpoint.js';
import { hasReliableProgress } from '../../../src/storage/etcd/version.js';
import { decodeRange, decodeTxn, encodeTxn } from '../../../src/storage/etcd/wire/key-values.js';
import { MessageWriter } from '../../../src/storage/etcd/wire/message-writer.js';
import { decodeLeaseTimeToLive } from '../../../src/storage/etcd/wire/services.js';
import { decodeWatch, EVERY_WATCH } from '../../../src/storage/etcd/wire/watches.js';

describe('messages', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.string({ unit: 'grapheme' }),
        fc.uint8Array({ maxLength: 600 }),
        fc.boolean(),
        (integer, big, text, bytes, flag) => {
          const reader = new ProtobufReader(
            new MessageWriter()
              .message(6, (inner) => inner.integer(1, integer))
              .flag(5, flag)
              .bytes(4, bytes)
              .text(3, text)
              .integer(2, big)
              .integer(1, integer)
              .finish(),
          );
          const read: Record<number, unknown> = {};
          for (let field = reader.next(); field !== 0; field = reader.next()) {
            if (field === 1) read[1] = reader.uint64();
            else if (field === 2) read[2] = reader.bigUint64();
            else if (field === 3) read[3] = reader.string();
            else if (field === 4) read[4] = Uint8Array.from(reader.bytes());
            else if (field === 5) read[5] = reader.bool();
            else reader.skip();
          }
          expect([read[1] ?? 0, read[2] ?? 0n, read[3] ?? '', read[4] ?? new Uint8Array(), read[5] ?? false]).toEqual([
            integer,
            big,
            text,
            bytes,
            flag,
          ]);
        },
      ),
    );
  });

  it('have the bytes that the format defines', () => {
    const { compare, success } = {
      compare: [{ key: Buffer.from('k'), version: 0 }],
      success: [{ put: { key: Buffer.from('k'), value: Buffer.from('v'), lease: 300n } }],
    };
    expect(encodeHex(encodeTxn({ compare, success, failure: [{ range: { key: Buffer.from('k'), limit: 1 } }] }))).toBe(
      '0a031a016b' + '120b' + '1209' + '0a016b' + '120176' + '18ac02' + '1a07' + '0a05' + '0a016b' + '1801',
    );
  });

  it('with a wrong length or of an unknown kind throw, and are never read past their end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const decode of [decodeRange, decodeTxn, decodeWatch, decodeLeaseTimeToLive]) {
          try {
            decode(Buffer.from(bytes));
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
          }
        }
      }),
      { numRuns: 2_000 },
    );
    expect(() => decodeRange(Buffer.from('12ff', 'hex'))).toThrow('malformed');
    expect(() => decodeRange(Buffer.from('20ffffffffffffffffff01', 'hex'))).toThrow('malformed');
  });

  it('include the watch id that addresses all watches, and an expired lease', () => {
    const watch = new MessageWriter().integer(2, 2n ** 64n - 1n).finish();
    expect(decodeWatch(Buffer.from(watch)).watchId).toBe(EVERY_WATCH);
    expect(
      decodeLeaseTimeToLive(Buffer.from(new MessageWriter().integer(3, 2n ** 64n - 1n).finish())).secondsLeft,
    ).toBe(-1);
  });
});

describe('frames', () => {
  it('are assembled from any fragmentation', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (messages, cuts) => {
          const stream = Buffer.concat(messages.map(frameOf));
          const reader = new FrameReader();
          const read: Buffer[] = [];
          for (let start = 0, turn = 0; start < stream.length; turn += 1) {
            const length = cuts[turn % cuts.length] ?? 1;
            read.push(...reader.take(stream.subarray(start, start + length)));
            start += length;
          }
          expect(read.map((message) => Uint8Array.from(message))).toEqual(messages);
        },
      ),
    );
  });

  it.each([
    ['a compressed frame', Buffer.from([1, 0, 0, 0, 0]), 'compressed'],
    ['an oversized frame', Buffer.from([0, 255, 255, 255, 255]), 'bytes'],
  ])('%s is rejected', (_, frame, message) => {
    expect(() => new FrameReader().take(frame)).toThrow(message);
  });
});

describe('members', () => {
  it('are URLs of hosts', () => {
    expect(parseEndpoints(['http://127.0.0.1:2379', 'https://[::1]:2379/'])).toEqual([
      { origin: 'http://127.0.0.1:2379', secure: false },
      { origin: 'https://[::1]:2379', secure: true },
    ]);
  });

  it.each([[[]], [['127.0.0.1:2379']], [['ftp://a']], [['http://a/path']], [['http://user@a']], [['http://a?b']]])(
    '%j is rejected',
    (urls) => {
      expect(() => parseEndpoints(urls)).toThrow(TypeError);
    },
  );

  it.each([
    ['3.4.23', false],
    ['3.4.30', false],
    ['3.4.31', true],
    ['3.5.0', false],
    ['3.5.12', false],
    ['3.5.13', true],
    ['3.5.21', true],
    ['3.6.0', true],
    ['3.6.0-rc.1', true],
    ['4.0.0', true],
    ['3.3.27', false],
    ['2.3.8', false],
    ['', false],
    ['nonsense', false],
  ])('of version %j report reliable progress: %j', (version, safe) => {
    expect(hasReliableProgress(version)).toBe(safe);
  });
});
