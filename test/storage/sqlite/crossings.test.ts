import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { ManualClock } from '../manual-clock.js';
import { storeDirectory } from './store-directory.js';

const text = (value: string) => (revision: number) => `${value}@${revision}`;

it('sends the writes of a turn to the thread of the file in one message', async () => {
  const path = join(storeDirectory(), 'store.db');
  const storage = await openSqliteStorage({ path, clock: new ManualClock() });
  onTestFinished(() => storage.close());
  const sent = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => sent.mockRestore());
  const names = Array.from({ length: 100 }, (_, index) => `/object-${index}`);

  const created = await Promise.all(names.map((name) => storage.create(name, text('1'))));
  expect(sent).toHaveBeenCalledTimes(1);

  await Promise.all(created.map(({ key, modRevision }) => storage.update(key, text('2'), modRevision)));
  expect(sent).toHaveBeenCalledTimes(2);
  const { records } = await storage.list('');
  expect(records.map((record) => record.text.split('@')[0])).toEqual(names.map(() => '2'));
});
