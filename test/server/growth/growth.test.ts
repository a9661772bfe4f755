import { expectProportional, unitsOf, type Sized } from '../../support/units.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../../src/entries/index.js';
import type { ResourceClient } from '../../../src/entries/client.js';
import { controllerNames } from '../../../src/entries/controllers.js';
import type { AnyResource } from '../../../src/controllers/runtime/served-kinds.js';
import type { OwnerReference } from '../../../src/foundation/objects/object.js';
import type { NamedObject } from '../../../src/registry/definition/object-types.js';
import { encodePem, parsePem } from '../../../src/security/pki/index.js';
import type { InputOf, ObjectOf, ResourceDefinition } from '../../../src/registry/definition/definition.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { authority } from '../../support/certificates.js';
import { ask, textOf } from '../ask.js';
import { shapes, Thing, type Shape } from './shapes.js';

const startServer = (): Promise<TestServer> =>
  startTestServer({
    dialect: 'kubernetes',
    resources: [Thing],
    controllers: { disable: controllerNames },
    featureGates: 'ClusterTrustBundle=true',
    runtimeConfig: 'certificates.k8s.io/v1alpha1=true',
    authentication: {
      tokens: [
        { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
        { token: 'alice', user: { username: 'alice', groups: [] } },
      ],
    },
  });
/** The server of the tests of a shape: the large objects of all shapes would fill the heap, and slow each collection. */
let running: TestServer;
const withServer = (): void => {
  beforeAll(async () => {
    running = await startServer();
  });
  afterAll(() => running.close());
};

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
/** Larger than any cache, of which the largest have 1,024 entries, so that neither size uses one. */
const SIZE = 1_050;
const MAPS = '/api/v1/namespaces/default/configmaps';
const DRY = 'dryRun=All';

/** Builds a function that sends a request; the request must not fail inside the server. */
function sender(
  method: string,
  target: string,
  body: unknown,
  contentType = 'application/json',
  token = 'admin',
): () => Promise<number> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return async () => {
    const answer = await ask(running.server, method, target, {
      token,
      headers: { 'content-type': contentType },
      ...(method === 'GET' ? {} : { body: text }),
    });
    // Only an apply that does not fit its schema is answered this way.
    if (answer.status >= 500 && !textOf(answer).includes('failed to create typed'))
      throw new Error(textOf(answer).slice(0, 500));
    return answer.status;
  };
}

async function must(send: () => Promise<number>): Promise<void> {
  expect(await send()).toBeLessThan(300);
}

type Maps = ResourceClient<ObjectOf<typeof ConfigMap>, InputOf<typeof ConfigMap>>;

let names = 0;
const named = (shape: Shape, name: string, count: number, value: string): NamedObject => {
  const object = shape.object(count, value);
  return { apiVersion: shape.apiVersion, kind: shape.kind, ...object, metadata: { name, ...object.metadata } };
};

/** Makes one object of each size: every measured request is a dry run. */
function once(make: (size: number) => Promise<string>): (size: number) => Promise<string> {
  const made = new Map<number, Promise<string>>();
  return (size) => {
    const name = made.get(size) ?? make(size);
    made.set(size, name);
    return name;
  };
}

/**
 * The objects of a shape that requests of one size start from. They are created once: every measured request is a dry
 * run.
 */
class Stored {
  readonly #made = new Map<string, Promise<string>>();
  readonly #shape: Shape;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  /** Path of an object with `count` items of the shape. */
  with(count: number, applied = false): Promise<string> {
    const key = `${count} ${applied}`;
    let path = this.#made.get(key);
    if (path === undefined) this.#made.set(key, (path = this.#make(count, applied)));
    return path;
  }

