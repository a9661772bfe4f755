import { expect, it } from 'vitest';
import { createWorkspaces } from '../../../src/apiserver/workspaces/index.js';
import { decorateStorage } from '../../../src/entries/storage.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock } from '../../../src/testing/time/manual-clock.js';

it('removes a workspace whose record another process changes meanwhile', async () => {
  const clock = createManualClock();
  const inner = createMemoryStorage({ clock });
  let changes = 0;
  const storage = decorateStorage(inner, {
    delete: async (key, encode, modRevision, options) => {
      if (key.startsWith('/internal/workspaces/names/') && changes < 2) {
        changes += 1;
        const { record } = await inner.get(key);
        if (record !== undefined) await inner.update(key, () => record.text, record.modRevision);
      }
      return inner.delete(key, encode, modRevision, options);
    },
  });
  await using workspaces = createWorkspaces({ clock, storage });
  const { id } = await workspaces.create('alpha');
  await workspaces.delete('alpha');
  expect([changes, await workspaces.list()]).toEqual([2, []]);
  expect((await workspaces.create('alpha')).id).not.toBe(id);
});
