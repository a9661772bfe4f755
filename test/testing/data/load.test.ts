import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap, Deployment, Namespace, Pod } from '../../../src/entries/index.js';
import { ReplicaSet, ValidatingAdmissionPolicy } from '../../../src/entries/kinds.js';
import { loadObjects, startTestServer, type ObjectSource, type TestServer } from '../../../src/entries/testing.js';

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer } } } }
status: { acceptedNames: { kind: '', plural: '' }, conditions: [], storedVersions: [] }
`;
const WIDGET = `
apiVersion: example.com/v1
kind: Widget
metadata: { name: one, namespace: team }
spec: { size: 3 }
`;
const NAMESPACE = `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}`;
const configMap = (name: string, data = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const load = (test: TestServer, ...sources: ObjectSource[]) =>
  loadObjects(test.server, sources, { settled: test.settled });

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'load-'));
  await mkdir(join(directory, 'deep/.hidden'), { recursive: true });
  await writeFile(join(directory, 'a.yaml'), `${WIDGET}---\n${CRD}---\n# nothing\n---\n${NAMESPACE}`);
  await writeFile(join(directory, 'b.json'), JSON.stringify(configMap('b')));
  await writeFile(join(directory, 'deep/c.yml'), JSON.stringify(configMap('c')));
  await writeFile(join(directory, 'deep/.hidden/d.yaml'), JSON.stringify(configMap('d')));
  await writeFile(join(directory, 'notes.txt'), 'no manifest');
});
afterAll(() => rm(directory, { recursive: true }));