  async #make(count: number, applied: boolean): Promise<string> {
    const shape = this.#shape;
    const name = `o${(names += 1)}`;
    const path = `${shape.collection}/${name}`;
    const part = shape.subresource === undefined ? path : `${path}/${shape.subresource}`;
    const inPart = shape.subresource !== undefined;
    if (inPart || !applied) await must(sender('POST', shape.collection, named(shape, name, inPart ? 0 : count, 'a')));
    if (applied)
      await must(sender('PATCH', `${part}?fieldManager=m&force=true`, named(shape, name, count, 'a'), APPLY));
    else if (inPart && count > 0) await must(sender('PUT', part, named(shape, name, count, 'a')));
    return part;
  }
}

const nameIn = (path: string): string => path.replace(/\/status$/, '').replace(/.*\//, '');

/** A way to change an object with `from` items into one with `to` items. */
const change =
  (
    shape: Shape,
    stored: Stored,
    method: string,
    query: string,
    contentType: string,
    from: (size: number) => number,
    to: (size: number) => number,
    value: string,
    applied = false,
  ): Sized =>
  async (size) => {
    const path = await stored.with(from(size), applied);
    const object = named(shape, nameIn(path), to(size), value);
    return sender(method, `${path}?${DRY}${query}`, object, contentType);
  };
const all = (size: number): number => size;
const none = (): number => 0;

const operations =
  (shape: Shape, stored: Stored, op: string, at: (index: number, size: number) => number): Sized =>
  async (size) => {
    const path = await stored.with(size);
    return sender(
      'PATCH',
      `${path}?${DRY}`,
      Array.from({ length: size }, (_, index) => ({
        op,
        path: shape.pointer(at(index, size)),
        ...(op === 'remove' ? {} : { value: shape.item(index, 'b') }),
      })),
      JSON_PATCH,
    );
  };

const ways: Readonly<Record<string, (shape: Shape, stored: Stored) => Sized>> = {
  'a create': (shape, stored) => async (size) =>
    shape.subresource === undefined
      ? sender('POST', `${shape.collection}?${DRY}`, named(shape, 'new', size, 'a'))
      : change(shape, stored, 'PUT', '', 'application/json', none, all, 'a')(size),
  'a PUT that fills': (shape, stored) => change(shape, stored, 'PUT', '', 'application/json', none, all, 'b'),
  'a PUT that changes all': (shape, stored) => change(shape, stored, 'PUT', '', 'application/json', all, all, 'b'),
  'a PUT that changes nothing': (shape, stored) => change(shape, stored, 'PUT', '', 'application/json', all, all, 'a'),
  'a PUT that empties': (shape, stored) => change(shape, stored, 'PUT', '', 'application/json', all, none, 'a'),
  'a PUT that is stored': (shape, stored) => async (size) => {
    const path = await stored.with(size);
    const senders = ['b', 'a'].map((value) => sender('PUT', path, named(shape, nameIn(path), size, value)));
    // Twice, so that the object is left as the other ways expect it.
    return async () => {
      for (const send of senders) await send();
    };
  },
  'a merge patch': (shape, stored) => change(shape, stored, 'PATCH', '', MERGE, all, all, 'b'),
  'a merge patch that fills': (shape, stored) => change(shape, stored, 'PATCH', '', MERGE, none, all, 'b'),
  'a strategic merge patch': (shape, stored) =>
    change(shape, stored, 'PATCH', '', shape.kind === 'Thing' ? MERGE : STRATEGIC, all, all, 'b'),
  'a JSON Patch that replaces': (shape, stored) => operations(shape, stored, 'replace', (index) => index),
  'a JSON Patch that adds': (shape, stored) =>
    operations(shape, stored, 'add', (index, size) => (shape.pointer(0).endsWith('key-0') ? size + index : index)),
  'a JSON Patch that removes': (shape, stored) =>
    operations(shape, stored, 'remove', (index, size) => size - 1 - index),
  'an apply that fills': (shape, stored) => change(shape, stored, 'PATCH', '&fieldManager=m', APPLY, none, all, 'a'),
  'an apply in conflict': (shape, stored) => change(shape, stored, 'PATCH', '&fieldManager=n', APPLY, all, all, 'b'),
  'an apply that takes ownership': (shape, stored) =>
    change(shape, stored, 'PATCH', '&fieldManager=n&force=true', APPLY, all, all, 'b'),
  'an apply of all fields again': (shape, stored) =>
    change(shape, stored, 'PATCH', '&fieldManager=m&force=true', APPLY, all, all, 'b', true),
  'an apply that gives up ownership': (shape, stored) =>
    change(shape, stored, 'PATCH', '&fieldManager=m&force=true', APPLY, all, none, 'a', true),
};

describe('twice as many items cost about twice as much', () => {
  describe.each(shapes.map((shape) => [shape.name, shape] as const))('%s', (_name, shape) => {
    withServer();
    const stored = new Stored(shape);
    // An apply must not send field managers.
    const possible = Object.entries(ways).filter(([way]) => shape.name !== 'field managers' || !way.includes('apply'));
    test.each(possible)('%s', { timeout: 300_000 }, async (_way, way) => {
      await expectProportional(way(shape, stored), SIZE);
    });
  });
});

describe('twice as much data of other kinds costs about twice as much', () => {
  withServer();
  const list = <Item>(count: number, item: (index: number) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => item(index));
  const post =
    (body: (size: number) => unknown, collection = MAPS): Sized =>
    async (size) =>
      sender('POST', `${collection}?${DRY}`, body(size));
  const patch =
    (type: string, object: (size: number) => object, body: (size: number) => unknown, collection = MAPS): Sized =>
    async (size) => {
      const name = `o${(names += 1)}`;
      await must(sender('POST', collection, { metadata: { name }, ...object(size) }));
      return sender('PATCH', `${collection}/${name}?${DRY}`, body(size), type);
    };
  const owner = (index: number): object => ({ apiVersion: 'v1', kind: 'A', name: `n${index}`, uid: `u${index}` });
  const finalizers = (size: number): object => ({
    metadata: { name: `f${(names += 1)}`, finalizers: list(size, (index) => `e.x/${index}`) },
  });
  const PODS = '/api/v1/namespaces/default/pods';
  const RBAC = '/apis/rbac.authorization.k8s.io/v1';
  const BUNDLES = '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles';

  const cases: Readonly<Record<string, readonly [sized: Sized, size?: number]>> = {
    'unknown fields': [
      post((size) => ({ metadata: { name: 'x' }, ...Object.fromEntries(list(size, (index) => [`u${index}`, 1])) })),
    ],
    'repeated fields': [
      post(
        (size) =>
          `{"metadata":{"name":"x"},"data":{${list(size, (index) => `"k${index}":"a","k${index}":"b"`).join(',')}}}`,
      ),
    ],
    'wrong labels': [
      post((size) => ({
        metadata: { name: 'x', labels: Object.fromEntries(list(size, (index) => [`-${index}`, '-'])) },
      })),
    ],
    'wrong finalizers': [
      post((size) => ({ metadata: { name: 'x', finalizers: list(size, (index) => `bad${index}`) } })),
    ],
    'equal owners': [post((size) => ({ metadata: { name: 'x', ownerReferences: list(size, () => owner(0)) } }))],
    'equal containers': [
      post(
        (size) => ({ metadata: { name: 'x' }, spec: { containers: list(size, () => ({ name: 'a', image: 'i' })) } }),
        PODS,
      ),
    ],
    'mounts and devices': [
      post(
        (size) => ({
          metadata: { name: 'x' },
          spec: {
            containers: [
              {
                name: 'a',
                image: 'i',
                volumeMounts: list(size, (index) => ({ name: `v${index}`, mountPath: `/${index}` })),
                volumeDevices: list(size, (index) => ({ name: `d${index}`, devicePath: `/d${index}` })),
              },
            ],
          },
        }),
        PODS,
      ),
    ],
    'usages of a certificate': [
      post(
        (size) => ({
          metadata: { name: 'x' },
          spec: { request: '', signerName: 'e.x/y', usages: list(size, (index) => `u${index}`) },
        }),
        '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      ),
    ],
    'insertions in front': [
      patch(JSON_PATCH, finalizers, (size) =>
        list(size, (index) => ({ op: 'add', path: '/metadata/finalizers/0', value: `e.x/a${index}` })),
      ),
    ],
    'removals from the middle': [
      patch(
        JSON_PATCH,
        (size) => finalizers(2 * size),
        (size) => list(size, (index) => ({ op: 'remove', path: `/metadata/finalizers/${size - (index >> 1)}` })),
      ),
    ],
    moves: [
      patch(
        JSON_PATCH,
        (size) => ({ data: Object.fromEntries(list(size, (index) => [`k${index}`, 'a'])) }),
        (size) => list(size, (index) => ({ op: 'move', from: `/data/k${index}`, path: `/data/l${index}` })),
      ),
    ],
    copies: [
      patch(
        JSON_PATCH,
        () => ({ data: { a: 'x' } }),
        (size) => list(size, (index) => ({ op: 'copy', from: '/data/a', path: `/data/l${index}` })),
      ),
    ],
    'deletions by a strategic merge patch': [
      patch(
        STRATEGIC,
        (size) => ({ metadata: { name: `s${(names += 1)}`, ownerReferences: list(size, owner) } }),
        (size) => ({
          metadata: {
            ownerReferences: list(size, (index) => ({ $patch: 'delete', uid: `u${index}` })),
            '$setElementOrder/ownerReferences': [{ uid: 'u0' }],
          },
        }),
      ),
    ],
    'scalars that a strategic merge patch replaces': [
      patch(STRATEGIC, finalizers, (size) => ({
        metadata: {
          finalizers: list(size, (index) => `e.x/b${index}`),
          '$deleteFromPrimitiveList/finalizers': list(size, (index) => `e.x/${index}`),
          '$setElementOrder/finalizers': list(size, (index) => `e.x/b${index}`),
        },
      })),
    ],
    'changes of one item': [
      patch(
        STRATEGIC,
        (size) => ({
          spec: {
            containers: [{ name: 'a', image: 'i', env: list(size, (index) => ({ name: `e${index}`, value: 'v' })) }],
          },
        }),
        (size) => ({
          spec: { containers: list(size, (index) => ({ name: 'a', env: [{ name: `e${index}`, value: 'w' }] })) },
        }),
        PODS,
      ),
    ],
    'requirements of a label selector': [
      async (size) =>
        sender(
          'GET',
          `${MAPS}?limit=1&labelSelector=${encodeURIComponent(list(size, (index) => `!k${index}`).join(','))}`,
          '',
        ),
      450,
    ],
    'values of a label selector': [
      async (size) =>
        sender(
          'GET',
          `${MAPS}?limit=1&labelSelector=${encodeURIComponent(`a in (${list(size, (index) => `k${index}`).join(',')})`)}`,
          '',
        ),
    ],
    'terms of a field selector': [
      async (size) =>
        sender(
          'GET',
          `${MAPS}?limit=1&fieldSelector=${encodeURIComponent(list(size, (index) => `metadata.name!=k${index}`).join(','))}`,
          '',
        ),
      450,
    ],
    'groups and extras of a review': [
      post(
        (size) => ({
          spec: {
            user: 'u',
            groups: list(size, (index) => `g${index}`),
            extra: Object.fromEntries(list(size, (index) => [`k${index}`, ['v']])),
            resourceAttributes: { verb: 'get', resource: 'pods' },
          },
        }),
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      ),
    ],
    'lines of YAML': [
      async (size) =>
        sender(
          'POST',
          `${MAPS}?${DRY}`,
          `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\ndata:\n${list(size, (index) => `  k${index}: v\n`).join('')}`,
          'application/yaml',
        ),
    ],
    'rules that their author holds': [
      granting((size) =>
        list(size, (index) => ({
          apiGroups: [''],
          resources: ['pods'],
          resourceNames: [`n${size - 1 - index}`],
          verbs: ['get'],
        })),
      ),
      1_000,
    ],
    'rules that their author lacks': [
      granting((size) =>
        list(size, (index) => ({ apiGroups: [''], resources: ['pods'], resourceNames: [`m${index}`], verbs: ['get'] })),
      ),
      1_000,
    ],
    'names in a rule that many rules of its author contain': [
      granting((size) => [
        { apiGroups: [''], resources: ['pods'], resourceNames: list(size, (index) => `n${index}`), verbs: ['get'] },
      ]),
      1_000,
    ],
    'paths in a rule': [
      granting((size) => [{ nonResourceURLs: list(size, (index) => `/u${index}/x`), verbs: ['get'] }]),
      1_000,
    ],
    'blocks of a trust bundle': [bundle, 1_000],
    'blocks of a trust bundle in a PUT': [bundleChange('PUT', 'application/json'), 1_000],
    'blocks of a trust bundle in a merge patch': [bundleChange('PATCH', MERGE), 1_000],
    'blocks of a trust bundle in a strategic merge patch': [bundleChange('PATCH', STRATEGIC), 1_000],
    'blocks of a trust bundle in an apply': [bundleChange('PATCH', APPLY, '&fieldManager=m&force=true'), 1_000],
    'blocks of a trust bundle in a JSON Patch': [
      bundleChange('PATCH', JSON_PATCH, '', (object) => [
        { op: 'replace', path: '/spec', value: (object as { readonly spec: unknown }).spec },
      ]),
      1_000,
    ],
  };

  /** A create of a role by a user whose number of rules is the size. */
  function granting(rules: (size: number) => unknown[]): Sized {
    return async (size) => {
      const name = `r${(names += 1)}`;
      const owned = [
        ...list(size, (index) => ({
          apiGroups: [''],
          resources: ['pods'],
          resourceNames: [`n${index}`],
          verbs: ['get', 'list'],
        })),
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['create'] },
        { nonResourceURLs: list(size, (index) => `/u${index}/*`), verbs: ['get'] },
      ];
      await must(sender('POST', `${RBAC}/clusterroles`, { metadata: { name }, rules: owned }));
      const send = sender(
        'POST',
        `${RBAC}/clusterroles?${DRY}`,
        { metadata: { name: 'mine' }, rules: rules(size) },
        'application/json',
        'alice',
      );
      return async () => {
        await must(
          sender('POST', `${RBAC}/clusterrolebindings`, {
            metadata: { name },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
            subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
          }),
        );
        await send();
        await must(sender('DELETE', `${RBAC}/clusterrolebindings/${name}`, ''));
      };
    };
  }

  /** A trust bundle with that many blocks: all differ, and only the first is a certificate. */
  async function bundleOf(size: number, mark: number): Promise<object> {
    const { certificatePem } = await authority('growth');
    const der = parsePem(certificatePem).blocks[0]?.bytes ?? new Uint8Array();
    const blocks = list(size, (index) => {
      const bytes = index === 0 ? der : Uint8Array.of(0x30, 4, index >> 16, (index >> 8) & 255, index & 255, mark);
      return encodePem('CERTIFICATE', bytes);
    });
    return { spec: { trustBundle: blocks.join('') } };
  }

  async function bundle(size: number): Promise<() => Promise<unknown>> {
    return sender('POST', `${BUNDLES}?${DRY}`, { metadata: { name: 'x' }, ...(await bundleOf(size, 0)) });
  }

  /** A change of a bundle with one certificate. */
  function bundleChange(
    method: string,
    contentType: string,
    query = '',
    body = (object: object): unknown => object,
  ): Sized {
    return async (size) => {
      const name = `b${(names += 1)}`;
      await must(sender('POST', BUNDLES, { metadata: { name }, ...(await bundleOf(1, 0)) }));
      const object = {
        apiVersion: 'certificates.k8s.io/v1alpha1',
        kind: 'ClusterTrustBundle',
        metadata: { name },
        ...(await bundleOf(size, 1)),
      };
      return sender(method, `${BUNDLES}/${name}?${DRY}${query}`, body(object), contentType);
    };
  }

  test.each(Object.entries(cases))('%s', { timeout: 300_000 }, async (_name, [sized, size = SIZE]) => {
    await expectProportional(sized, size);
  });
});

describe('a collection', () => {
  withServer();
  test('is deleted', { timeout: 300_000 }, async () => {
    await expectProportional(async (size) => {
      const namespace = `n${(names += 1)}`;
      await must(sender('POST', '/api/v1/namespaces', { metadata: { name: namespace } }));
      const collection = `/api/v1/namespaces/${namespace}/configmaps`;
      return async () => {
        for (let index = 0; index < size; index += 1)
          await must(sender('POST', collection, { metadata: { name: `c${index}` } }));
        await must(sender('DELETE', collection, ''));
      };
    }, 300);
  });
});

describe('in-process', () => {
  withServer();
  const client = (): Maps => running.client.resource(ConfigMap).namespace('default');
  const data = (size: number, value: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: size }, (_, index) => [`key-${index}`, value]));
  const made = once(
    async (size: number): Promise<string> =>
      (await client().create({ metadata: { name: `p${(names += 1)}` }, data: data(size, 'a') })).metadata.name ?? '',
  );

  test.each<[string, Sized]>([
    [
      'create',
      async (size) => () => client().create({ metadata: { name: 'new' }, data: data(size, 'a') }, { dryRun: true }),
    ],
    [
      'update',
      async (size) => {
        const name = await made(size);
        return () => client().update({ metadata: { name }, data: data(size, 'b') }, { dryRun: true });
      },
    ],
    [
      'patch',
      async (size) => {
        const name = await made(size);
        return () => client().patch(name, { data: data(size, 'b') }, { dryRun: true });
      },
    ],
    [
      'apply',
      async (size) => {
        const name = await made(size);
        return () =>
          client().apply(
            { metadata: { name }, data: data(size, 'b') },
            { dryRun: true, fieldManager: 'm', force: true },
          );
      },
    ],
  ])('%s', { timeout: 60_000 }, async (_verb, sized) => {
    await expectProportional(sized, 5_000);
  });
});

