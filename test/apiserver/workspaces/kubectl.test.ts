import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspaces, type Workspaces } from '../../../src/apiserver/workspaces/index.js';
import { listen, type Listener } from '../../../src/transport/node/index.js';
import { Kubectl, toolMinor } from '../../conformance/kubectl/kubectl.js';

describe.skipIf(toolMinor === undefined)('kubectl in a workspace', () => {
  const directory = mkdtempSync(join(tmpdir(), 'workspaces-'));
  let workspaces: Workspaces;
  let listener: Listener;

  const kubectlOf = async (name: string): Promise<Kubectl> => {
    const kubeconfig = join(directory, name);
    writeFileSync(kubeconfig, await workspaces.kubeConfigOf(name, { certificateAuthority: listener.authority }));
    return new Kubectl({ directory, kubeconfig });
  };

  beforeAll(async () => {
    workspaces = createWorkspaces({ server: { dialect: 'kubernetes' } });
    for (const name of ['alpha', 'beta']) await workspaces.create(name);
    listener = await listen(workspaces, { port: 0, tls: 'generated' });
  });

  afterAll(async () => {
    await listener.close();
    await workspaces.close();
    rmSync(directory, { recursive: true });
  });

  it('applies, gets, explains and deletes, by its kubeconfig alone', { timeout: 300_000 }, async () => {
    const alpha = await kubectlOf('alpha');
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {of: alpha}\n';
    expect(await alpha.ok('apply -f -', { input: manifest })).toContain('configmap/settings created');
    expect(await alpha.ok('get configmap settings -o jsonpath={.data.of}')).toBe('alpha');
    expect(await alpha.ok('api-resources')).toContain('deployments');
    expect(await alpha.ok('explain deployment.spec.replicas')).toContain('replicas');
    const beta = await kubectlOf('beta');
    expect((await beta.run('get configmap settings')).stderr).toContain('NotFound');
    expect(await alpha.ok('delete configmap settings')).toContain('deleted');
  });
});
