import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { Endpoints } from '../../../../src/kinds/builtin/index.js';
import { cells, create, problems } from '../support.js';

beforeAll(async () => {
  await Endpoints.prepare?.();
});

const endpoints = (...subsets: JsonObject[]): JsonObject => ({ metadata: { name: 'web' }, subsets });

test.each<[JsonObject[], string[]]>([
  [[], []],
  [[{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }], []],
  [[{ ports: [{ port: 80 }] }], ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
  [
    [{ addresses: [{ ip: 'x' }], notReadyAddresses: [{ ip: '127.0.0.1' }] }],
    [
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
      'subsets[0].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  ],
  [
    [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 0 }, { port: 81, name: 'b', protocol: 'X' }] }],
    [
      'subsets[0].ports[0].name: Required value',
      'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'subsets[0].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    ],
  ],
])('%j is checked', (subsets, expected) => {
  const { strategy } = Endpoints;
  // The canonical form drops subsets without addresses; a server checks before it.
  const unsorted = { ...Endpoints, strategy: { ...strategy, canonicalize: () => undefined } };
  expect(problems(unsorted, endpoints(...subsets))).toEqual(expected);
});

test('subsets are stored in a canonical form', () => {
  const one = { ip: '10.0.0.1' };
  const two = { ip: '10.0.0.2' };
  const a = { name: 'a', port: 80 };
  const b = { name: 'b', port: 81 };
  const stored = create(
    Endpoints,
    endpoints(
      { addresses: [two, one], ports: [b] },
      { addresses: [one], ports: [a] },
      { addresses: [two], ports: [a] },
      { addresses: [{ ip: '10.0.0.3' }], notReadyAddresses: [{ ip: '10.0.0.3' }], ports: [{ port: 9 }] },
    ),
  );
  expect(stored['subsets']).toEqual([
    {
      addresses: [one, two],
      ports: [
        { ...a, protocol: 'TCP' },
        { ...b, protocol: 'TCP' },
      ],
    },
    { notReadyAddresses: [{ ip: '10.0.0.3' }], ports: [{ port: 9, protocol: 'TCP' }] },
  ]);
});

test.each<[JsonObject[], string]>([
  [[], '<none>'],
  [[{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }], '10.0.0.1:80'],
  [[{ addresses: [{ ip: 'fd00::1' }], ports: [{ port: 80 }] }], '[fd00::1]:80'],
  [[{ addresses: [{ ip: '10.0.0.1' }] }], '10.0.0.1'],
  [[{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }], ''],
  [
    [{ addresses: ['1', '2', '3', '4', '5'].map((last) => ({ ip: `10.0.0.${last}` })), ports: [{ port: 80 }] }],
    '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more...',
  ],
])('the table shows %j as %s', (subsets, cell) => {
  expect(cells(Endpoints, create(Endpoints, endpoints(...subsets)))).toMatchObject({ Endpoints: cell });
});
