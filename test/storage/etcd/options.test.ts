import { expect, test } from 'vitest';
import { settingsOf, type EtcdStorageOptions } from '../../../src/storage/etcd/options.js';
import { ManualClock } from '../manual-clock.js';

const settings = (options: Partial<EtcdStorageOptions>) =>
  settingsOf({ endpoints: ['http://127.0.0.1:1'], clock: new ManualClock(), ...options });

const timesOf = ({ client, openTimeoutMs, compactionIntervalMs }: ReturnType<typeof settingsOf>) => [
  client.callTimeoutMs,
  openTimeoutMs,
  compactionIntervalMs,
];

test.each<[Partial<EtcdStorageOptions>, readonly number[]]>([
  [{}, [5_000, 20_000, 300_000]],
  [{ requestTimeout: undefined, openTimeout: undefined, compactionInterval: undefined }, [5_000, 20_000, 300_000]],
  [{ requestTimeout: '2s', openTimeout: '1m30s', compactionInterval: '1h' }, [2_000, 90_000, 3_600_000]],
  [{ requestTimeout: 300, openTimeout: 400, compactionInterval: 0 }, [300, 400, 0]],
])('the times %o are %j milliseconds', (options, times) => {
  expect(timesOf(settings(options))).toEqual(times);
});

// As programs without types pass them.
const oldName: object = { openTimeoutMs: 5 };
const unknownName: object = { retries: 5 };

test.each<[Partial<EtcdStorageOptions>, string]>([
  [{ requestTimeout: 0 }, 'openEtcdStorage: the option requestTimeout must be milliseconds above 0'],
  [{ openTimeout: 'soon' }, 'openEtcdStorage: the option openTimeout must be milliseconds above 0'],
  [{ compactionInterval: -1 }, 'openEtcdStorage: the option compactionInterval must be milliseconds, or a string'],
  [oldName, 'openEtcdStorage: the option openTimeoutMs is openTimeout now'],
  [unknownName, 'openEtcdStorage: unknown option "retries"'],
])('%o is refused', (options, message) => {
  expect(() => settings(options)).toThrow(message);
});
