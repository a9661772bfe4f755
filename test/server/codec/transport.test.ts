import zlib, { gunzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { COMPRESSION_THRESHOLD, gzip, shouldCompress } from '../../../src/server/codec/compression.js';
import { watchEventSchema } from '../../../src/server/codec/meta-schemas.js';
import { ProtoEffort, readMessage } from '../../../src/server/codec/protobuf/proto-decode.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { planOf } from '../../../src/server/codec/protobuf/proto-plan.js';
import { protobufSerializer } from '../../../src/server/codec/protobuf/protobuf.js';
import {
  frameBytes,
  frameSplitter,
  jsonWatchFrame,
  protobufWatchFrame,
} from '../../../src/server/codec/watch-frames.js';
import { defaultDecodeLimits } from '../../../src/server/codec/codec.js';
import { kubernetes } from '../../../src/foundation/dialect/dialect.js';

describe('compression', () => {
  const large = COMPRESSION_THRESHOLD + 1;
  it.each<[string | undefined, number, boolean]>([
    ['gzip', large, true],
    ['gzip', COMPRESSION_THRESHOLD, false],
    [undefined, large, false],
    ['identity', large, false],
    ['deflate, GZIP;q=0.5', large, true],
    ['gzip;q=0', large, false],
    ['gzip; q=0.000, br', large, false],
    ['br, gzip;q=0.001', large, true],
    ['xgzip', large, false],
  ])('%s of %d bytes: %s', (header, length, expected) => {
    expect(shouldCompress(header, length)).toBe(expected);
  });
  it('can be decompressed by another program', async () => {
    const body = new TextEncoder().encode('text '.repeat(50_000));
    const pieces: Uint8Array[] = [];
    for await (const piece of gzip([body.subarray(0, 100_000), body.subarray(100_000)])) pieces.push(piece);
    const packed = Buffer.concat(pieces);
    expect(packed.length).toBeLessThan(body.length / 10);
    expect(gunzipSync(packed).equals(body)).toBe(true);
  });
  it('compresses two chunks at once, however many bodies there are', async () => {
    const { deflateRaw } = zlib;
    let [running, most] = [0, 0];
    const spy = vi.spyOn(zlib, 'deflateRaw').mockImplementation((bytes, options, done) => {
      running += 1;
      most = Math.max(most, running);
      deflateRaw(bytes, options as zlib.ZlibOptions, (error, packed) => {
        running -= 1;
        done?.(error, packed);
      });
    });
    const body = new TextEncoder().encode('text '.repeat(1_000));
    const packedBody = async (): Promise<Buffer> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of gzip([body, body, body])) pieces.push(piece);
      return gunzipSync(Buffer.concat(pieces));
    };
    const bodies = await Promise.all(Array.from({ length: 10 }, packedBody));
    spy.mockRestore();
    expect(most).toBe(2);
    for (const each of bodies) expect(each.equals(Buffer.concat([body, body, body]))).toBe(true);
  });
});

describe('watch frames', () => {
  it('of JSON copy the object', () => {
    expect(jsonWatchFrame('ADDED', '{"a": 1}')).toBe('{"type":"ADDED","object":{"a": 1}}\n');
  });
  it('of protobuf have a length prefix, for any fragmentation', () => {
    const serializer = protobufSerializer(kubernetes);
    const none = (): undefined => undefined;
    const status = serializer.encode(
      { apiVersion: 'v1', kind: 'Status', metadata: {}, message: 'x'.repeat(300), code: 410 },
      { pretty: false, schemaFor: none },
    ) as Uint8Array;
    const frames = [protobufWatchFrame('BOOKMARK', status), protobufWatchFrame('ERROR', status)];
    expect(new DataView((frames[0] as Uint8Array).buffer).getUint32(0)).toBe((frames[0] as Uint8Array).length - 4);
    const split = frameSplitter();
    const all = frames.flatMap((frame) => [...frameBytes(frame)]);
    const received = all.flatMap((byte) => split(Uint8Array.of(byte)));
    const context = {
      depth: 1,
      limits: defaultDecodeLimits,
      effort: new ProtoEffort(UNBOUNDED_WORK, Infinity),
      *envelope(raw: Uint8Array) {
        const decoded = serializer.decode(raw, { kind: '', schema: undefined, schemaFor: none });
        return (decoded as { value: object }).value as Record<string, never>;
      },
    };
    expect(received.map((frame) => atOnce(readMessage(frame, planOf(watchEventSchema), context)))).toMatchObject([
      { type: 'BOOKMARK', object: { kind: 'Status', code: 410 } },
      { type: 'ERROR', object: { kind: 'Status', code: 410 } },
    ]);
    expect(() => frameSplitter()(Uint8Array.of(0xff, 0, 0, 0))).toThrow(RangeError);
  });
});
