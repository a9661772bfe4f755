import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigMap, defineResource } from '../../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask } from '../../server/ask.js';
import { widgetDefinition } from './definitions.js';

const TOKEN = 'owner';
const names = { group: 'shop.example', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' } as const;
const schema = () => z.object({ color: z.string() });
const Widget = defineResource({ ...names, version: 'v1', schema });
const NewWidget = defineResource({
  ...names,
  version: 'v2',
  schema,
  conversion: { hub: Widget, toHub: (object) => object, fromHub: (object) => object },
});
const Gadget = defineResource({ ...names, version: 'v1', kind: 'Gadget', plural: 'gadgets', schema });
const BetaGadget = defineResource({ ...names, version: 'v1beta1', kind: 'Beta', plural: 'betas', schema });

const statusOf = async ({ server }: TestServer, path: string) =>
  (await ask(server, 'GET', `/apis/shop.example/${path}`, { token: TOKEN })).status;

describe('server.resources', () => {
  test('adds kinds, which requests see at once', async () => {
    await using test = await startTestServer({ authentication: { ownerToken: TOKEN } });
    expect(await statusOf(test, 'v1/namespaces/default/widgets')).toBe(404);
    expect(() => test.client.resource(Widget)).toThrow('Widget (widgets, v1) is not served');
    test.server.resources.add([Widget, NewWidget]);
    expect(await statusOf(test, 'v1/namespaces/default/widgets')).toBe(200);
    expect(await statusOf(test, 'v2')).toBe(200);
    const made = await test.client
      .resource(NewWidget)
      .namespace('default')
      .create({ metadata: { name: 'a' }, color: 'red' });
    expect(made.apiVersion).toBe('shop.example/v2');
    expect((await test.client.resource(Widget).namespace('default').get('a')).color).toBe('red');
  });

  test('finds kinds by their names, while they are served', async () => {
    await using test = await startTestServer();
    const reference = { apiVersion: 'shop.example/v1', kind: 'Widget' };
    expect(test.server.resources.find(reference)).toBeUndefined();
    test.server.resources.add(Widget);
    expect(test.server.resources.find(reference)).toBe(Widget);
    expect(test.server.resources.find({ apiVersion: 'v1', kind: 'ConfigMap' })).toBe(ConfigMap);
    test.server.resources.remove(Widget);
    expect(test.server.resources.find(reference)).toBeUndefined();
  });

  test('removes kinds, ends their watches and keeps their objects', async () => {
    await using test = await startTestServer({ authentication: { ownerToken: TOKEN }, resources: [Widget, Gadget] });
    const widgets = test.client.resource(Widget).namespace('default');
    await widgets.create({ metadata: { name: 'a' }, color: 'red' });
    const watch = widgets.watch({});
    const others = test.client.resource(Gadget).namespace('default').watch({});
    expect(await watch.next()).toMatchObject({ value: { type: 'ADDED' } });
    const waiting = watch.next();
    const otherWaiting = others.next();
    await test.settled();
    test.server.resources.remove(Widget);
    expect((await waiting).done).toBe(true);
    expect(await statusOf(test, 'v1/namespaces/default/widgets')).toBe(404);
    // The kinds that were declared together with the removed one go on, with their watches.
    await test.client
      .resource(Gadget)
      .namespace('default')
      .create({ metadata: { name: 'g' }, color: 'blue' });
    expect(await otherWaiting).toMatchObject({ value: { type: 'ADDED' } });
    test.server.resources.add(Widget);
    expect((await test.client.resource(Widget).namespace('default').get('a')).color).toBe('red');
    test.server.resources.remove([Widget, Gadget]);
    expect(await statusOf(test, 'v1')).toBe(404);
  });

  test('collects the dependents of an added kind', async () => {
    await using test = await startTestServer();
    test.server.resources.add(Widget);
    const widgets = test.client.resource(Widget).namespace('default');
    const owner = await widgets.create({ metadata: { name: 'a' }, color: 'red' });
    const ownerReferences = [
      { apiVersion: owner.apiVersion, kind: 'Widget', name: 'a', uid: owner.metadata.uid ?? '' },
    ];
    const maps = test.client.resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'c', ownerReferences } });
    await widgets.delete('a');
    await test.settled();
    await expect(maps.get('c')).rejects.toThrow('not found');
  });

  test('refuses what cannot be added, and changes nothing', async () => {
    await using test = await startTestServer({ resources: [Widget] });
    const { resources } = test.server;
    const refused: [unknown, string][] = [
      [Widget, 'server.resources.add: Widget (widgets.shop.example/v1) is given twice'],
      [{ ...Widget }, 'server.resources.add: Widget (widgets.shop.example/v1) and Widget'],
      [[Gadget, NewWidget, Gadget], 'server.resources.add: Gadget (gadgets.shop.example/v1) is given twice'],
      [ConfigMap, 'is given twice; give it once: it is built in'],
      [[Gadget, BetaGadget], 'server.resources.add: Beta (betas, v1beta1) is off: enable its version'],
      [
        'Gadget',
        'server.resources.add: the argument must be a kind, such as the result of defineResource, got "Gadget"',
      ],
      [{ ...Gadget, plural: 'Gadgets' }, 'plural must be a lower-case DNS label'],
    ];
    for (const [kinds, message] of refused) expect(() => resources.add(kinds as never)).toThrow(message);
    expect(() => test.client.resource(Gadget)).toThrow('is not served');
    resources.add([]);
  });

  test('refuses what cannot be removed, and changes nothing', async () => {
    await using test = await startTestServer({ resources: [Widget] });
    const { resources } = test.server;
    const apiVersion = 'apiextensions.orch.io/v1';
    const definitions = test.client.resource({ apiVersion, kind: 'CustomResourceDefinition' });
    await definitions.create(widgetDefinition({ group: 'other.example' }));
    await test.settled();
    expect(() => resources.remove([Widget, ConfigMap])).toThrow(
      'server.resources.remove: ConfigMap (configmaps, v1) is built in and cannot be removed',
    );
    expect(() => resources.remove(Gadget)).toThrow('server.resources.remove: Gadget (gadgets, v1) is not served');
    expect(() => resources.remove(undefined as never)).toThrow('the argument must be a kind');
    expect(await test.client.resource(Widget).list()).toMatchObject({ items: [] });
  });
});
