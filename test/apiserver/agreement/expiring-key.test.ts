import { expect, it } from 'vitest';
import { ExpiringKey } from '../../../src/apiserver/agreement/expiring-key.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { ManualClock } from '../../storage/manual-clock.js';

const MINUTE_MS = 60_000;

it('is renewed by a server that finds the key of an earlier one', async () => {
  const clock = new ManualClock();
  const storage = createMemoryStorage({ clock });
  const shown = () =>
    new ExpiringKey({ storage, key: '/internal/shown', text: () => '{}', lifeMs: 60 * MINUTE_MS }).show();
  const expires = async () => (await storage.expiries()).get('/internal/shown');
  await shown();
  const first = await expires();
  await clock.advance(59 * MINUTE_MS);
  expect(await shown()).toBe(true);
  expect(await expires()).toBe((first ?? 0) + 59 * MINUTE_MS);
});