describe('in-process, of every shape', () => {
  const definitions = new Map<string, ResourceDefinition>(
    [...builtinResources, Thing].map((definition) => [`${definition.plural} ${definition.version}`, definition]),
  );
  const clientOf = ({ collection, apiVersion }: Shape): AnyResource => {
    const definition = definitions.get(`${collection.replace(/.*\//, '')} ${apiVersion.replace(/.*\//, '')}`);
    if (definition === undefined) throw new Error(`no kind for ${collection}`);
    const client = running.client.resource(definition);
    return collection.includes('/namespaces/') ? client.namespace('default') : client;
  };
  const verbs = (shape: Shape): Readonly<Record<string, Sized>> => {
    const client = (): AnyResource => clientOf(shape);
    const made = once(async (size: number): Promise<string> => {
      const name = `i${(names += 1)}`;
      await client().create(named(shape, name, size, 'a'));
      return name;
    });
    return {
      update: async (size) => {
        const object = named(shape, await made(size), size, 'b');
        return () => client().update(object, { dryRun: true });
      },
      patch: async (size) => {
        const name = await made(size);
        const { metadata, ...fields } = shape.object(size, 'b');
        return () =>
          client().patch(name, { ...fields, ...(metadata === undefined ? {} : { metadata }) }, { dryRun: true });
      },
      apply: async (size) => {
        const object = named(shape, await made(size), size, 'b');
        return () => client().apply(object, { dryRun: true, fieldManager: 'm', force: true });
      },
    };
  };
  const whole = shapes.filter(({ subresource }) => subresource === undefined);
  describe.each(whole.map((shape) => [shape.name, shape] as const))('%s', (_name, shape) => {
    withServer();
    // An apply must not send field managers.
    const possible = Object.entries(verbs(shape)).filter(
      ([verb]) => verb !== 'apply' || shape.name !== 'field managers',
    );
    test.each(possible)('%s', { timeout: 300_000 }, async (_verb, sized) => {
      await expectProportional(async (size) => {
        const run = await sized(size);
        // A refusal of the object costs as much as its check.
        return async () => {
          try {
            await run();
          } catch (error) {
            expect(error).toMatchObject({ name: 'ApiError' });
          }
        };
      }, SIZE);
    });
  });
});

