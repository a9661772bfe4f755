/** The answers of a server about the kinds of release 1.31: discovery, tables, selectors, warnings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groupName, kubernetes } from '../../../src/foundation/index.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask, textOf } from '../../server/ask.js';
import { decode } from '../../kinds/builtin/support.js';
import {
  columns,
  groupOrder,
  groups,
  selectableFields,
  servedKinds,
  type KindColumns,
  type KindFacts,
} from './published.js';

const OWNER = 'owner-of-the-served-test';
const ALL = { featureGates: { AllAlpha: true, AllBeta: true }, runtimeConfig: 'api/all=true' };

/** The kinds that a server serves without options. */
const byDefault = servedKinds.filter(({ servedByDefault }) => servedByDefault);
const named = (kinds: readonly KindFacts[]) =>
  kinds.map((facts) => [`${facts.group}/${facts.version} ${facts.kind}`, facts] as const);

let all: TestServer;
let plain: TestServer;
beforeAll(async () => {
  all = await startTestServer({ dialect: 'kubernetes', authentication: { ownerToken: OWNER }, ...ALL });
  plain = await startTestServer({ dialect: 'kubernetes', authentication: { ownerToken: OWNER } });
});
afterAll(async () => {
  await all.close();
  await plain.close();
});

const answerOf = (path: string, test = all, headers: Record<string, string> = {}) =>
  ask(test.server, 'GET', path, { token: OWNER, headers });
const get = async (path: string, test = all, headers: Record<string, string> = {}): Promise<unknown> =>
  JSON.parse(textOf(await answerOf(path, test, headers)));

const basePath = ({ group, version }: KindFacts): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
const definitionOf = ({ group, version, kind }: KindFacts) => {
  const found = builtinResources.find(
    (definition) =>
      groupName(definition.group, kubernetes) === group && definition.version === version && definition.kind === kind,
  );
  if (found === undefined) throw new Error(`${kind} is not declared`);
  return found;
};

interface Entry {
  readonly name: string;
  readonly verbs: readonly string[];
}

describe('discovery', () => {
  test('lists the groups of the release in its order, with all their versions', async () => {
    const { groups: listed } = (await get('/apis')) as {
      groups: { name: string; versions: { version: string }[]; preferredVersion: { version: string } }[];
    };
    expect(listed.map(({ name }) => name)).toEqual(groupOrder.filter((group) => group !== ''));
    expect(
      listed.map(({ name, versions, preferredVersion }) => ({
        group: name,
        versions: versions.map(({ version }) => version),
        preferredVersion: preferredVersion.version,
      })),
    ).toEqual(groupOrder.flatMap((name) => groups.filter(({ group }) => group === name && name !== '')));
  });

  test('has the stable versions and two betas by default', async () => {
    const served = await Promise.all(
      [...new Set(servedKinds.map(basePath))].map(
        async (path) => [path, (await answerOf(path, plain)).status] as const,
      ),
    );
    const expected = new Set(byDefault.map(basePath));
    expect(served.filter(([, status]) => status === 200).map(([path]) => path)).toEqual(
      served.map(([path]) => path).filter((path) => expected.has(path)),
    );
    expect(expected).toContain('/apis/flowcontrol.apiserver.k8s.io/v1beta3');
  });

  test('a kind behind a gate is not served with its version alone', async () => {
    await using versionOnly = await startTestServer({
      dialect: 'kubernetes',
      authentication: { ownerToken: OWNER },
      runtimeConfig: 'api/all=true',
    });
    const gated = servedKinds.filter(
      ({ featureGate }) => featureGate !== undefined && featureGate !== 'ValidatingAdmissionPolicy',
    );
    expect(gated.length).toBeGreaterThan(9);
    for (const facts of gated) {
      const path = `${basePath(facts)}/${facts.plural}`;
      expect((await answerOf(path, versionOnly)).status, path).toBe(404);
      expect((await answerOf(path)).status, path).toBe(200);
    }
  });

  test.each(named(servedKinds))('%s', async (_, facts) => {
    const { resources } = (await get(basePath(facts))) as { resources: Entry[] };
    const { plural, singular, scope, kind, verbs, shortNames, categories, storageVersionHash, subresources } = facts;
    expect(resources.find(({ name }) => name === plural)).toEqual({
      name: plural,
      singularName: singular,
      namespaced: scope === 'Namespaced',
      kind,
      verbs,
      ...(shortNames?.length ? { shortNames } : {}),
      ...(categories?.length ? { categories } : {}),
      ...(storageVersionHash ? { storageVersionHash } : {}),
    });
    const parts = Object.entries(subresources ?? {}).filter(([name]) => isListed(resources, `${plural}/${name}`));
    expect(resources.filter(({ name }) => name.startsWith(`${plural}/`))).toEqual(
      parts
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, part]) => ({
          name: `${plural}/${name}`,
          singularName: '',
          namespaced: scope === 'Namespaced',
          ...(part.group === undefined ? {} : { group: part.group }),
          ...(part.version === undefined ? {} : { version: part.version }),
          kind: part.kind ?? kind,
          verbs: part.verbs,
        })),
    );
  });

  /** Subresources that the owner's handlers answer are listed only when this server has them. */
  const isListed = (resources: readonly Entry[], name: string): boolean =>
    resources.some((entry) => entry.name === name) || !CONNECTING.has(name.slice(name.indexOf('/') + 1));
  const CONNECTING = new Set(['attach', 'exec', 'portforward', 'proxy', 'log']);
});

