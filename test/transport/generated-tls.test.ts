import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/entries/client.js';
import { ApiServer, Namespace } from '../../src/entries/index.js';
import { listen, type Listener, type ListenOptions } from '../../src/transport/node/index.js';
import { toolMinor } from '../conformance/kubectl/kubectl.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listening(options: ListenOptions): Promise<Listener> {
  const server = new ApiServer({ dialect: 'kubernetes' });
  closers.push(() => server.close());
  const listener = await listen(server, options);
  closers.push(() => listener.close({ grace: 0 }));
  return listener;
}

describe('a listener with a generated certificate', () => {
  test('has the authority, and a kubeconfig with which a client is its owner', async () => {
    const listener = await listening({ tls: 'generated' });
    expect(listener.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    expect(listener.authority).toContain('-----BEGIN CERTIFICATE-----');
    await using client = await connect({ kubeconfig: listener.kubeConfig({ namespace: 'shop' }) });
    expect((await client.resource(Namespace).get('default')).metadata.name).toBe('default');
    expect(client.namespace).toBe('shop');
    await using other = await connect({
      url: listener.url.replace('127.0.0.1', 'localhost'),
      authority: listener.authority,
    });
    await expect(other.resource(Namespace).get('default')).rejects.toMatchObject({ code: 403 });
  });

  test('is reached by the addresses of this machine when it listens on all of them', async () => {
    const listener = await listening({ tls: 'generated', host: '0.0.0.0' });
    await using client = await connect({ kubeconfig: listener.kubeConfig() });
    expect((await client.resource(Namespace).list()).items.length).toBeGreaterThan(0);
  });

  test.skipIf(toolMinor === undefined)('is accepted by kubectl', async () => {
    const listener = await listening({ tls: 'generated' });
    const folder = mkdtempSync(join(tmpdir(), 'generated-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'config'), listener.kubeConfig());
    const { stdout } = await promisify(execFile)('kubectl', ['get', 'namespaces', '-o', 'name'], {
      env: { ...process.env, KUBECONFIG: join(folder, 'config'), HOME: folder },
    });
    expect(stdout).toContain('namespace/default');
  });
});

test('another listener has no authority, and a kubeconfig without one', async () => {
  const listener = await listening({});
  expect(listener.authority).toBeUndefined();
  await using client = await connect({ kubeconfig: listener.kubeConfig() });
  expect((await client.resource(Namespace).get('default')).metadata.name).toBe('default');
  await expect(listening({ tls: 'self-signed' as 'generated' })).rejects.toThrow(/the option tls must be an object/);
});

test('a listener of something else has no kubeconfig', async () => {
  const listener = await listen({ handle: async () => ({ status: 200, headers: {}, body: '' }) });
  closers.push(() => listener.close({ grace: 0 }));
  expect(() => listener.kubeConfig()).toThrow(TypeError);
});
