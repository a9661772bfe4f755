import fc from 'fast-check';
import { test, expect } from 'vitest';
import { ApiError, isStatus, type ObjectList, type ResourceDefinition } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { ConfigMap, Namespace } from '../../src/kinds/builtin/index.js';
import { Widget } from './registry.js';
import { inWords, selectors, StoreModel, type ModelKind, type ModelObject, type ModelScope } from './model.js';
import { startFrozenServer, type FrozenServer } from './served.js';

/** A list that has not reached its end. */
interface Pager {
  readonly scope: ModelScope;
  readonly revision: number;
  readonly behind: string;
  readonly token: string;
}

/** A watch, its events, and the expected events. */
interface OpenWatch {
  readonly seen: string[];
  readonly expected: () => string[];
  readonly gone: AbortController;
  readonly over: Promise<void>;
}

interface World {
  readonly model: StoreModel;
  readonly pagers: Pager[];
  readonly watches: OpenWatch[];
  /** Kinds whose log was opened, with the version from which on it has events. */
  readonly logs: Map<ModelKind, number>;
}

type Command = fc.AsyncCommand<World, FrozenServer>;

const definitions: Readonly<Record<ModelKind, ResourceDefinition>> = { ConfigMap, Widget };

const clientOf = (server: FrozenServer, kind: ModelKind, namespace: string) =>
  server.client.resource(definitions[kind]).namespace(namespace);

/** The value of an object of either kind. */
interface Item {
  readonly kind: ModelKind;
  readonly metadata: {
    name: string;
    namespace: string;
    labels?: { app?: string };
    finalizers?: string[];
    deletionTimestamp?: string;
    generation?: number;
    resourceVersion: string;
  };
  readonly data?: { v?: string };
  readonly spec?: { color?: string };
  readonly status?: { phase?: string };
}

/** An object of the server, in the notation of the model. */
const reported = (object: object): string => {
  const { kind, metadata, data, spec, status } = object as Item;
  return inWords({
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    app: metadata.labels?.app ?? '',
    value: data?.v ?? spec?.color ?? '',
    phase: status?.phase ?? '',
    held: (metadata.finalizers?.length ?? 0) > 0,
    ending: metadata.deletionTimestamp !== undefined,
    generation: metadata.generation ?? 0,
    version: Number(metadata.resourceVersion),
  });
};

interface Content {
  readonly app: string;
  readonly value: string;
  readonly held: boolean;
}

const written = (kind: ModelKind, name: string, { app, value, held }: Content, resourceVersion: string) => ({
  metadata: {
    name,
    resourceVersion,
    ...(app === '' ? {} : { labels: { app } }),
    ...(held ? { finalizers: ['example.com/held'] } : {}),
  },
  ...(kind === 'ConfigMap' ? { data: { v: value } } : { spec: { color: value } }),
});

/** The result of a call that must succeed. */
function given<Given>(answer: Given | number): Given {
  if (typeof answer === 'number') throw new Error(`was refused with ${answer}`);
  return answer;
}

const withStatus = (name: string, phase: string) => ({
  metadata: { name },
  spec: { color: 'none of the status' },
  status: { phase },
});

/** The error code of a call, or its result. */
async function outcome<Given>(call: Promise<Given>): Promise<Given | number> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.code !== undefined) return error.code;
    throw error;
  }
}

const command = (words: string, run: (world: World, server: FrozenServer) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => words,
});

const create = (kind: ModelKind, namespace: string, name: string, content: Content): Command =>
  command(`create ${kind} ${namespace}/${name} ${JSON.stringify(content)}`, async ({ model }, server) => {
    const answer = await outcome(clientOf(server, kind, namespace).create(written(kind, name, content, '')));
    if (model.get(kind, namespace, name) !== undefined) return expect(answer).toBe(409);
    const made = model.write(undefined, (version) => ({
      kind,
      namespace,
      name,
      ...content,
      phase: '',
      ending: false,
      generation: kind === 'Widget' ? 1 : 0,
      version,
    }));
    expect(reported(given(answer))).toBe(made && inWords(made));
  });

/** `bound`: to no version, to the current one, or to a past one. */
const update = (
  kind: ModelKind,
  namespace: string,
  name: string,
  content: Content,
  bound: 'none' | 'present' | 'past',
): Command =>
  command(
    `update ${kind} ${namespace}/${name} ${JSON.stringify(content)} bound to ${bound}`,
    async ({ model }, server) => {
      const old = model.get(kind, namespace, name);
      const resourceVersion =
        bound === 'none' || old === undefined ? '' : String(bound === 'present' ? old.version : old.version - 1);
      const held = old?.ending === true ? old.held && content.held : content.held;
      const answer = await outcome(
        clientOf(server, kind, namespace).update(written(kind, name, { ...content, held }, resourceVersion)),
      );
      if (old === undefined) return expect(answer).toBe(404);
      if (bound === 'past') return expect(answer).toBe(409);
      if (old.ending && !held) {
        expect(typeof answer).toBe('object');
        model.write(old, () => undefined);
        return;
      }
      const grown = kind === 'Widget' && old.value !== content.value ? 1 : 0;
      const next: ModelObject = { ...old, ...content, held, generation: old.generation + grown };
      const changed = JSON.stringify(next) !== JSON.stringify(old);
      const expected = changed ? model.write(old, (version) => ({ ...next, version })) : old;
      expect(reported(given(answer))).toBe(expected && inWords(expected));
    },
  );

