import { describe, expect, test } from 'vitest';
import type { WatchEvent } from '../../../src/entries/client.js';
import { conditionsOf, definition, refusal, startWorld, version, type Definition } from './world.js';

const WIDGETS = 'widgets.example.com';
const ACCEPTED = 'NamesAccepted=True NoConflicts: no conflicts found';
const ESTABLISHED = 'Established=True InitialNamesAccepted: the initial names have been accepted';

type Event = WatchEvent<Definition>;

const isObject = (event: Event): event is Extract<Event, { type: 'ADDED' | 'MODIFIED' | 'DELETED' }> =>
  event.type !== 'BOOKMARK' && event.type !== 'ERROR';
const conditionsIn = (event: Event): string | undefined =>
  isObject(event) ? [event.type, ...conditionsOf(event.object)].join('; ') : undefined;
const lastConditionIn = (event: Event): string | undefined =>
  isObject(event) ? `${event.type} ${conditionsOf(event.object).at(-1) ?? ''}` : undefined;

describe('a definition', () => {
  test('gets its names, then is established, in two writes that watchers see', async () => {
    await using world = await startWorld();
    const followed = await world.follow(conditionsIn);
    await world.define({});
    expect(await followed()).toEqual([
      'ADDED',
      `MODIFIED; ${ACCEPTED}; Established=False Installing: the initial names have been accepted`,
      `MODIFIED; ${ACCEPTED}; ${ESTABLISHED}`,
    ]);
    expect((await world.definitions.get(WIDGETS)).status).toMatchObject({
      acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      storedVersions: ['v1'],
    });
  });

  test('is served as soon as a watcher sees it established', async () => {
    await using world = await startWorld();
    const created = (async () => {
      for await (const event of world.definitions.watch())
        if (event.type === 'MODIFIED' && conditionsOf(event.object).includes(ESTABLISHED))
          return world
            .kind()
            .namespace('default')
            .create({ metadata: { name: 'a' } });
      return undefined;
    })();
    await world.define({});
    expect((await created)?.metadata.name).toBe('a');
  });

  test('is not served before, nor without its controller', async () => {
    await using world = await startWorld({ controllers: { disable: ['customresourcedefinition'] } });
    await world.define({});
    expect(await world.conditions(WIDGETS)).toEqual([]);
    expect(await refusal(world.kind().list())).toMatch(
      /^404 NotFound the server could not find the requested resource: no kind "Widget" of "\S+" is served/,
    );
  });

  test('of a version that runtimeConfig turns off for built-in kinds is served', async () => {
    await using world = await startWorld({ runtimeConfig: 'api/alpha=false,api/beta=false' });
    await world.define({ versions: [version('v1alpha1')] });
    expect((await world.kind('Widget', 'example.com/v1alpha1').list()).items).toEqual([]);
  });

  test('in a protected group reports its approval', async () => {
    await using world = await startWorld();
    const group = 'x-tools.k8s.io';
    await world.define({
      group,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/78458' },
    });
    expect(await world.conditions(`widgets.${group}`)).toEqual([
      'KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation: approved in https://github.com/kubernetes/kubernetes/pull/78458',
      ACCEPTED,
      ESTABLISHED,
    ]);
    const stored = await world.definitions.get(`widgets.${group}`);
    stored.metadata.annotations = { 'api-approved.kubernetes.io': 'unapproved, request not yet submitted' };
    await world.definitions.update(stored);
    await world.settled();
    expect((await world.conditions(`widgets.${group}`))[0]).toMatch(
      /^KubernetesAPIApprovalPolicyConformant=False UnapprovedAnnotation: /,
    );
  });
});

