import { expect, test } from 'vitest';
import { controllerNames } from '../../../src/controllers/index.js';
import { startTestServer } from '../../../src/testing/index.js';
import { ask, jsonOf, textOf } from '../ask.js';
import { Thing } from '../growth/shapes.js';
import { bodies, metadata } from './bodies.js';

const REQUESTS = 20_000;

/** What a server of release 1.31 answers with 500 too. */
const KNOWN: readonly RegExp[] = [
  // An intent that does not fit its schema.
  /failed to create typed (patch|live) object/,
  /failed to decode managed fields/,
  // A strategic merge patch that does not fit the schema.
  /does not contain declared merge key/, /unknown patch type/, /expected a .*, but received a /, /list element types are not identical/, /no elements in any of the given slices/, /doesn't match \$setElementOrder list/, /cannot merge lists/, /merging lists cannot yet/,
  // A version where there must be none, or that cannot be read.
  /resourceVersion should not be set on objects to be created/, /strconv\.ParseUint: parsing/,
];

/** Chance that repeats. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(bound: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % bound;
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }
}

const scalars: readonly unknown[] = [null, true, false, 0, -1, 1.5, 1e21, 9_007_199_254_740_993, '', 'x', '0', '1e1', '1.5Gi', '-', '!', 'a/b/c', '2024-13-01T00:00:00Z', 'AAE', '\u0000', 'ü', '__proto__', 'x'.repeat(300), [], {}, [null], [[]], [{}], { '': null }, { $patch: 'delete' }, { $patch: 'replace' }, { $retainKeys: ['a'] }];
const keys: readonly string[] = ['__proto__', 'constructor', 'toString', '', 'unknown', '$patch', '$retainKeys', '$setElementOrder/containers', '$deleteFromPrimitiveList/finalizers', 'metadata', 'name', 'spec', 'status', 'kind', 'apiVersion'];

/** A copy with something changed at random. */
function spoiled(chance: Chance, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || chance.once(12)) return chance.of(scalars);
  if (Array.isArray(value)) {
    const items: unknown[] = [...(value as unknown[])];
    if (items.length === 0 || chance.once(4)) items.push(chance.of([...scalars, ...items]));
    else if (chance.once(5)) items.splice(chance.below(items.length), 1);
    else {
      const at = chance.below(items.length);
      items[at] = spoiled(chance, items[at]);
    }
    return items;
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0 || chance.once(6)) entries.push([chance.of(keys), chance.of(scalars)]);
  else if (chance.once(6)) entries.splice(chance.below(entries.length), 1);
  else {
    const entry = entries[chance.below(entries.length)] as [string, unknown];
    entry[1] = spoiled(chance, entry[1]);
  }
  return Object.fromEntries(entries);
}