const updateStatus = (namespace: string, name: string, phase: string): Command =>
  command(`update status of Widget ${namespace}/${name} ${phase}`, async ({ model }, server) => {
    const old = model.get('Widget', namespace, name);
    const answer = await outcome(clientOf(server, 'Widget', namespace).updateStatus(withStatus(name, phase)));
    if (old === undefined) return expect(answer).toBe(404);
    const expected = old.phase === phase ? old : model.write(old, (version) => ({ ...old, phase, version }));
    expect(reported(given(answer))).toBe(expected && inWords(expected));
  });

const remove = (kind: ModelKind, namespace: string, name: string, bound: 'none' | 'present' | 'past'): Command =>
  command(`delete ${kind} ${namespace}/${name} bound to ${bound}`, async ({ model }, server) => {
    const old = model.get(kind, namespace, name);
    const preconditions =
      bound === 'none' || old === undefined
        ? {}
        : { preconditions: { resourceVersion: String(bound === 'present' ? old.version : old.version - 1) } };
    const answer = await outcome(clientOf(server, kind, namespace).delete(name, preconditions));
    if (old === undefined) return expect(answer).toBe(404);
    if (bound === 'past') return expect(answer).toBe(409);
    if (old.held) {
      const expected = old.ending
        ? old
        : model.write(old, (version) => ({
            ...old,
            ending: true,
            generation: old.generation === 0 ? 0 : old.generation + 1,
            version,
          }));
      return expect(reported(given(answer))).toBe(expected && inWords(expected));
    }
    expect(isStatus(answer)).toBe(true);
    model.write(old, () => undefined);
  });

const get = (kind: ModelKind, namespace: string, name: string): Command =>
  command(`get ${kind} ${namespace}/${name}`, async ({ model }, server) => {
    const answer = await outcome(
      clientOf(server, kind, namespace).get(name, { resourceVersion: String(model.revision) }),
    );
    const expected = model.get(kind, namespace, name);
    expect(typeof answer === 'number' ? answer : reported(answer)).toBe(
      expected === undefined ? 404 : inWords(expected),
    );
  });

/** A point in the past, as a fraction: 0 the beginning, 1 the present. */
const revisionAt = (model: StoreModel, share: number): number =>
  Math.round(model.first + (model.revision - model.first) * share);

interface ListChoice {
  readonly version: 'unset' | '0' | number;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly limit: number;
}

const list = (scope: ModelScope, { version, match, limit }: ListChoice): Command =>
  command(`list ${JSON.stringify(scope)} version ${version} match ${match} limit ${limit}`, async (world, server) => {
    const { model } = world;
    const resourceVersion = version === 'unset' ? '' : version === '0' ? '0' : String(revisionAt(model, version));
    const answer = await outcome(
      clientOf(server, scope.kind, scope.namespace).list({
        ...selectors[scope.selector]?.parameters,
        resourceVersion,
        limit,
        ...(match === '' ? {} : { resourceVersionMatch: match }),
      }),
    );
    if (match !== '' && version === 'unset') return expect(answer).toBe(422);
    if (match === 'Exact' && version === '0') return expect(answer).toBe(422);
    const exact = typeof version === 'number' && (match === 'Exact' || (match === '' && limit > 0));
    const revision = exact ? Number(resourceVersion) : model.revision;
    if (revision < model.compacted) return expect(answer).toBe(410);
    checkPage(
      world,
      scope,
      answer,
      revision,
      '',
      scope.selector === 'name' && scope.namespace !== '' && !exact ? 0 : limit,
    );
  });

function checkPage(
  { model, pagers }: World,
  scope: ModelScope,
  page: ObjectList<object> | number,
  revision: number,
  behind: string,
  limit: number,
): void {
  const answer = given(page);
  const { items, more, remaining, last } = model.page(scope, revision, behind, limit);
  const { metadata } = answer;
  expect({
    items: answer.items.map(reported),
    revision: Number(metadata.resourceVersion),
    more: (metadata.continue ?? '') !== '',
    remaining: metadata.remainingItemCount,
  }).toEqual({ items, revision, more, remaining });
  if (metadata.continue !== undefined) pagers.push({ scope, revision, behind: last, token: metadata.continue });
}

const continueList = (which: number, limit: number): Command =>
  command(`go on with list ${which} limit ${limit}`, async (world, server) => {
    const pager = world.pagers[which % Math.max(1, world.pagers.length)];
    if (pager === undefined) return;
    const { scope, revision, behind, token } = pager;
    const answer = await outcome(
      clientOf(server, scope.kind, scope.namespace).list({
        ...selectors[scope.selector]?.parameters,
        limit,
        continue: token,
      }),
    );
    if (revision < world.model.compacted) return expect(answer).toBe(410);
    checkPage(world, scope, answer, revision, behind, limit);
  });