describe('names that another definition of the group has', () => {
  const cases = [
    ['kind', { kind: 'Widget', plural: 'gadgets' }, 'KindConflict: "WidgetList" is already in use'],
    ['list kind', { names: { listKind: 'WidgetList' } }, 'ListKindConflict: "WidgetList" is already in use'],
    ['singular', { names: { singular: 'widget' } }, 'SingularConflict: "widget" is already in use'],
    ['short name', { names: { shortNames: ['w', 'g'] } }, 'ShortNamesConflict: "w" is already in use'],
    [
      'short names',
      { names: { shortNames: ['w', 'widgets'] } },
      'ShortNamesConflict: ["w" is already in use, "widgets" is already in use]',
    ],
    ['plural as short name', { kind: 'Gadget', plural: 'w' }, 'PluralConflict: "w" is already in use'],
  ] as const;
  test.each(cases)('are refused: %s', async (_title, facts, expected) => {
    await using world = await startWorld();
    const gadget = {
      kind: 'Gadget',
      ...facts,
      names: { singular: 'gadget', ...('names' in facts ? facts.names : {}) },
    };
    await world.define({ names: { shortNames: ['w'] } }, gadget as object);
    const name = `${'plural' in facts ? facts.plural : 'gadgets'}.example.com`;
    const [names, established] = await world.conditions(name);
    const [reason] = expected.split(':');
    expect(names).toBe(
      reason === 'KindConflict'
        ? 'NamesAccepted=False ListKindConflict: "WidgetList" is already in use'
        : `NamesAccepted=False ${expected}`,
    );
    expect(established).toBe('Established=False NotAccepted: not all names are accepted');
    await world.definitions.delete(WIDGETS);
    await world.settled();
    expect(await world.conditions(name)).toEqual([ACCEPTED, ESTABLISHED]);
    expect(world.logged).toEqual([]);
  });

  test('are given to one of two that are created at once', async () => {
    await using world = await startWorld();
    await Promise.all([
      world.definitions.create(definition({ kind: 'Widget', plural: 'widgets' })),
      world.definitions.create(definition({ kind: 'Widget', plural: 'gadgets', names: { singular: 'gadget' } })),
    ]);
    await world.settled();
    const states = await Promise.all([WIDGETS, 'gadgets.example.com'].map((name) => world.conditions(name)));
    expect(states.filter((conditions) => conditions.includes(ESTABLISHED))).toHaveLength(1);
  });

  test('are free once the other definition gives them up', async () => {
    await using world = await startWorld();
    await world.define({ names: { shortNames: ['w'] } }, { kind: 'Gadget', names: { shortNames: ['w'] } });
    await world.change(WIDGETS, (spec) => void (spec.names.shortNames = []));
    expect(await world.conditions('gadgets.example.com')).toEqual([ACCEPTED, ESTABLISHED]);
    expect((await world.definitions.get('gadgets.example.com')).status.acceptedNames.shortNames).toEqual(['w']);
  });

  test('leave an established kind served by the names that it has', async () => {
    await using world = await startWorld();
    await world.define({ names: { shortNames: ['w'] } }, { kind: 'Gadget' });
    await world.change('gadgets.example.com', (spec) => void (spec.names.shortNames = ['w']));
    expect(await world.conditions('gadgets.example.com')).toEqual([
      'NamesAccepted=False ShortNamesConflict: "w" is already in use',
      ESTABLISHED,
    ]);
    expect((await world.kind('Gadget').list()).items).toEqual([]);
  });
});