/** Paths of all that is in a value, as JSON Pointers. */
function pointers(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => pointers(inner, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`))];
}

const parameters: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['dryRun', ['All', '', 'Some']], ['fieldManager', ['m', '', '\u0001', 'x'.repeat(129)]], ['force', ['true', 'false', 'maybe']], ['fieldValidation', ['Strict', 'Warn', 'Ignore', 'Never']],
  ['resourceVersion', ['0', '1', 'abc', '-1']], ['resourceVersionMatch', ['Exact', 'NotOlderThan', 'x']], ['limit', ['1', '-1', 'x']], ['continue', ['x', 'e30']], ['labelSelector', ['a=b', 'a in (b', '!', ',']], ['fieldSelector', ['metadata.name=x', 'spec.x=1', '=', ',']],
  ['pretty', ['true', 'x']], ['gracePeriodSeconds', ['0', '-1', 'x']], ['propagationPolicy', ['Foreground', 'Orphan', 'x']], ['orphanDependents', ['true', 'x']], ['allowWatchBookmarks', ['true']], ['includeObject', ['None', 'x']],
];
const accepts: readonly string[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', '*/*', 'application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'text/html', ';;'];
const writeTypes: readonly string[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/plain', ''];
const patchTypes: readonly string[] = ['application/json-patch+json', 'application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml', 'application/json'];

interface Resource {
  readonly path: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  /** `resource`, or `resource/subresource`. */
  readonly name: string;
}

test(`${REQUESTS} spoiled requests get no 5xx that Kubernetes would not give`, { timeout: 600_000 }, async () => {
  await using running = await startTestServer({
    dialect: 'kubernetes', resources: [Thing], disabledControllers: controllerNames, featureGates: 'AllAlpha=true,AllBeta=true', runtimeConfig: 'api/all=true',
    tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }],
  });
  const { server } = running;

  const discovered = async (): Promise<Resource[]> => {
    const groups = jsonOf(await ask(server, 'GET', '/apis'))['groups'] as { versions: { groupVersion: string }[] }[];
    const roots = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`))];
    const lists = await Promise.all(roots.map(async (root) => {
      const { groupVersion, resources } = jsonOf(await ask(server, 'GET', root)) as unknown as { groupVersion: string; resources: { name: string; kind: string; namespaced: boolean; group?: string; version?: string }[] };
      return resources.map(({ name, kind, namespaced, group, version }) => ({ path: root, kind, namespaced, name, apiVersion: version === undefined ? groupVersion : [group, version].filter(Boolean).join('/') }));
    }));
    return lists.flat();
  };
  const resources = await discovered();
  const kinds = new Set(resources.map(({ kind }) => kind));
  expect([...kinds].filter((kind) => bodies[kind] === undefined)).toEqual([]);

  const chance = new Chance(20_240_101);
  const seen = new Map<number, number>();
  const bad: string[] = [];
  for (let count = 0; count < REQUESTS; count += 1) {
    const resource = chance.of(resources);
    const [plural = '', subresource] = resource.name.split('/');
    const name = `o${chance.below(3)}`;
    const method = chance.of(['GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'DELETE'] as const);
    const onOne = subresource !== undefined || method === 'PUT' || method === 'PATCH' || (method !== 'POST' && !chance.once(6));
    const path = [resource.path, ...(resource.namespaced ? ['namespaces', 'default'] : []), plural, ...(onOne ? [name] : []), ...(subresource === undefined ? [] : [subresource])].join('/');
    const whole = { apiVersion: resource.apiVersion, kind: resource.kind, metadata: { name, ...(chance.once(3) ? metadata : {}) }, ...bodies[resource.kind] };
    // Most are spoiled in one place or two; some are good, so that there is something to spoil.
    let body: unknown = whole;
    for (let times = chance.below(3); times > 0; times -= 1) body = spoiled(chance, body);
    const type = method === 'PATCH' ? chance.of(patchTypes) : chance.once(3) ? chance.of(writeTypes) : 'application/json';
    if (type === patchTypes[0]) {
      const places = pointers(whole);
      body = Array.from({ length: 1 + chance.below(3) }, () => spoiledOperation(chance, places));
    }
    let text = JSON.stringify(body);
    if (chance.once(40)) text = text.slice(0, chance.below(text.length + 1));
    const query = parameters.filter(() => chance.once(10)).map(([key, values]) => `${key}=${encodeURIComponent(chance.of(values))}`);
    if (type === patchTypes[3] && !chance.once(5)) query.push('fieldManager=m');
    const target = `${path}?${query.join('&')}`;
    const headers = { ...(type === '' ? {} : { 'content-type': type }), accept: chance.once(4) ? chance.of(accepts) : 'application/json' };
    const answer = await ask(server, method, target, { headers, ...(method === 'GET' ? {} : { body: text }) });
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    if (answer.status < 500) continue;
    // YAML breaks lines.
    const message = textOf(answer).replaceAll(/\s+/g, ' ');
    if (!KNOWN.some((known) => known.test(message))) bad.push(`${answer.status} ${method} ${target} ${type}\n  ${text.slice(0, 400)}\n  ${message.slice(0, 300)}`);
  }
  expect(bad.slice(0, 20)).toEqual([]);
  // The requests come through to where things can go wrong.
  for (const status of [200, 201, 400, 404, 409, 415, 422]) expect(seen.get(status) ?? 0, String(status)).toBeGreaterThan(50);
});

function spoiledOperation(chance: Chance, places: readonly string[]): unknown {
  const operation = { op: chance.of(['add', 'remove', 'replace', 'move', 'copy', 'test']), path: chance.once(8) ? `${chance.of(places)}/${chance.of(keys)}` : chance.of(places), from: chance.of(places), value: chance.of(scalars) };
  return chance.once(10) ? spoiled(chance, operation) : operation;
}
