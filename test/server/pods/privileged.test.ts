/** The option `allowPrivileged` decides whether containers may have all rights on their node. */
import { describe, expect, test } from 'vitest';
import { DaemonSet, Pod } from '../../../src/entries/index.js';
import { startTestServer } from '../../../src/entries/testing.js';

const privileged = { name: 'c', image: 'i', securityContext: { privileged: true } };
const pod = (name: string, spec: object): never => ({ metadata: { name }, spec }) as never;
const daemon = (spec: object): never =>
  ({
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } },
  }) as never;
const plain = { name: 'c', image: 'i' };

describe('privileged containers', () => {
  test.each([undefined, true])('are allowed with allowPrivileged: %s', async (allowPrivileged) => {
    await using running = await startTestServer({ allowPrivileged });
    const pods = running.client.resource(Pod).namespace('default');
    const made = await pods.create(pod('p', { containers: [privileged] }));
    expect(made.spec?.containers[0]?.securityContext?.privileged).toBe(true);
  });

  test('are refused without it, wherever they are', async () => {
    await using running = await startTestServer({ allowPrivileged: false });
    const pods = running.client.resource(Pod).namespace('default');
    const daemons = running.client.resource(DaemonSet).namespace('default');
    const refusal = (path: string) => ({
      code: 422,
      message: expect.stringContaining(`${path}.securityContext.privileged: Forbidden: disallowed by cluster policy`),
    });
    await expect(pods.create(pod('p', { containers: [privileged] }))).rejects.toMatchObject(
      refusal('spec.containers[0]'),
    );
    await expect(
      pods.create(pod('p', { containers: [plain], initContainers: [{ ...privileged, name: 'i' }] })),
    ).rejects.toMatchObject(refusal('spec.initContainers[0]'));
    await expect(daemons.create(daemon({ containers: [privileged] }))).rejects.toMatchObject(
      refusal('spec.template.spec.containers[0]'),
    );
    await expect(daemons.apply(daemon({ containers: [privileged] }), { fieldManager: 'm' })).rejects.toMatchObject(
      refusal('spec.template.spec.containers[0]'),
    );
    const made = await pods.create(
      pod('p', { containers: [{ ...plain, securityContext: { privileged: false } }], hostNetwork: true }),
    );
    expect(made.spec?.containers[0]?.securityContext?.privileged).toBe(false);
  });

  test('are refused as processes of a Windows node, too', async () => {
    await using running = await startTestServer({ allowPrivileged: false });
    const windowsOptions = { hostProcess: true };
    const spec = { hostNetwork: true, securityContext: { windowsOptions }, containers: [plain] };
    await expect(running.client.resource(Pod).namespace('default').create(pod('w', spec))).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('spec: Forbidden: hostProcess containers are disallowed by cluster policy'),
    });
  });
});
