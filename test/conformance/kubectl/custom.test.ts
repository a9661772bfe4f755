/** Custom kinds, as users of the real command-line tool define and use them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Kubectl, rowsOf, toolMinor } from './kubectl.js';
import { startServer, type ServerProcess } from './server.js';
import { workloadDefinition } from './workload.js';

const AGE = expect.stringMatching(/^\d+[sm]/) as string;
const NAME = 'workloads.apps.example.com';

const workload = (name: string, replicas: number): string =>
  JSON.stringify({
    apiVersion: 'apps.example.com/v1',
    kind: 'Workload',
    metadata: { name, labels: { app: name } },
    spec: { replicas, template: { spec: { containers: [{ name: 'main', image: 'nginx:1.27' }] } } },
  });

describe.skipIf(toolMinor === undefined)('kubectl', () => {
  const minor = toolMinor ?? 0;
  let server: ServerProcess;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startServer(['--dialect=kubernetes', '--insecure-loopback-port=0']);
    kubectl = new Kubectl(server);
  }, 300_000);

  afterAll(async () => {
    // Undefined if it did not start.
    if (kubectl !== undefined) expect(await server.stop()).toBe(0);
  }, 300_000);

  /** Writes a file for `-f`. */
  async function file(name: string, text: string): Promise<string> {
    const path = join(server.directory, name);
    await writeFile(path, text);
    return path;
  }

  describe('defines a kind', { timeout: 300_000 }, () => {
    it('apply -f, with a definition of more than 5,000 lines', async () => {
      const text = await workloadDefinition(false);
      expect(text.split('\n').length).toBeGreaterThan(5_000);
      const path = await file('workload.yaml', text);
      expect(await kubectl.ok(`apply -f ${path}`)).toBe(
        `customresourcedefinition.apiextensions.k8s.io/${NAME} created\n`,
      );
      expect(await kubectl.ok(`wait --for=condition=established --timeout=20s crd/${NAME}`)).toContain('condition met');
      expect(await kubectl.ok(`apply -f ${path}`)).toBe(
        `customresourcedefinition.apiextensions.k8s.io/${NAME} unchanged\n`,
      );
    });

    it('apply --server-side, with descriptions', async () => {
      const path = await file('described.yaml', await workloadDefinition(true));
      expect(await kubectl.ok(`apply --server-side --force-conflicts -f ${path}`)).toBe(
        `customresourcedefinition.apiextensions.k8s.io/${NAME} serverside-applied\n`,
      );
      expect(rowsOf(await kubectl.ok('get crd'))).toEqual([[NAME, expect.stringMatching(/^\d{4}-/) as string]]);
    });

    it('api-resources', async () => {
      expect(rowsOf(await kubectl.ok('api-resources --api-group=apps.example.com'))).toEqual([
        ['workloads', 'wl', 'apps.example.com/v1', 'true', 'Workload'],
      ]);
      expect(await kubectl.ok('api-resources --categories=fleet -o name')).toBe(`${NAME}\n`);
      const versions = (await kubectl.ok('api-versions')).split('\n').filter((line) => line.includes('example.com'));
      expect(versions).toEqual(['apps.example.com/v1', 'apps.example.com/v1beta1']);
    });

    it('explain, at several depths', async () => {
      const top = await kubectl.ok('explain workloads');
      expect(top).toMatch(/^GROUP: +apps\.example\.com\nKIND: +Workload\nVERSION: +v1\n/);
      expect(top).toMatch(/\n +Workload runs pods\.\n/);
      expect(top).toMatch(/\n +metadata\t<ObjectMeta>\n/);
      expect(await kubectl.ok('explain wl.spec')).toMatch(/\n +replicas\t<integer>\n +Number of pods\.\n/);
      const containers = await kubectl.ok('explain workload.spec.template.spec.containers');
      expect(containers).toMatch(/\nFIELD: +containers <\[\]Object>\n/);
      expect(containers).toMatch(/\n +name\t<string> -required-\n/);
      expect(await kubectl.ok('explain wl.metadata.ownerReferences')).toMatch(/\n +uid\t<string> -required-\n/);
      expect(await kubectl.ok('explain wl --recursive --api-version=apps.example.com/v1beta1')).toMatch(
        /\n +containers\t<\[\]Object> -required-\n/,
      );
      expect(await kubectl.fails('explain wl.spec.nothing')).toContain('field "nothing" does not exist');
    });

    it.skipIf(minor < 24 || minor > 32)('explain, from version 2 of OpenAPI', async () => {
      expect(await kubectl.ok('explain wl.spec.template --recursive --output=plaintext-openapiv2')).toMatch(
        /\n +containers\t<\[\]Object>\n +args\t<\[\]string>\n/,
      );
    });
  });

  describe('uses the kind', { timeout: 300_000 }, () => {
    it('apply -f, twice and with changes', async () => {
      expect(await kubectl.ok('apply -f -', { input: workload('web', 2) })).toBe(
        'workload.apps.example.com/web created\n',
      );
      expect(await kubectl.ok('apply -f -', { input: workload('web', 2) })).toBe(
        'workload.apps.example.com/web unchanged\n',
      );
      expect(await kubectl.ok('apply -f -', { input: workload('web', 3) })).toBe(
        'workload.apps.example.com/web configured\n',
      );
      expect(await kubectl.ok('apply --server-side -f -', { input: workload('batch', 1) })).toBe(
        'workload.apps.example.com/batch serverside-applied\n',
      );
    });

    it('refuses invalid and unknown fields', async () => {
      const unknown = JSON.stringify({ ...JSON.parse(workload('bad', 1)), extra: true });
      expect(await kubectl.fails('create -f -', { input: unknown })).toContain(
        'strict decoding error: unknown field "extra"',
      );
      const invalid = workload('bad', 1).replace('"replicas":1', '"replicas":"x"');
      expect(await kubectl.fails('create -f -', { input: invalid })).toContain(
        'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      );
    });

    it('get, by names and categories, with its columns', async () => {
      const rows = [
        ['batch', '1', AGE],
        ['web', '3', AGE],
      ];
      for (const name of ['workloads', 'workload', 'wl', 'workloads.apps.example.com', 'fleet'])
        expect(rowsOf(await kubectl.ok(`get ${name}`))).toEqual(rows);
      await kubectl.ok([
        'patch',
        'wl',
        'web',
        '--subresource=status',
        '--type=merge',
        '-p',
        '{"status":{"phase":"Up"}}',
      ]);
      const wide = await kubectl.ok('get wl web -o wide');
      expect(wide).toMatch(/^NAME +REPLICAS +PHASE +AGE\n/);
      expect(rowsOf(wide)).toEqual([['web', '3', 'Up', AGE]]);
      expect(await kubectl.ok('get wl -l app=web -o name')).toBe('workload.apps.example.com/web\n');
      expect(await kubectl.ok('get workloads.v1beta1.apps.example.com web -o jsonpath={.apiVersion}')).toBe(
        'apps.example.com/v1beta1',
      );
    });

    it('describe', async () => {
      const text = await kubectl.ok('describe wl web');
      expect(text).toMatch(/^Name: +web\nNamespace: +default\nLabels: +app=web\n/);
      expect(text).toMatch(/\nKind: +Workload\n/);
      expect(text).toMatch(/\n +Replicas: +3\n/);
    });

    it('edit and patch', async () => {
      expect(await kubectl.ok('edit wl web', { env: { KUBE_EDITOR: 'sed -i s/nginx:1.27/nginx:1.28/' } })).toBe(
        'workload.apps.example.com/web edited\n',
      );
      expect(await kubectl.ok('get wl web -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('nginx:1.28');
      const json = '[{"op":"replace","path":"/spec/replicas","value":4}]';
      expect(await kubectl.ok(['patch', 'wl', 'web', '--type=json', '-p', json])).toBe(
        'workload.apps.example.com/web patched\n',
      );
      expect(await kubectl.fails(['patch', 'wl', 'web', '-p', '{}'])).toContain(
        'application/strategic-merge-patch+json is not supported by apps.example.com/v1, Kind=Workload',
      );
    });

    it('scale', async () => {
      expect(await kubectl.ok('scale wl web --replicas=7')).toBe('workload.apps.example.com/web scaled\n');
      expect(await kubectl.ok('get wl web -o jsonpath={.spec.replicas}')).toBe('7');
      expect(rowsOf(await kubectl.ok('get wl web --subresource=scale'))).toHaveLength(1);
      expect(await kubectl.fails('scale wl web --replicas=9 --current-replicas=1')).toContain(
        'Expected replicas to be 1',
      );
    });

    it('label, diff and delete', async () => {
      expect(await kubectl.ok('label wl batch tier=back')).toBe('workload.apps.example.com/batch labeled\n');
      expect((await kubectl.run('diff -f -', { input: workload('web', 5) })).stdout).toMatch(/\n\+ +replicas: 5\n/);
      expect(await kubectl.ok('delete wl batch')).toBe('workload.apps.example.com "batch" deleted\n');
      expect(await kubectl.fails('get wl batch')).toBe(
        'Error from server (NotFound): workloads.apps.example.com "batch" not found\n',
      );
    });
  });

  it('delete crd, with the objects of its kind', { timeout: 300_000 }, async () => {
    expect(await kubectl.ok(`delete crd ${NAME}`)).toBe(
      `customresourcedefinition.apiextensions.k8s.io "${NAME}" deleted\n`,
    );
    expect(await kubectl.ok('get crd')).toBe('');
    expect(await kubectl.fails('get --raw /apis/apps.example.com/v1/workloads')).toContain(
      'the server could not find the requested resource',
    );
    await kubectl.ok('api-resources --cached=false');
    expect(await kubectl.fails('get workloads')).toContain(`the server doesn't have a resource type "workloads"`);
  });
});