describe('the garbage collector', () => {
  const owned = (uid: string, name: string): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid });

  test.each<[string, (maps: Maps, size: number) => Promise<void>]>([
    [
      'dependents of one owner',
      async (maps, size) => {
        const { metadata } = await maps.create({ metadata: { name: 'owner' } });
        for (let index = 0; index < size; index += 1)
          await maps.create({
            metadata: { name: `d${index}`, ownerReferences: [owned(metadata.uid ?? '', 'owner')] },
          });
        await maps.delete('owner');
      },
    ],
    [
      'absent owners of one object',
      async (maps, size) => {
        const ownerReferences = Array.from({ length: size }, (_, index) => owned(`u${index}`, `absent-${index}`));
        await maps.create({ metadata: { name: 'd', ownerReferences } });
      },
    ],
    [
      'a chain of owners',
      async (maps, size) => {
        let last = await maps.create({ metadata: { name: 'c0' } });
        for (let index = 1; index < size; index += 1)
          last = await maps.create({
            metadata: { name: `c${index}`, ownerReferences: [owned(last.metadata.uid ?? '', `c${index - 1}`)] },
          });
        await maps.delete('c0');
      },
    ],
  ])('%s', { timeout: 120_000 }, async (_title, fill) => {
    await expectProportional(
      async (size) => async () => {
        await using test = await startTestServer();
        const maps = test.client.resource(ConfigMap).namespace('default');
        await fill(maps, size);
        await test.settled();
        expect((await maps.list()).items).toEqual([]);
      },
      600,
    );
  });
});

