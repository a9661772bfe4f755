import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHex, encodeHex } from '../../../src/foundation/encoding/hex.js';
import { ProtobufError, ProtobufReader, WireType } from '../../../src/foundation/encoding/protobuf-reader.js';
import { ProtobufWriter } from '../../../src/foundation/encoding/protobuf-writer.js';

const bytesOf = (hex: string): Uint8Array => decodeHex(hex) ?? new Uint8Array();
/** A reader of one value, after a tag of the wire type. */
const valueOf = (wireType: number, hex: string): ProtobufReader<Uint8Array> => {
  const reader = new ProtobufReader(bytesOf(`${encodeHex(Uint8Array.of(8 + wireType))}${hex}`));
  expect(reader.next()).toBe(1);
  expect(reader.wireType).toBe(wireType);
  return reader;
};

describe('integers', () => {
  test.each<[hex: string, unsigned: bigint, signed: bigint, int32: number]>([
    ['00', 0n, 0n, 0],
    ['7f', 127n, 127n, 127],
    ['8001', 128n, 128n, 128],
    ['8000', 0n, 0n, 0],
    ['ffffffff07', 2n ** 31n - 1n, 2n ** 31n - 1n, 2 ** 31 - 1],
    ['8080808008', 2n ** 31n, 2n ** 31n, -(2 ** 31)],
    ['ffffffff0f', 2n ** 32n - 1n, 2n ** 32n - 1n, -1],
    ['8080808010', 2n ** 32n, 2n ** 32n, 0],
    ['ffffffffffffff0f', 2n ** 53n - 1n, 2n ** 53n - 1n, -1],
    ['ffffffffffffffffff01', 2n ** 64n - 1n, -1n, -1],
    ['80808080f8ffffffff01', 2n ** 64n - 2n ** 31n, -(2n ** 31n), -(2 ** 31)],
    // Bits beyond the 64th are ignored.
    ['ffffffffffffffffff7f', 2n ** 64n - 1n, -1n, -1],
  ])('%s', (hex, unsigned, signed, int32) => {
    expect(valueOf(WireType.varint, hex).bigUint64()).toBe(unsigned);
    expect(valueOf(WireType.varint, hex).int64()).toBe(Number(signed));
    expect(valueOf(WireType.varint, hex).exactInt64()).toBe(Number(signed));
    expect(valueOf(WireType.varint, hex).int32()).toBe(int32);
    expect(valueOf(WireType.varint, hex).bool()).toBe(unsigned !== 0n);
    if (unsigned < 2n ** 53n) expect(valueOf(WireType.varint, hex).uint64()).toBe(Number(unsigned));
  });

  test.each<[string, string, (reader: ProtobufReader<Uint8Array>) => unknown]>([
    ['8080808080808010', 'the integer 9007199254740992 cannot be kept exactly', (reader) => reader.int64()],
    ['8080808080808010', 'the integer 9007199254740992 cannot be kept exactly', (reader) => reader.uint64()],
    ['ffffffffffffffffff01', 'the integer 18446744073709551615 cannot be kept exactly', (reader) => reader.uint64()],
    ['80808080808080808001', 'the integer -9223372036854775808 cannot be kept exactly', (reader) => reader.int64()],
    ['80', 'unexpected EOF', (reader) => reader.exactInt64()],
    ['', 'unexpected EOF', (reader) => reader.bigUint64()],
    ['80', 'unexpected EOF', (reader) => reader.uint64()],
    ['ffffffffffffffffff', 'unexpected EOF', (reader) => reader.int64()],
    ['ffffffffffffffffffff01', 'proto: integer overflow', (reader) => reader.int64()],
    ['ffffffffffffffffffff01', 'proto: integer overflow', (reader) => reader.skip()],
  ])('%s is rejected: %s', (hex, message, read) => {
    expect(() => read(valueOf(WireType.varint, hex))).toThrow(new ProtobufError(message));
  });

  test('of 64 bits are read as written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), fc.maxSafeInteger(), (big, number) => {
        const writer = new ProtobufWriter();
        writer.varint(number);
        writer.tag(2, WireType.varint);
        writer.varint(big);
        writer.tag(1, WireType.varint);
        const reader = new ProtobufReader(writer.finish());
        const again = new ProtobufReader(writer.finish());
        const signed = BigInt.asIntN(64, big);
        const exact = Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
        expect([again.next(), again.exactInt64()]).toEqual([1, exact]);
        expect([reader.next(), reader.bigUint64()]).toEqual([1, BigInt.asUintN(64, big)]);
        expect([reader.next(), reader.int64()]).toEqual([2, number]);
        expect(reader.next()).toBe(0);
      }),
    );
  });
});

