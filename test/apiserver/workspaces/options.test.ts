import { describe, expect, it } from 'vitest';
import { createWorkspaces } from '../../../src/apiserver/workspaces/index.js';
import { ask, configMap, ownerToken } from './ask.js';

describe('createWorkspaces', () => {
  it.each<[object, RegExp]>([
    [{ storage: {} }, /storage/],
    [{ quota: { objects: 0 } }, /objects/],
    [{ url: 'https://example.com/' }, /url/],
    [{ server: { storage: {} } }, /storage: give it to createWorkspaces/],
    [{ server: { certificates: {} } }, /certificates/],
    [{ server: { authentication: { ownerToken: 'secret' } } }, /authentication\.ownerToken/],
    [{ server: { authentication: { serviceAccounts: { signingKey: 'pem' } } } }, /signingKey/],
    [{ unknown: true }, /unknown/],
  ])('refuses %j', (options, message) => {
    expect(() => createWorkspaces(options)).toThrow(message);
  });

  it.each(['', 'A', '-a', 'a-', 'a.b', 'a/b', '..', 'a'.repeat(64)])('refuses the name %j', async (name) => {
    await using workspaces = createWorkspaces();
    await expect(workspaces.create(name)).rejects.toThrow(TypeError);
    expect((await ask(workspaces, 'GET', `/clusters/${name}/api`)).status).toBe(404);
  });

  it('names the workspace in each event of the audit log, and keeps the log open', async () => {
    const lines: string[] = [];
    let closed = 0;
    const output = { write: (text: string) => void lines.push(text), close: () => void (closed += 1) };
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] } as const;
    const server = { dialect: 'kubernetes', observability: { audit: { policy, log: { output } } } } as const;
    const workspaces = createWorkspaces({ server });
    for (const name of ['alpha', 'beta']) {
      await workspaces.create(name);
      const token = await ownerToken(workspaces, name);
      const path = `/clusters/${name}/api/v1/namespaces/default/configmaps`;
      expect((await ask(workspaces, 'POST', path, { token, body: configMap(`of-${name}`) })).status).toBe(201);
    }
    await workspaces.delete('alpha');
    expect(closed).toBe(0);
    const events = lines
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const name of ['alpha', 'beta']) {
      const [event] = events.filter(
        ({ objectRef, stage }) => objectRef?.name === `of-${name}` && stage === 'ResponseComplete',
      );
      expect(event.annotations['workspace.k8s.io/name']).toBe(name);
    }
    await workspaces.close();
    expect(closed).toBe(1);
  });
});