describe('loading objects', () => {
  test('orders namespaces and definitions before the objects that need them', async () => {
    await using server = await startTestServer();
    const [widget, definition, namespace] = await load(server, join(directory, 'a.yaml'));
    expect(widget).toMatchObject({
      kind: 'Widget',
      metadata: { namespace: 'team', uid: expect.any(String) },
      spec: { size: 3 },
    });
    expect(definition).toMatchObject({ apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition' });
    expect(namespace).toMatchObject({ kind: 'Namespace', metadata: { name: 'team' } });
  });

  test.each([
    ['a directory', () => directory, ['b']],
    ['a URL of a directory', () => pathToFileURL(directory), ['b']],
    ['a pattern', () => `${directory}/*.json`, ['b']],
    ['a pattern with alternatives', () => `${directory}/**/*.{yml,json}`, ['b', 'c']],
    ['a pattern of a directory', () => `${directory}/de?p/*`, ['c']],
    ['a text', () => `${JSON.stringify(configMap('x'))}\n---\n${JSON.stringify(configMap('y'))}`, ['x', 'y']],
    ['a list', () => ({ apiVersion: 'v1', kind: 'List', items: [configMap('x'), configMap('y')] }), ['x', 'y']],
    ['an array', () => [configMap('x'), JSON.stringify(configMap('y'))], ['x', 'y']],
    ['a stream', () => Readable.from([Buffer.from(JSON.stringify(configMap('x'))), '\n']), ['x']],
  ])('reads %s', async (_, source, names) => {
    await using server = await startTestServer();
    const loaded = await load(server, source());
    expect(
      loaded
        .filter(({ kind }) => kind === 'ConfigMap')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(names);
  });

  test('decodes a stream whose chunks end within a character', async () => {
    await using server = await startTestServer();
    const bytes = Buffer.from(JSON.stringify(configMap('x', { a: 'ü' })));
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await load(server, Readable.from(chunks))).toMatchObject([{ data: { a: 'ü' } }]);
  });

  test('applies: an object that exists is changed, and a field that is gone is removed', async () => {
    await using server = await startTestServer();
    const maps = server.client.resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'a' }, data: { own: '1', other: '1' } });
    await load(server, configMap('a', { own: '2', gone: '2' }));
    await load(server, configMap('a', { own: '3' }));
    expect((await maps.get('a')).data).toEqual({ own: '3', other: '1' });
  });

  test('loads an export: drops what the server sets, keeps the status, maps owners', async () => {
    await using server = await startTestServer({ controllers: { disable: ['replicaset', 'deployment'] } });
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'a' }] } };
    const spec = { selector: { matchLabels: { app: 'a' } }, template };
    const stored = {
      resourceVersion: '77',
      creationTimestamp: '2020-01-01T00:00:00Z',
      generation: 4,
      managedFields: [],
    };
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a', uid: 'old-deployment', controller: true };
    const [set, deployment] = await load(
      server,
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'a-1', uid: 'old-set', ...stored, ownerReferences: [owner] },
        spec,
      },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a', uid: 'old-deployment', ...stored },
        spec,
        status: { replicas: 2, readyReplicas: 1 },
      },
    );
    await server.settled();
    expect(set?.metadata.ownerReferences).toMatchObject([{ uid: deployment?.metadata.uid }]);
    await expect(server.client.resource(ReplicaSet).namespace('default').get('a-1')).resolves.toBeDefined();
    const found = await server.client.resource(Deployment).namespace('default').get('a');
    expect(found).toMatchObject({
      metadata: { generation: 1, creationTimestamp: '2024-01-01T00:00:00Z' },
      status: { replicas: 2, readyReplicas: 1 },
    });
  });

  test('creates what has only a generated name, in the namespace of the options', async () => {
    await using server = await startTestServer();
    await server.client.resource(Namespace).create({ metadata: { name: 'team' } });
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { generateName: 'p-' },
      spec: { containers: [{ name: 'c', image: 'c' }] },
    };
    await loadObjects(server.server, [pod, pod], { namespace: 'team' });
    expect((await server.client.resource(Pod).namespace('team').list()).items).toHaveLength(2);
  });

  test('loads policies last, so that they do not refuse the other objects', async () => {
    await using server = await startTestServer();
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const apiVersion = 'admissionregistration.orch.io/v1';
    await load(server, [
      {
        apiVersion,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'no' },
        spec: { policyName: 'no', validationActions: ['Deny'] },
      },
      {
        apiVersion,
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'no' },
        spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: 'false' }] },
      },
      configMap('a'),
    ]);
    await expect(server.client.resource(ValidatingAdmissionPolicy).get('no')).resolves.toBeDefined();
    await server.settled();
    await expect(load(server, configMap('b'))).rejects.toThrow('load: ConfigMap b: ');
  });

  test.each<[string, (directory: string) => unknown, string | RegExp]>([
    ['nothing', () => '', 'load: a source is empty'],
    ['a missing file', () => 'no-such-file.yaml', /^no-such-file\.yaml: /],
    ['a pattern without files', () => 'no-such-*/x.yaml', 'no-such-*/x.yaml: no file matches'],
    ['a number', () => 7, 'load: a source must be a path, a string, a stream or objects, got 7'],
    ['a forgotten await', () => Promise.resolve(''), 'was an await forgotten'],
    ['a URL of the web', () => new URL('https://example.com/a.yaml'), 'load: a URL must be that of a file'],
    ['invalid YAML', () => 'a: [\n', 'invalid YAML'],
    ['a scalar', () => 'one\ntwo\n', 'a document must be an object'],
    ['no kind', () => ({ metadata: { name: 'a' } }), 'load: an object needs apiVersion and kind'],
    ['no name', () => ({ apiVersion: 'v1', kind: 'Pod' }), 'load: Pod without metadata.name'],
    ['only comments', () => '# nothing\n', 'load: the sources have no objects'],
    [
      'a kustomization',
      () => ({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }),
      'pass the output of `kubectl kustomize`',
    ],
    [
      'an unknown kind',
      () => ({ apiVersion: 'v9', kind: 'Pod', metadata: { name: 'a' } }),
      'load: Pod a: the server does not serve Pod of v9',
    ],
    ['an unknown field', () => ({ ...configMap('a'), dat: {} }), /^load: ConfigMap a: .*dat/],
    [
      'a missing namespace',
      () => ({ ...configMap('a'), metadata: { name: 'a', namespace: 'none' } }),
      'load: ConfigMap none/a: namespaces "none" not found',
    ],
    [
      'all of a stage',
      () => [
        { ...configMap('a'), x: 1 },
        { ...configMap('b'), y: 1 },
      ],
      /item 1: ConfigMap a: .*\n.*item 2: ConfigMap b: /,
    ],
    [
      'a definition with another name',
      () => CRD.replace('widgets.example.com', 'gadgets.example.com'),
      'CustomResourceDefinition gadgets.example.com: ',
    ],
  ])('refuses %s', async (_, source, message) => {
    await using server = await startTestServer();
    const loading = load(server, source(directory) as ObjectSource);
    await expect(loading).rejects.toThrow(message);
  });

  test('names the file and the document of a refused object', async () => {
    await using server = await startTestServer();
    await writeFile(
      join(directory, 'bad.yml'),
      `${JSON.stringify(configMap('ok'))}\n---\n${JSON.stringify(configMap('Bad'))}\n`,
    );
    const path = join(directory, 'bad.yml');
    await expect(load(server, path)).rejects.toThrow(`load: ${path}, document 2: ConfigMap Bad: `);
    await rm(path);
  });

  test('refuses unknown options', async () => {
    await using server = await startTestServer();
    await expect(loadObjects(server.server, [configMap('a')], { namspace: 'x' } as object)).rejects.toThrow(
      'did you mean "namespace"',
    );
  });
});
