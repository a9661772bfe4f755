import { equal, refused } from '../assert.js';
import { drop, put, sample, type CaseDefinition } from './fixture.js';

const TERM = '/internal/terms/work';
const KEY = '/registry/samples/one';

/** Cases on writes under a condition on another key. */
export const fenceCases: readonly CaseDefinition[] = [
  {
    name: 'fence: writes take effect while the condition holds',
    async body({ storage }) {
      const { modRevision: term } = await storage.create(TERM, sample('first'));
      const options = { while: { key: TERM, modRevision: term } };
      const created = await storage.create(KEY, sample('1'), options);
      const updated = await storage.update(KEY, sample('2'), created.modRevision, options);
      const deleted = await storage.delete(KEY, sample('2'), updated.modRevision, options);
      equal(
        [created, updated, deleted].map(({ modRevision }) => modRevision),
        [term + 1, term + 2, term + 3],
        'revisions',
      );
      equal((await storage.get(KEY)).record, undefined, 'the key after the delete');
    },
  },
  {
    name: 'fence: create, update and delete are refused with Fenced once the condition fails, and change nothing',
    async body({ storage }) {
      const { modRevision: term } = await storage.create(TERM, sample('first'));
      const options = { while: { key: TERM, modRevision: term } };
      const created = await storage.create(KEY, sample('1'), options);
      const { modRevision: newest } = await put(storage, TERM, 'second');
      for (const operation of [
        () => storage.create('/registry/samples/two', sample('1'), options),
        () => storage.update(KEY, sample('2'), created.modRevision, options),
        () => storage.delete(KEY, sample('1'), created.modRevision, options),
      ])
        equal((await refused(operation(), 'Fenced', 'write of a former term')).key, TERM, 'key of the error');
      equal(await storage.get(KEY), { record: created, revision: newest }, 'the store after the refusals');
      await storage.update(KEY, sample('2'), created.modRevision, { while: { key: TERM, modRevision: newest } });
    },
  },
  {
    name: 'fence: a failed condition is reported before the version of the key',
    async body({ storage }) {
      const { modRevision: term } = await storage.create(TERM, sample('first'));
      const { modRevision } = await storage.create(KEY, sample('1'));
      const options = { while: { key: TERM, modRevision: term + 5 } };
      await refused(storage.create(KEY, sample('2'), options), 'Fenced', 'create of a key that exists');
      await refused(storage.update(KEY, sample('2'), modRevision + 9, options), 'Fenced', 'update of another version');
      await refused(storage.delete('/registry/none', sample('2'), modRevision, options), 'Fenced', 'delete of no key');
      const holding = { while: { key: TERM, modRevision: term } };
      await refused(storage.create(KEY, sample('2'), holding), 'KeyExists', 'create while the condition holds');
      await refused(storage.update(KEY, sample('2'), term, holding), 'Conflict', 'update while the condition holds');
    },
  },
  {
    name: 'fence: a deleted key fails the condition, and revision 0 stands for no key',
    async body({ storage }) {
      const none = { while: { key: TERM, modRevision: 0 } };
      await storage.create('/registry/samples/a', sample('1'), none);
      const { modRevision: term } = await storage.create(TERM, sample('first'), none);
      await refused(storage.create(KEY, sample('1'), none), 'Fenced', 'write after the key was made');
      await drop(storage, TERM);
      const options = { while: { key: TERM, modRevision: term } };
      await refused(storage.create(KEY, sample('1'), options), 'Fenced', 'write after the key was deleted');
      await storage.create(KEY, sample('1'), none);
    },
  },
  {
    name: 'fence: of writes that are sent together, those behind the end of the term are refused',
    async body({ storage }) {
      const { modRevision: term } = await storage.create(TERM, sample('first'));
      const options = { while: { key: TERM, modRevision: term } };
      const ending = storage.update(TERM, sample('second'), term);
      const late = Array.from({ length: 10 }, (_, index) =>
        storage.create(`/registry/samples/${index}`, sample('late'), options).then(
          ({ modRevision }) => modRevision,
          () => undefined,
        ),
      );
      const { modRevision: end } = await ending;
      for (const revision of await Promise.all(late))
        equal(revision === undefined || revision < end, true, `write of a former term at ${revision}, end at ${end}`);
      const { records } = await storage.list('/registry/samples/');
      equal(
        records.every(({ modRevision }) => modRevision < end),
        true,
        'every stored write precedes the end of the term',
      );
    },
  },
];