const watch = (scope: ModelScope, version: 'unset' | '0' | number): Command =>
  command(`watch ${JSON.stringify(scope)} from ${version}`, async ({ model, watches, logs }, server) => {
    const from = typeof version === 'number' ? revisionAt(model, version) : model.revision;
    const oldest = logs.get(scope.kind) ?? model.compacted;
    logs.set(scope.kind, oldest);
    const initial =
      typeof version === 'number' ? [] : model.page(scope, from, '', 0).items.map((words) => `ADDED ${words}`);
    const forgotten = from < oldest;
    const gone = new AbortController();
    const seen: string[] = [];
    const stream = clientOf(server, scope.kind, scope.namespace).watch({
      ...selectors[scope.selector]?.parameters,
      signal: gone.signal,
      ...(version === 'unset' ? {} : { resourceVersion: version === '0' ? '0' : String(from) }),
    });
    const over = (async () => {
      for await (const event of stream)
        seen.push(event.type === 'ERROR' ? `ERROR ${event.object.code}` : `${event.type} ${reported(event.object)}`);
    })();
    watches.push({
      seen,
      gone,
      over,
      expected: () => (forgotten ? ['ERROR 410'] : [...initial, ...model.after(scope, from)]),
    });
    await server.clock.settle();
  });

const checkWatches = command('look at every watch', async ({ watches }, server) => {
  await server.clock.settle();
  for (const { seen, expected } of watches) expect(seen).toEqual(expected());
});

const leave = (which: number): Command =>
  command(`leave watch ${which}`, async ({ watches }, server) => {
    await server.clock.settle();
    const [watcher] = watches.splice(which % Math.max(1, watches.length), 1);
    if (watcher === undefined) return;
    expect(watcher.seen).toEqual(watcher.expected());
    watcher.gone.abort();
    await watcher.over;
  });

const compact = (share: number): Command =>
  command(`compact at ${share}`, async ({ model }, server) => {
    const revision = revisionAt(model, share);
    await server.storage.compact(revision);
    model.compacted = Math.max(model.compacted, revision);
  });

const kinds = fc.constantFrom<ModelKind>('ConfigMap', 'Widget');
const namespaces = fc.constantFrom('default', 'other');
const names = fc.constantFrom('a', 'b', 'c', 'ab');
const content = fc.record({
  app: fc.constantFrom('', 'x', 'y'),
  value: fc.constantFrom('red', 'green'),
  held: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const bound = fc.constantFrom<'none' | 'present' | 'past'>('none', 'none', 'present', 'past');
const share = fc.double({ min: 0, max: 1, noNaN: true });
const version = fc.oneof(fc.constantFrom<'unset' | '0'>('unset', '0'), share);
const scopes = fc
  .record({
    kind: kinds,
    namespace: fc.constantFrom('', 'default', 'other'),
    selector: fc.constantFrom('none', 'none', 'app', 'notApp', 'name', 'color'),
  })
  .map((scope) => (scope.kind === 'ConfigMap' && scope.selector === 'color' ? { ...scope, selector: 'none' } : scope));

const commands = [
  fc.tuple(kinds, namespaces, names, content).map((of) => create(...of)),
  fc.tuple(kinds, namespaces, names, content).map((of) => create(...of)),
  fc.tuple(kinds, namespaces, names, content, bound).map((of) => update(...of)),
  fc.tuple(kinds, namespaces, names, content, bound).map((of) => update(...of)),
  fc.tuple(namespaces, names, fc.constantFrom('Ready', 'Waiting')).map((of) => updateStatus(...of)),
  fc.tuple(kinds, namespaces, names, bound).map((of) => remove(...of)),
  fc.tuple(kinds, namespaces, names).map((of) => get(...of)),
  fc
    .tuple(
      scopes,
      fc.record({
        version,
        match: fc.constantFrom<'' | 'Exact' | 'NotOlderThan'>('', '', 'Exact', 'NotOlderThan'),
        limit: fc.integer({ min: 0, max: 4 }),
      }),
    )
    .map((of) => list(...of)),
  fc.tuple(fc.nat(50), fc.integer({ min: 0, max: 3 })).map((of) => continueList(...of)),
  fc.tuple(scopes, version).map((of) => watch(...of)),
  fc.constant(checkWatches),
  fc.nat(20).map(leave),
  share.map((where) => compact(where * where)),
];

test('the server behaves like a map and a list of events', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 120, size: 'max' }), async (run) => {
      await using server = await startFrozenServer({ controllers: { disable: controllerNames } });
      await server.client.resource(Namespace).create({ metadata: { name: 'other' } });
      await server.settled();
      const world: World = {
        model: new StoreModel(await server.storage.currentRevision()),
        pagers: [],
        watches: [],
        logs: new Map(),
      };
      await fc.asyncModelRun(() => ({ model: world, real: server }), [...run, checkWatches]);
      for (const { gone } of world.watches) gone.abort();
      await Promise.all(world.watches.map(({ over }) => over));
    }),
    { numRuns: 150 },
  );
});