describe('a deleted definition', () => {
  test('goes with its objects, and can be created again with another scope', async () => {
    await using world = await startWorld();
    await world.define({});
    await world
      .kind()
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    await world.definitions.delete(WIDGETS);
    await world.settled();
    expect(await refusal(world.definitions.get(WIDGETS))).toMatch(/^404/);
    expect(await refusal(world.kind().list())).toMatch(/^404/);
    await world.define({ scope: 'Cluster', versions: [version('v2')] });
    const widgets = world.kind('Widget', 'example.com/v2');
    expect((await widgets.list()).items).toEqual([]);
    await widgets.create({ metadata: { name: 'b' } });
    expect((await widgets.get('b')).metadata.namespace).toBeUndefined();
  });

  test('can be created again at once', async () => {
    await using world = await startWorld();
    await world.define({});
    for (let round = 0; round < 5; round += 1) {
      await world.definitions.delete(WIDGETS);
      while ((await world.definitions.list()).items.length > 0) await world.clock.settle();
      await world.definitions.create(definition());
    }
    await world.settled();
    expect(await world.conditions(WIDGETS)).toEqual([ACCEPTED, ESTABLISHED]);
    await world
      .kind()
      .namespace('default')
      .create({ metadata: { name: 'a' } });
  });

  test('that was never established just goes', async () => {
    await using world = await startWorld();
    await world.define({}, { kind: 'Widget', plural: 'gadgets' });
    const followed = await world.follow(lastConditionIn);
    await world.definitions.delete('gadgets.example.com');
    expect(await followed()).toEqual([
      'MODIFIED Terminating=True InstanceDeletionPending: CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      'MODIFIED Terminating=True InstanceDeletionInProgress: CustomResource deletion is in progress',
      'DELETED Terminating=True InstanceDeletionInProgress: CustomResource deletion is in progress',
    ]);
    expect((await world.kind().list()).items).toEqual([]);
  });

  test('waits for objects with finalizers, is Terminating, and accepts no new ones', async () => {
    await using world = await startWorld();
    await world.define({});
    const widgets = world.kind().namespace('default');
    await widgets.create({ metadata: { name: 'kept', finalizers: ['example.com/keep'] } });
    await widgets.create({ metadata: { name: 'gone' } });
    await world.definitions.delete(WIDGETS);
    await world.settled();
    expect(await world.conditions(WIDGETS)).toEqual([
      ACCEPTED,
      ESTABLISHED,
      'Terminating=True InstanceDeletionInProgress: CustomResource deletion is in progress',
    ]);
    const [kept, ...others] = (await widgets.list()).items;
    expect(others).toEqual([]);
    expect(kept?.metadata.deletionTimestamp).toBeDefined();
    expect(await refusal(widgets.create({ metadata: { name: 'late' } }))).toMatch(/^405 MethodNotAllowed/);
    const followed = await world.follow(lastConditionIn);
    await world.advance(59_000);
    await world.advance(1_000);
    expect(await followed()).toEqual([
      'MODIFIED Terminating=True InstanceDeletionCheck: could not confirm zero CustomResources remaining: context deadline exceeded',
      'MODIFIED Terminating=True InstanceDeletionInProgress: CustomResource deletion is in progress',
    ]);
    await widgets.patch('kept', { metadata: { finalizers: null } } as object);
    await world.settled();
    expect((await world.definitions.list()).items).toEqual([]);
    expect(world.logged).toEqual([]);
  });

  test('takes its objects along when no version is served', async () => {
    await using world = await startWorld();
    await world.define({});
    await world
      .kind()
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    await world.change(WIDGETS, (spec) => {
      for (const each of spec.versions ?? []) each.served = false;
    });
    expect(await refusal(world.kind().list())).toMatch(/^404/);
    await world.definitions.delete(WIDGETS);
    await world.settled();
    expect((await world.definitions.list()).items).toEqual([]);
    await world.define({});
    expect((await world.kind().list()).items).toEqual([]);
  });

  test('of a name that a built-in kind has leaves the objects of that kind alone', async () => {
    await using world = await startWorld();
    const roles = 'roles.rbac.authorization.k8s.io';
    const builtin = world.kind('Role', 'rbac.authorization.k8s.io/v1').namespace('default');
    await builtin.create({ metadata: { name: 'kept' } });
    await world.define({
      kind: 'Role',
      group: 'rbac.authorization.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved' },
      versions: [version('v1')],
    });
    expect(world.logged).toHaveLength(1);
    await world.definitions.delete(roles);
    await world.settled();
    expect((await world.definitions.list()).items).toEqual([]);
    expect((await builtin.list()).items.map(({ metadata }) => metadata.name)).toEqual(['kept']);
  });

  test('of the kind of definitions leaves all definitions', async () => {
    await using world = await startWorld();
    await world.define(
      {},
      {
        kind: 'CustomResourceDefinition',
        group: 'apiextensions.k8s.io',
        annotations: { 'api-approved.kubernetes.io': 'unapproved' },
      },
    );
    await world.definitions.delete('customresourcedefinitions.apiextensions.k8s.io');
    await world.settled();
    expect((await world.definitions.list()).items.map(({ metadata }) => metadata.name)).toEqual([WIDGETS]);
  });
});