describe('tables', () => {
  const ofKind = ({ group, kind }: KindFacts) => columns.find((one) => one.group === group && one.kind === kind);

  test.each(named(servedKinds.filter(({ verbs }) => verbs.includes('list'))))(
    '%s has its columns',
    async (_, facts) => {
      const { columnDefinitions } = (await get(`${basePath(facts)}/${facts.plural}`, all, {
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      })) as { columnDefinitions: { name: string; type: string; format: string; priority: number }[] };
      const fallback: KindColumns['columns'] = [
        { name: 'Name', type: 'string', format: 'name' },
        { name: 'Created At', type: 'date' },
      ];
      expect(columnDefinitions.map(({ name, type, format, priority }) => ({ name, type, format, priority }))).toEqual(
        (ofKind(facts)?.columns ?? fallback).map(({ name, type, format = '', priority = 0 }) => ({
          ...{ name, type, format, priority },
        })),
      );
    },
  );

  test.each(named(servedKinds))('%s has cells for an object as it is decoded from nothing', (_, facts) => {
    const definition = definitionOf(facts);
    const object = emptyObject(facts);
    for (const { name, cell } of definition.columns ?? []) {
      const made = cell(object);
      const shown = typeof made === 'function' ? made(0) : made;
      expect(['string', 'number', 'boolean'], name).toContain(typeof shown);
    }
  });

  /** An object of which a client sent only the required structs. */
  function emptyObject(facts: KindFacts): StoredObject {
    const definition = definitionOf(facts);
    const object = decode(definition, { metadata: { name: 'a' } }, kubernetes);
    return object as StoredObject;
  }
});

describe('field selectors', () => {
  const selectable = servedKinds.filter(({ verbs }) => verbs.includes('list'));
  const ofKind = ({ group, kind }: KindFacts) =>
    selectableFields.find((one) => one.group === group && one.kind === kind);
  const list = (facts: KindFacts, field: string) =>
    answerOf(`${basePath(facts)}/${facts.plural}?fieldSelector=${encodeURIComponent(field)}`);

  test.each(named(selectable))('%s accepts its fields', async (_, facts) => {
    const { fields = [], aliases = {} } = ofKind(facts) ?? {};
    for (const field of ['metadata.name', ...fields, ...Object.keys(aliases)])
      expect((await list(facts, `${field}=x`)).status, field).toBe(200);
  });

  test.each(named(selectable))('%s refuses others', async (_, facts) => {
    const own = ofKind(facts);
    const answer = JSON.parse(textOf(await list(facts, 'spec.nothing=x'))) as { message: string; code: number };
    const words =
      own === undefined
        ? '"spec.nothing" is not a known field selector: only "metadata.name", "metadata.namespace"'
        : (own.unknown ?? 'field label not supported: <label>').replaceAll('<label>', 'spec.nothing');
    expect([answer.code, answer.message]).toEqual([400, words]);
  });
});

test('deprecated versions warn, with their replacement', async () => {
  const warnings = async (path: string) => (await answerOf(path)).headers['warning']?.toString();
  expect(await warnings('/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas')).toBe(
    '299 - "flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 FlowSchema"',
  );
  expect(await warnings('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas')).toBeUndefined();
  expect(await warnings('/apis/networking.k8s.io/v1beta1/ipaddresses')).toBeUndefined();
});
