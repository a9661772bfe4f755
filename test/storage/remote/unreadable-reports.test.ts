import { expect, test } from 'vitest';
import { UnreadableValueError } from '../../../src/storage/index.js';
import { UnreadableReports } from '../../../src/storage/remote/unreadable-reports.js';
import { ManualClock } from '../manual-clock.js';

const noKey = (key: string): UnreadableValueError => new UnreadableValueError(key, 'no matching prefix found');

test('values that cannot be decrypted are reported once a minute for each resource, and other errors always', () => {
  const clock = new ManualClock();
  const reported: string[] = [];
  const { report } = new UnreadableReports(clock, (error) => reported.push(String(error)));
  for (let index = 0; index < 1000; index += 1) report(noKey(`/registry/secrets/default/${index}`));
  report(noKey('/registry/configmaps/default/a'));
  for (let index = 0; index < 2; index += 1) report(new Error('the connection is lost'));
  expect(reported).toEqual([
    'UnreadableValueError: unable to transform key "/registry/secrets/default/0": no matching prefix found',
    'UnreadableValueError: unable to transform key "/registry/configmaps/default/a": no matching prefix found',
    'Error: the connection is lost',
    'Error: the connection is lost',
  ]);
  clock.advance(59_999);
  report(noKey('/registry/secrets/default/b'));
  expect(reported).toHaveLength(4);
  clock.advance(1);
  report(noKey('/registry/secrets/default/c'));
  expect(reported[4]).toContain('/registry/secrets/default/c');
});
