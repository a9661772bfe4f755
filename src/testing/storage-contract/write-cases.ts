import { StorageError, type StorageRecord } from '../../storage/index.js';
import { check, defined, equal, refused } from '../assert.js';
import { carries, createAll, drop, put, sample, versions, type CaseDefinition } from './fixture.js';

const KEY = '/registry/samples/one';

/** Cases on writes: revisions, preconditions, errors. */
export const writeCases: readonly CaseDefinition[] = [
  {
    name: 'write: an empty store has a revision and no records',
    async body({ storage }) {
      const revision = await storage.currentRevision();
      check(Number.isSafeInteger(revision) && revision >= 0, `revision of an empty store: ${revision}`);
      equal(await storage.get(KEY), { revision }, 'get');
      equal(await storage.list(''), { records: [], revision, remaining: 0 }, 'list');
    },
  },
  {
    name: 'write: create returns the record that a later read returns',
    async body({ storage }) {
      const created = await storage.create(KEY, sample('first'));
      equal(created.key, KEY, 'key');
      equal(created.createRevision, created.modRevision, 'createRevision of a new record');
      carries(created, 'first', 'created');
      const read = await storage.get(KEY);
      equal(read.record, created, 'get');
      equal(read.revision, created.modRevision, 'revision of the get');
      equal((await storage.list('/registry/samples/')).records, [created], 'list');
    },
  },
  {
    name: 'write: every write of any key gets the next revision',
    async body({ storage }) {
      const start = await storage.currentRevision();
      const revisions = [
        (await storage.create('/registry/a/1', sample('1'))).modRevision,
        (await storage.create('/registry/b/1', sample('1'))).modRevision,
        (await put(storage, '/registry/a/1', '2')).modRevision,
        (await drop(storage, '/registry/b/1')).modRevision,
        (await storage.create('/registry/b/1', sample('3'))).modRevision,
      ];
      equal(
        revisions,
        [1, 2, 3, 4, 5].map((step) => start + step),
        'revisions',
      );
      equal(await storage.currentRevision(), start + 5, 'currentRevision');
    },
  },
  {
    name: 'write: an engine that says so commits in the order of the calls',
    async body({ storage }) {
      if (storage.commitsInOrder !== true) return;
      const start = await storage.currentRevision();
      const keys = Array.from({ length: 100 }, (_, index) => `/registry/samples/${(index * 37) % 100}`);
      const created = await Promise.all(keys.map((key) => storage.create(key, sample('first'))));
      const dropped = await Promise.all(
        created.map(({ key, modRevision }) => storage.delete(key, sample('last'), modRevision)),
      );
      equal(
        [...created, ...dropped].map(({ key, modRevision }) => `${key} ${modRevision}`),
        [...keys, ...keys].map((key, index) => `${key} ${start + 1 + index}`),
        'revisions',
      );
    },
  },
  {
    name: 'write: a version that was accepted can be updated before it is durable',
    async body({ storage }) {
      const created = await storage.create(KEY, sample('0'));
      const accepted: StorageRecord[] = [];
      const further: Promise<StorageRecord>[] = [];
      const update = (value: number, { modRevision }: StorageRecord): Promise<StorageRecord> =>
        storage.update(KEY, sample(String(value)), modRevision, {
          accepted: (record) => {
            accepted.push(record);
            if (value < 3) further.push(update(value + 1, record));
          },
        });
      const first = await update(1, created);
      const written = [first, ...(await Promise.all(further))].sort(
        (one, other) => one.modRevision - other.modRevision,
      );
      // An engine that accepts and commits in one step says nothing.
      if (accepted.length > 0) equal(accepted, written, 'accepted records');
      const last = written.at(-1) ?? first;
      carries(last, String(written.length), 'the last version');
      equal((await storage.get(KEY)).record, last, 'get');
    },
  },
  {
    name: 'write: create of an existing key is refused with KeyExists and the present record',
    async body({ storage }) {
      const created = await storage.create(KEY, sample('first'));
      const error = await refused(storage.create(KEY, sample('second')), 'KeyExists', 'second create');
      equal(error.key, KEY, 'key of the error');
      equal(error.current, created, 'present record of the error');
      equal(await storage.get(KEY), { record: created, revision: created.modRevision }, 'the store after the refusal');
    },
  },
  {
    name: 'write: update makes a new version and keeps the createRevision',
    async body({ storage }) {
      const created = await storage.create(KEY, sample('first'));
      const updated = await storage.update(KEY, sample('second'), created.modRevision);
      carries(updated, 'second', 'updated');
      equal(updated.modRevision, created.modRevision + 1, 'modRevision');
      equal(updated.createRevision, created.createRevision, 'createRevision');
      equal((await storage.get(KEY)).record, updated, 'get');
      carries(created, 'first', 'the version returned before');
    },
  },
  {
    name: 'write: update and delete of another version are refused with Conflict and the present record',
    async body({ storage }) {
      const created = await storage.create(KEY, sample('first'));
      const updated = await storage.update(KEY, sample('second'), created.modRevision);
      for (const wrong of [created.modRevision, updated.modRevision + 1, 0]) {
        for (const operation of [
          () => storage.update(KEY, sample('third'), wrong),
          () => storage.delete(KEY, sample('third'), wrong),
        ]) {
          const error = await refused(operation(), 'Conflict', `write of version ${wrong}`);
          equal(error.key, KEY, 'key of the error');
          equal(error.current, updated, 'present record of the error');
        }
      }
      equal(await storage.get(KEY), { record: updated, revision: updated.modRevision }, 'the store after the refusals');
    },
  },
  {
    name: 'write: update and delete of a key that does not exist are refused with KeyNotFound',
    async body({ storage }) {
      const start = await storage.currentRevision();
      for (const modRevision of [0, start, start + 1]) {
        equal(
          (await refused(storage.update(KEY, sample('x'), modRevision), 'KeyNotFound', 'update')).key,
          KEY,
          'key of the error',
        );
        equal(
          (await refused(storage.delete(KEY, sample('x'), modRevision), 'KeyNotFound', 'delete')).key,
          KEY,
          'key of the error',
        );
      }
      const created = await storage.create(KEY, sample('first'));
      await drop(storage, KEY);
      await refused(storage.update(KEY, sample('x'), created.modRevision), 'KeyNotFound', 'update of a deleted key');
      equal(await storage.currentRevision(), start + 2, 'revision after the refusals');
    },
  },
  {
    name: 'write: delete returns the last version at the revision of the delete',
    async body({ storage }) {
      const created = await storage.create(KEY, sample('first'));
      const deleted = await storage.delete(KEY, sample('first'), created.modRevision);
      equal(deleted.key, KEY, 'key');
      equal(deleted.modRevision, created.modRevision + 1, 'modRevision');
      equal(deleted.createRevision, created.createRevision, 'createRevision');
      carries(deleted, 'first', 'deleted');
      equal(await storage.get(KEY), { revision: deleted.modRevision }, 'get');
      equal(await storage.list(''), { records: [], revision: deleted.modRevision, remaining: 0 }, 'list');
    },
  },
  {
    name: 'write: a key created again is a new key',
    async body({ storage }) {
      const first = await storage.create(KEY, sample('first'));
      await drop(storage, KEY);
      const second = await storage.create(KEY, sample('second'));
      equal(second.createRevision, second.modRevision, 'createRevision');
      check(second.createRevision > first.createRevision, 'the createRevision is a later one');
      await refused(
        storage.update(KEY, sample('third'), first.modRevision),
        'Conflict',
        'update of the earlier version',
      );
    },
  },
  {
    name: 'write: the encoder is called once for a write, and at most once for a refused one',
    async body({ storage }) {
      const calls: number[] = [];
      const counting = (revision: number): string => {
        calls.push(revision);
        return sample('counted')(revision);
      };
      const made = async (write: Promise<StorageRecord>, what: string): Promise<StorageRecord> => {
        const record = await write;
        equal(calls.length, 1, `number of calls for a ${what}`);
        check(calls[0] === record.modRevision || calls[0] === 0, `call for a ${what} with ${calls[0]}`);
        calls.length = 0;
        return record;
      };
      const refusedOnce = async (
        write: Promise<StorageRecord>,
        code: 'KeyExists' | 'KeyNotFound' | 'Conflict',
      ): Promise<void> => {
        await refused(write, code, code);
        check(
          calls.length === 0 || (calls.length === 1 && calls[0] === 0),
          `calls for the refusal ${code}: ${calls.join()}`,
        );
        calls.length = 0;
      };
      const created = await made(storage.create(KEY, counting), 'create');
      const updated = await made(storage.update(KEY, counting, created.modRevision), 'update');
      await refusedOnce(storage.create(KEY, counting), 'KeyExists');
      await refusedOnce(storage.update(KEY, counting, created.modRevision), 'Conflict');
      await refusedOnce(storage.delete(KEY, counting, created.modRevision), 'Conflict');
      await refusedOnce(storage.update(`${KEY}/none`, counting, 1), 'KeyNotFound');
      await made(storage.delete(KEY, counting, updated.modRevision), 'delete');
    },
  },
  {
    name: 'write: exactly one of several concurrent writes over one version succeeds',
    async body({ storage }) {
      const rivals = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const creates = await Promise.allSettled(rivals.map((rival) => storage.create(KEY, sample(rival))));
      const created = defined((await storage.get(KEY)).record, 'created record');
      const updates = await Promise.allSettled(
        rivals.map((rival) => storage.update(KEY, sample(rival), created.modRevision)),
      );
      for (const outcomes of [creates, updates]) {
        equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1, 'number of successes');
      }
      equal(await storage.currentRevision(), created.modRevision + 1, 'revision');
    },
  },
  {
    name: 'write: concurrent writes of different keys each get their own revision',
    async body({ storage }) {
      const start = await storage.currentRevision();
      const records = await Promise.all(
        Array.from({ length: 50 }, (_, index) => storage.create(`${KEY}-${index}`, sample('x'))),
      );
      const revisions = records.map((record) => record.modRevision).sort((left, right) => left - right);
      equal(
        revisions,
        records.map((_, index) => start + 1 + index),
        'revisions',
      );
      records.forEach((record) => carries(record, 'x', record.key));
    },
  },
  {
    name: 'write: the decoded value stays with the record',
    async body({ storage }) {
      const values = [{ version: 1 }, { version: 2 }, { version: 3 }] as const;
      const created = await storage.create(KEY, sample('1'), { decoded: values[0] });
      equal(created.decoded === values[0], true, 'decoded of the created record is what was given');
      const updated = await storage.update(KEY, sample('2'), created.modRevision, { decoded: values[1] });
      equal(updated.decoded === values[1], true, 'decoded of the updated record is what was given');
      const deleted = await storage.delete(KEY, sample('2'), updated.modRevision, { decoded: values[2] });
      equal(deleted.decoded === values[2], true, 'decoded of the deleted record is what was given');
    },
  },
  {
    name: 'write: the same version is always returned as the same instance',
    async body({ storage }) {
      const created = await storage.create(KEY, sample('first'));
      check((await storage.get(KEY)).record === created, 'get returns the created record itself');
      check((await storage.list('')).records[0] === created, 'list returns the created record itself');
      const error = await refused(storage.create(KEY, sample('second')), 'KeyExists', 'create');
      check(error.current === created, 'the error returns the created record itself');
      await put(storage, KEY, 'second');
      check(
        (await storage.list('', { revision: created.modRevision })).records[0] === created,
        'a past list returns it too',
      );
    },
  },
  {
    name: 'write: large values are stored completely',
    async body({ storage }) {
      const large = '0123456789abcdef'.repeat(65_536);
      const created = await storage.create(KEY, sample(large));
      carries(created, large, 'created');
      carries(defined((await storage.get(KEY)).record, 'read'), large, 'read');
    },
  },
  {
    name: 'write: values and keys in any script are stored unchanged',
    async body({ storage }) {
      const keys = [
        '/registry/samples/ключ',
        '/registry/samples/键',
        '/registry/samples/🔑',
        '/registry/samples/a b%2F:"',
      ];
      const texts = ['значение', '值\u0000\u001f', '🔑\u{10ffff}', '"\\ \u2028'];
      const records: StorageRecord[] = [];
      for (const [index, key] of keys.entries())
        records.push(await storage.create(key, sample(defined(texts[index], 'text'))));
      for (const [index, key] of keys.entries()) {
        const read = defined((await storage.get(key)).record, key);
        equal(read.key, key, 'key');
        carries(read, defined(texts[index], 'text'), key);
      }
      equal(versions((await storage.list('/registry/samples/')).records).sort(), versions(records).sort(), 'list');
    },
  },
  {
    name: 'write: a delete does not affect other keys',
    async body({ storage }) {
      const [first, , third] = await createAll(storage, [`${KEY}-1`, `${KEY}-2`, `${KEY}-3`]);
      await drop(storage, `${KEY}-2`);
      equal((await storage.list('')).records, [first, third], 'list');
    },
  },
  {
    name: 'write: an encoder that throws refuses the write, and nothing changes',
    async body({ storage }) {
      const failing = (): string => {
        throw new StorageError('Full', { key: KEY });
      };
      await refused(
        Promise.resolve().then(() => storage.create(KEY, failing)),
        'Full',
        'create',
      );
      equal((await storage.get(KEY)).record, undefined, 'record after a refused create');
      const created = await storage.create(KEY, sample('first'));
      await refused(
        Promise.resolve().then(() => storage.update(KEY, failing, created.modRevision)),
        'Full',
        'update',
      );
      check((await storage.get(KEY)).record === created, 'a refused update leaves the record');
      const updated = await storage.update(KEY, sample('second'), created.modRevision);
      carries(updated, 'second', 'updated');
    },
  },
];