// A write may pause at each key, which takes about 210 of the units: 20 of them while the text is made.
describe('forty thousand changed keys take few units each', () => {
  withServer();
  const COUNT = 40_000;
  const data = (value: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`key-${index}`, value]));
  const object = (name: string, value: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: data(value),
  });
  const name = 'forty-thousand';

  test.each<[way: string, mostUnits: number, make: () => () => Promise<unknown>]>([
    ['PUT', 370, () => sender('PUT', `${MAPS}/${name}?${DRY}`, object(name, 'b'))],
    [
      'JSON Patch',
      375,
      () => sender('PATCH', `${MAPS}/${name}?${DRY}`, [{ op: 'replace', path: '/data', value: data('b') }], JSON_PATCH),
    ],
    ['merge patch', 375, () => sender('PATCH', `${MAPS}/${name}?${DRY}`, { data: data('b') }, MERGE)],
    ['strategic merge patch', 375, () => sender('PATCH', `${MAPS}/${name}?${DRY}`, { data: data('b') }, STRATEGIC)],
    ['apply', 435, () => sender('PATCH', `${MAPS}/${name}?${DRY}&fieldManager=m&force=true`, object(name, 'b'), APPLY)],
    [
      'apply in conflict',
      350,
      () => sender('PATCH', `${MAPS}/${name}?${DRY}&fieldManager=m`, object(name, 'b'), APPLY),
    ],
    [
      'the in-process client',
      325,
      () => () =>
        running.client
          .resource(ConfigMap)
          .namespace('default')
          .update({ metadata: { name }, data: data('b') }, { dryRun: true }),
    ],
  ])('%s', { timeout: 60_000 }, async (_way, mostUnits, make) => {
    if ((await ask(running.server, 'GET', `${MAPS}/${name}`)).status === 404)
      await must(sender('POST', MAPS, object(name, 'a')));
    const run = make();
    await run();
    expect((await unitsOf(run)) / COUNT).toBeLessThan(mostUnits);
  });
});
