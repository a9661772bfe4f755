import { describe, expect, test } from 'vitest';
import { OffsetSet } from '../../../../../src/kinds/builtin/core/service/allocation/offset-set.js';
import {
  addressRange,
  nodePortRange,
  parseClusterIPRanges,
  parseNodePortRange,
} from '../../../../../src/kinds/builtin/core/service/allocation/ranges.js';
import { ipOctets, ipText } from '../../../../../src/kinds/builtin/shared/network/ip-address.js';
import { networkText, parseNetwork } from '../../../../../src/kinds/builtin/shared/network/ip-network.js';
import { ApiServer } from '../../../../../src/entries/index.js';
import { seededEntropy } from '../../../../../src/testing/time/seeded-entropy.js';

const rangeOf = (cidr: string) => {
  const [network] = parseClusterIPRanges(cidr);
  if (network === undefined) throw new Error('no network');
  return addressRange(network, true);
};

describe('cluster IP ranges', () => {
  test.each<[string, number, number, string, string]>([
    ['10.0.0.0/24', 254, 16, '10.0.0.1', '10.0.0.254'],
    ['10.0.0.0/28', 14, 0, '10.0.0.1', '10.0.0.14'],
    ['10.0.0.0/16', 65_534, 256, '10.0.0.1', '10.0.255.254'],
    ['10.0.0.0/12', 1_048_574, 256, '10.0.0.1', '10.15.255.254'],
    ['fd00::/112', 65_535, 256, 'fd00::1', 'fd00::ffff'],
    ['fd00::/108', 65_535, 256, 'fd00::1', 'fd00::ffff'],
  ])('%s has %d addresses, %d of them for requests', (cidr, size, staticSize, first, last) => {
    const range = rangeOf(cidr);
    expect(range).toMatchObject({ size, staticSize, text: cidr });
    expect([range.textAt(0), range.textAt(size - 1)]).toEqual([first, last]);
    expect([range.offsetOf(first), range.offsetOf(last)]).toEqual([0, size - 1]);
  });

  test('do not have the addresses around them', () => {
    const range = rangeOf('10.0.0.0/24');
    expect(['10.0.0.0', '10.0.0.255', '10.0.1.1', '9.255.255.255', 'fd00::1', 'x'].map(range.offsetOf)).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
  });

  test.each([
    ['10.0.0.0', 'entry 0 is not a valid CIDR: "10.0.0.0"'],
    ['10.0.0.0/24,', 'entry 1 is not a valid CIDR: ""'],
    ['10.0.0.0/11', '10.0.0.0/11 is too large; for 32-bit addresses, the mask must be >= 12'],
    ['fd00::/64', 'fd00::/64 is too large; for 128-bit addresses, the mask must be >= 108'],
    ['10.0.0.0/30', 'the service cluster IP range must be at least 8 IP addresses'],
    ['10.0.0.0/24,10.1.0.0/24', 'the two entries must be of different IP family'],
    ['10.0.0.0/24,fd00::/112,10.1.0.0/24', 'must not contain more than two entries'],
  ])('%s is refused', (text, message) => {
    expect(() => parseClusterIPRanges(text)).toThrow(message);
  });

  test('are options of a server', () => {
    expect(() => new ApiServer({ network: { clusterIPRange: '10.0.0.0/30' } })).toThrow(
      new TypeError('network.clusterIPRange: the service cluster IP range must be at least 8 IP addresses'),
    );
  });
});

describe('node port ranges', () => {
  test.each<[string, number, number, number]>([
    ['30000-32767', 30_000, 32_767, 86],
    ['30000+15', 30_000, 30_015, 0],
    ['30000-30127', 30_000, 30_127, 16],
    ['30000-34095', 30_000, 34_095, 128],
    [' 8080 ', 8080, 8080, 0],
    ['', 30_000, 32_767, 86],
  ])('%j is %d to %d, with %d ports for requests', (text, first, last, staticSize) => {
    const range = parseNodePortRange(text);
    expect(range).toEqual({ first, last });
    expect(nodePortRange(range)).toMatchObject({ size: last - first + 1, staticSize, text: `${first}-${last}` });
  });

  test.each([
    ['a-b', 'unable to parse port range: a-b'],
    ['1-2+3', 'unable to parse port range: 1-2+3'],
    ['5-4', 'end port cannot be less than start port: 5-4'],
    ['1-70000', 'the port range cannot be greater than 65535: 1-70000'],
    ['0-10', 'the port range must not contain port 0: 0-10'],
  ])('%s is refused', (text, message) => {
    expect(() => parseNodePortRange(text)).toThrow(message);
  });
});

describe('a set of numbers', () => {
  test('gives each number once, the lower ones last', () => {
    const set = new OffsetSet(100);
    const entropy = seededEntropy(1);
    const found: number[] = [];
    for (;;) {
      const offset = set.randomAbsent(20, entropy);
      if (offset === undefined) break;
      set.add(offset);
      found.push(offset);
    }
    expect(new Set(found).size).toBe(100);
    expect(Math.min(...found.slice(0, 80))).toBe(20);
    expect(Math.max(...found.slice(80))).toBe(19);
  });

  test('gives a removed number again', () => {
    const set = new OffsetSet(64);
    for (let offset = 0; offset < 64; offset += 1) set.add(offset);
    expect(set.randomAbsent(0, seededEntropy(1))).toBeUndefined();
    set.delete(37);
    expect(set.has(37)).toBe(false);
    expect(set.randomAbsent(0, seededEntropy(1))).toBe(37);
    set.clear();
    expect(set.has(0)).toBe(false);
  });
});

describe('IP addresses', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.000.0.1', '10.0.0.1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['1::', '1::'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['1:0:3:4:5:6:7:8', '1:0:3:4:5:6:7:8'],
  ])('%s is %s', (text, canonical) => {
    const octets = ipOctets(text);
    expect(octets && ipText(octets)).toBe(canonical);
  });

  test.each([
    '',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7::8',
    '1.2.3.4::',
  ])('%j is none', (text) => {
    expect(ipOctets(text)).toBeUndefined();
  });

  test.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['fd00::1:2/112', 'fd00::1:0/112'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('the network of %s is %s', (text, expected) => {
    const network = parseNetwork(text);
    expect(network && networkText(network)).toBe(expected);
  });

  test.each(['10.0.0.0/33', '10.0.0.0/', '/8', '10.0.0.0/a', 'fd00::/129'])('%s is no network', (text) => {
    expect(parseNetwork(text)).toBeUndefined();
  });
});
