/** The commands of the real command-line tool that change objects through PATCH. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Kubectl, toolMinor } from './kubectl.js';
import { startServer, type ServerProcess } from './server.js';

const configMap = (data: object | undefined): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data });

const pod = (...containers: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } });

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

  /** A namespace for one test. */
  async function namespaced(name: string): Promise<string> {
    await kubectl.ok(`create namespace ${name}`);
    return `-n ${name}`;
  }

  /** A part of an object, as JSON. */
  async function part(n: string, object: string, path: string): Promise<unknown> {
    return JSON.parse(await kubectl.ok(`get ${n} ${object} -o jsonpath={${path}}`));
  }

  it.each(['label', 'annotate'])('%s', async (verb) => {
    const n = await namespaced(verb);
    const path = verb === 'label' ? '.metadata.labels' : '.metadata.annotations';
    const done = verb === 'label' ? 'labeled' : 'annotated';
    await kubectl.ok(`create ${n} configmap settings`);
    expect(await kubectl.ok(`${verb} ${n} configmap settings a=1 b=2`)).toBe(`configmap/settings ${done}\n`);
    expect(await part(n, 'configmap settings', path)).toEqual({ a: '1', b: '2' });
    expect(await kubectl.fails(`${verb} ${n} configmap settings a=3`)).toContain('--overwrite is false');
    await kubectl.ok(`${verb} ${n} configmap settings a=3 b- --overwrite`);
    expect(await part(n, 'configmap settings', path)).toEqual({ a: '3' });
    expect(await kubectl.fails(`${verb} ${n} configmap nothing a=1`)).toContain('configmaps "nothing" not found');
  });

  it('rejects an invalid label', async () => {
    const n = await namespaced('bad-label');
    await kubectl.ok(`create ${n} configmap settings`);
    const said = await kubectl.fails([
      'patch',
      '-n',
      'bad-label',
      'configmap',
      'settings',
      '--type=merge',
      '-p',
      '{"metadata":{"labels":{"a":"-"}}}',
    ]);
    expect(said).toContain('The ConfigMap "settings" is invalid: metadata.labels: Invalid value: "-"');
  });

  describe('patch', () => {
    const patch = (n: string, object: string, type: string, body: unknown): string[] => [
      'patch',
      ...n.split(' '),
      ...object.split(' '),
      `--type=${type}`,
      '-p',
      JSON.stringify(body),
    ];

    it('strategic: containers are merged by name', async () => {
      const n = await namespaced('patch-strategic');
      await kubectl.ok(`create ${n} -f -`, { input: pod({ name: 'a', image: 'one' }, { name: 'b', image: 'two' }) });
      expect(
        await kubectl.ok(patch(n, 'pod web', 'strategic', { spec: { containers: [{ name: 'b', image: 'three' }] } })),
      ).toBe('pod/web patched\n');
      expect(await kubectl.ok(`get ${n} pod web -o jsonpath={.spec.containers[*].image}`)).toBe('one three');
      expect(
        await kubectl.fails(patch(n, 'pod web', 'strategic', { spec: { nodeName: 'here', restartPolicy: 'Never' } })),
      ).toContain('The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than');
    });

    it('merge', async () => {
      const n = await namespaced('patch-merge');
      await kubectl.ok(`create ${n} -f -`, { input: configMap({ a: '1', b: '2' }) });
      await kubectl.ok(patch(n, 'configmap settings', 'merge', { data: { a: null, c: '3' } }));
      expect(await part(n, 'configmap settings', '.data')).toEqual({ b: '2', c: '3' });
      expect(await kubectl.ok(patch(n, 'configmap settings', 'merge', { data: { c: '3' } }))).toBe(
        'configmap/settings patched (no change)\n',
      );
      expect(
        await kubectl.fails(
          patch(n, 'configmap settings', 'merge', { metadata: { resourceVersion: '1' }, data: { d: '4' } }),
        ),
      ).toContain('Operation cannot be fulfilled on configmaps "settings": the object has been modified');
    });

    it('json', async () => {
      const n = await namespaced('patch-json');
      await kubectl.ok(`create ${n} -f -`, { input: configMap({ a: '1' }) });
      await kubectl.ok(
        patch(n, 'configmap settings', 'json', [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'add', path: '/data/b', value: '2' },
          { op: 'remove', path: '/data/a' },
        ]),
      );
      expect(await part(n, 'configmap settings', '.data')).toEqual({ b: '2' });
      expect(
        await kubectl.fails(patch(n, 'configmap settings', 'json', [{ op: 'test', path: '/data/b', value: '1' }])),
      ).toContain('The request is invalid');
    });

    it.skipIf(minor < 24)('a subresource', async () => {
      const n = await namespaced('patch-status');
      await kubectl.ok(`create ${n} -f -`, { input: pod({ name: 'a', image: 'one' }) });
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await kubectl.ok([...patch(n, 'pod web', 'merge', { status }), '--subresource=status']);
      expect(await kubectl.ok(`get ${n} pods --field-selector status.phase=Running -o name`)).toBe('pod/web\n');
      expect(await kubectl.ok(`wait ${n} --for=condition=Ready pod/web --timeout=10s`)).toBe('pod/web condition met\n');
    });
  });

  it('set image', async () => {
    const n = await namespaced('set');
    await kubectl.ok(`create ${n} -f -`, { input: pod({ name: 'a', image: 'one' }) });
    expect(await kubectl.ok(`set image ${n} pod/web a=two`)).toBe('pod/web image updated\n');
    expect(await kubectl.ok(`get ${n} pod web -o jsonpath={.spec.containers[0].image}`)).toBe('two');
  });

  it('edit', async () => {
    const n = await namespaced('edit');
    await kubectl.ok(`create ${n} -f -`, { input: configMap({ colour: 'blue' }) });
    expect(await kubectl.ok(`edit ${n} configmap settings`, { env: { KUBE_EDITOR: 'sed -i s/blue/green/' } })).toBe(
      'configmap/settings edited\n',
    );
    expect(await part(n, 'configmap settings', '.data')).toEqual({ colour: 'green' });
    expect((await kubectl.run(`edit ${n} configmap settings`, { env: { KUBE_EDITOR: 'true' } })).stderr).toBe(
      'Edit cancelled, no changes made.\n',
    );
  });

  it('apply, with the last applied configuration in an annotation', async () => {
    const n = await namespaced('apply');
    expect(await kubectl.ok(`apply ${n} -f -`, { input: configMap({ a: '1', b: '2' }) })).toBe(
      'configmap/settings created\n',
    );
    expect(await kubectl.ok(`apply ${n} -f -`, { input: configMap({ a: '1', b: '2' }) })).toBe(
      'configmap/settings unchanged\n',
    );
    await kubectl.ok(['patch', '-n', 'apply', 'configmap', 'settings', '--type=merge', '-p', '{"data":{"mine":"3"}}']);
    const different = await kubectl.run(`diff ${n} -f -`, { input: configMap({ a: '4' }) });
    expect(different.code, different.stderr).toBe(1);
    expect(different.stdout).toMatch(/\n- +a: "1"\n- +b: "2"\n\+ +a: "4"\n/);
    expect(await kubectl.ok(`apply ${n} -f -`, { input: configMap({ a: '4' }) })).toBe(
      'configmap/settings configured\n',
    );
    expect(await part(n, 'configmap settings', '.data')).toEqual({ a: '4', mine: '3' });
  });

  it('delete --cascade', async () => {
    const n = await namespaced('cascade');
    const family = async (name: string): Promise<void> => {
      await kubectl.ok(`create ${n} configmap ${name}`);
      const uid = await kubectl.ok(`get ${n} configmap ${name} -o jsonpath={.metadata.uid}`);
      const child = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: `${name}-child`,
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true }],
        },
      };
      await kubectl.ok(`create ${n} -f -`, { input: JSON.stringify(child) });
    };
    for (const policy of ['orphan', 'foreground', 'background']) await family(policy);
    await kubectl.ok(`delete ${n} configmap orphan --cascade=orphan --timeout=15s`);
    expect(await kubectl.ok(`get ${n} configmap orphan-child -o jsonpath={.metadata.ownerReferences}`)).toBe('');
    await kubectl.ok(`delete ${n} configmap foreground --cascade=foreground --timeout=15s`);
    expect(await kubectl.fails(`get ${n} configmap foreground-child`)).toContain('NotFound');
    // Some releases fail to wait for an object that is already deleted; the next line checks the deletion.
    const collected = kubectl.run(`wait ${n} --for=delete configmap/background-child --timeout=15s`);
    await kubectl.ok(`delete ${n} configmap background --cascade=background --timeout=15s`);
    await collected;
    expect(await kubectl.run(`get ${n} configmap background-child`)).toMatchObject({ code: 1 });
  });

  it('apply --prune', async () => {
    const n = await namespaced('prune');
    const labelled = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { app: 'x' } },
    });
    const list = (...names: readonly string[]): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: names.map(labelled) });
    // The kinds are named, because the tool's own list contains some that are not served.
    const apply = `apply ${n} -f - -l app=x --prune --prune-${minor < 26 ? 'whitelist' : 'allowlist'}=core/v1/ConfigMap`;
    expect(await kubectl.ok(apply, { input: list('kept', 'gone') })).toBe(
      'configmap/kept created\nconfigmap/gone created\n',
    );
    expect(await kubectl.ok(apply, { input: list('kept') })).toBe('configmap/kept unchanged\nconfigmap/gone pruned\n');
  });

  it('apply --server-side, with conflicts', async () => {
    const n = await namespaced('server-side');
    const apply = `apply ${n} --server-side -f -`;
    expect(await kubectl.ok(apply, { input: configMap({ a: '1', b: '2' }) })).toBe(
      'configmap/settings serverside-applied\n',
    );
    const conflict = await kubectl.fails(`${apply} --field-manager=other`, { input: configMap({ a: '9' }) });
    expect(conflict).toMatch(/Apply failed with 1 conflict: conflict with "kubectl"( using v1)?: \.data\.a/);
    expect(await kubectl.ok(`${apply} --field-manager=other --force-conflicts`, { input: configMap({ a: '9' }) })).toBe(
      'configmap/settings serverside-applied\n',
    );
    expect(await kubectl.ok(apply, { input: configMap(undefined) })).toBe('configmap/settings serverside-applied\n');
    expect(await part(n, 'configmap settings', '.data')).toEqual({ a: '9' });
    const { metadata } = JSON.parse(
      await kubectl.ok(`get --raw /api/v1/namespaces/server-side/configmaps/settings`),
    ) as { metadata: { managedFields: { manager: string; operation: string }[] } };
    expect(metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual(['other Apply']);
  });
});