describe('lengths', () => {
  test.each([
    ['bytes beyond the end', WireType.bytes, '02ff'],
    ['a length beyond the end', WireType.bytes, 'ffffffff0f'],
    ['a length that no double represents', WireType.bytes, 'ffffffffffffffffff01'],
    ['no length', WireType.bytes, ''],
    ['half a double', WireType.fixed64, '00000000'],
    ['half a float', WireType.fixed32, '0000'],
  ])('%s', (_what, wireType, hex) => {
    expect(() => valueOf(wireType, hex).skip()).toThrow(new ProtobufError('unexpected EOF'));
    if (wireType !== WireType.bytes) return;
    expect(() => valueOf(wireType, hex).bytes()).toThrow(ProtobufError);
    expect(() => valueOf(wireType, hex).message()).toThrow(ProtobufError);
  });

  test('of a nested message end it, whatever follows', () => {
    const outer = valueOf(WireType.bytes, '020801' + '1005');
    const inner = outer.message();
    expect([inner.next(), inner.int32(), inner.next()]).toEqual([1, 1, 0]);
    expect([outer.next(), outer.int32(), outer.next()]).toEqual([2, 5, 0]);
    // A varint must not continue beyond the end of its message.
    const cut = valueOf(WireType.bytes, '0208ff' + '01').message();
    cut.next();
    expect(() => cut.int32()).toThrow('unexpected EOF');
  });
});

test.each([
  ['00', 'proto: illegal tag 0 (wire type 0)'],
  ['07', 'proto: illegal tag 0 (wire type 7)'],
  ['80', 'unexpected EOF'],
])('the tag %s is rejected', (hex, message) => {
  expect(() => new ProtobufReader(bytesOf(hex)).next()).toThrow(new ProtobufError(message));
});

test.each([3, 4, 6, 7])('wire type %i is not skipped', (wireType) => {
  expect(() => valueOf(wireType, '').skip()).toThrow(new ProtobufError(`proto: illegal wireType ${wireType}`));
});

test('the largest field number is read', () => {
  const writer = new ProtobufWriter();
  writer.varint(1);
  writer.tag(2 ** 29 - 1, WireType.varint);
  expect(new ProtobufReader(writer.finish()).next()).toBe(2 ** 29 - 1);
});

test('a view of the message has the same class as its bytes', () => {
  const message = Buffer.from('0a03616263', 'hex');
  const reader = new ProtobufReader(message);
  reader.next();
  const read: Buffer = reader.bytes();
  expect(read.toString()).toBe('abc');
  expect(read.buffer).toBe(message.buffer);
});

describe('a writer', () => {
  test('writes the examples of the encoding guide', () => {
    const writer = new ProtobufWriter();
    writer.string('testing');
    writer.tag(2, WireType.bytes);
    const before = writer.length;
    writer.varint(150);
    writer.tag(1, WireType.varint);
    writer.lengthSince(before);
    writer.tag(3, WireType.bytes);
    writer.varint(-2);
    writer.tag(1, WireType.varint);
    expect(encodeHex(writer.finish())).toBe('08feffffffffffffffff01' + '1a03089601' + '120774657374696e67');
  });

  test('writes texts and doubles that read back unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), (text, double) => {
        const writer = new ProtobufWriter();
        writer.double(double);
        writer.tag(2, WireType.fixed64);
        writer.string(text);
        writer.tag(1, WireType.bytes);
        const reader = new ProtobufReader(writer.view());
        reader.next();
        expect(reader.string()).toBe(text.replace(/\p{Surrogate}/gu, '\ufffd'));
        reader.next();
        expect(reader.double()).toBe(double);
      }),
    );
  });

  test('keeps its contents when it grows', () => {
    const writer = new ProtobufWriter();
    writer.string('end');
    writer.raw(new Uint8Array(100_000).fill(7));
    const bytes = writer.finish();
    expect(bytes).toHaveLength(100_004);
    expect(new TextDecoder().decode(bytes.subarray(-3))).toBe('end');
    expect(writer.view()).toEqual(bytes);
  });
});
