/** The audit annotations and warnings of Pod Security. */
import { describe, expect, test } from 'vitest';
import type { PodSecurityOptions } from '../../../src/admission/plugins/pod-security/policy.js';
import { Namespace, Pod } from '../../../src/entries/index.js';
import { RuntimeClass } from '../../../src/entries/kinds.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { auditWorld, type AuditWorld } from '../../security/audit/audit-world.js';
import { answerTo } from '../../server/ask.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';
import { PluginWorld } from './support.js';

const PREFIX = 'pod-security.kubernetes.io/';
const label = (name: string) => PREFIX + name;
const MERGE = 'application/merge-patch+json';

const start = (podSecurity: PodSecurityOptions = {}): Promise<AuditWorld> =>
  auditWorld(undefined, { admission: { podSecurity } });

/** Creates something, and returns the annotations of Pod Security in its last event. */
async function annotationsOf(world: AuditWorld, path: string, body: object, token?: string) {
  await world.taken();
  const { code } = await answerTo(world.server, 'POST', path, body, token === undefined ? {} : { token });
  const [event] = (await world.taken()).filter(({ stage }) => stage === 'ResponseComplete');
  const own = Object.entries(event?.annotations ?? {}).filter(([key]) => key.startsWith(PREFIX));
  return { code, ...Object.fromEntries(own.map(([key, value]) => [key.slice(PREFIX.length), value])) };
}

const podBody = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const deployment = (name: string, spec: object) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: podBody('', spec).spec },
  },
});
const namespace = (world: AuditWorld, name: string, labels: Record<string, string> = {}) =>
  world.client.resource(Namespace).create({ metadata: { name, labels } });

describe('the audit event of a pod', () => {
  test('has the enforced policy, and violations of the audited one', async () => {
    await using world = await start();
    await namespace(world, 'strict', { [label('enforce')]: 'baseline', [label('audit')]: 'baseline' });
    const pods = '/api/v1/namespaces/strict/pods';
    const violation = 'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)';
    expect(await annotationsOf(world, pods, podBody('a'))).toEqual({ code: 201, 'enforce-policy': 'baseline:latest' });
    expect(await annotationsOf(world, pods, podBody('b', { hostNetwork: true }))).toEqual({
      ...{ code: 403, 'enforce-policy': 'baseline:latest', 'audit-violations': violation },
    });
    const deployments = '/apis/apps/v1/namespaces/strict/deployments';
    expect(await annotationsOf(world, deployments, deployment('d', { hostNetwork: true }))).toEqual({
      ...{ code: 201, 'audit-violations': violation },
    });
    expect(await annotationsOf(world, '/api/v1/namespaces/default/pods', podBody('a'))).toEqual({
      ...{ code: 201, 'enforce-policy': 'privileged:latest' },
    });
  });

  test('says why a request is exempt', async () => {
    await using world = await start({
      defaults: { enforce: 'restricted' },
      exemptions: { namespaces: ['free'], usernames: ['admin'], runtimeClasses: ['sandbox'] },
    });
    await namespace(world, 'free');
    await world.client.resource(RuntimeClass).create({ metadata: { name: 'sandbox' }, handler: 'h' });
    const of = (path: string, body: object, token?: string) =>
      annotationsOf(world, `/api/v1/namespaces/${path}`, body, token);
    expect(await of('free/pods', podBody('a'))).toEqual({ code: 201, exempt: 'namespace' });
    expect(await of('default/pods', podBody('b'))).toEqual({ code: 201, exempt: 'user' });
    await using others = await start({
      defaults: { enforce: 'restricted' },
      exemptions: { runtimeClasses: ['sandbox'] },
    });
    await others.client.resource(RuntimeClass).create({ metadata: { name: 'sandbox' }, handler: 'h' });
    const sandboxed = podBody('c', { runtimeClassName: 'sandbox' });
    expect(await annotationsOf(others, '/api/v1/namespaces/default/pods', sandboxed)).toEqual({
      ...{ code: 201, exempt: 'runtimeClass' },
    });
    expect(await annotationsOf(world, '/apis/apps/v1/namespaces/free/deployments', deployment('d', {}))).toEqual({
      ...{ code: 201, exempt: 'namespace' },
    });
  });

  test('says that the labels of the namespace are wrong, and which policy is enforced instead', async () => {
    const storage = keptOpenStorage(createManualClock());
    // The label was written while the plugin did not run.
    const before = await auditWorld(undefined, { storage, admission: { disable: ['PodSecurity'] } });
    await namespace(before, 'old', { [label('enforce')]: 'strict' });
    await before.close();
    await using world = await auditWorld(undefined, { storage });
    const error =
      'Failed to parse policy: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted';
    expect(await annotationsOf(world, '/api/v1/namespaces/old/pods', podBody('a'))).toEqual({
      ...{ code: 403, error, 'enforce-policy': 'restricted:latest' },
    });
  });
});

describe('a stricter label', () => {
  const patchLabels = (world: PluginWorld, name: string, labels: Record<string, string>) =>
    world.send('PATCH', `/api/v1/namespaces/${name}`, { metadata: { labels } }, 'admin', MERGE);

  test('of an exempt namespace has no effect, and a warning says so', async () => {
    await using world = await PluginWorld.start({ podSecurity: { exemptions: { namespaces: ['free', 'new'] } } });
    const made = await world.namespace('new', { [label('enforce')]: 'baseline', [label('warn')]: 'restricted' });
    expect(made.warnings).toEqual([
      'namespace \\"new\\" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=restricted:latest) will be ignored',
    ]);
    expect((await world.namespace('free')).warnings).toEqual([]);
    const changed = await patchLabels(world, 'free', {
      [label('enforce')]: 'restricted',
      [label('enforce-version')]: 'v1.29',
    });
    expect(changed.warnings).toEqual([
      'namespace \\"free\\" is exempt from Pod Security, and the policy (enforce=restricted:v1.29) will be ignored',
    ]);
  });

  test('is not tried on exempt pods', async () => {
    await using world = await PluginWorld.start({ podSecurity: { exemptions: { runtimeClasses: ['sandbox'] } } });
    await world.client.resource(RuntimeClass).create({ metadata: { name: 'sandbox' }, handler: 'h' });
    await world.namespace('a');
    await world.pod('exempt', { hostPID: true, runtimeClassName: 'sandbox' }, 'a');
    expect((await patchLabels(world, 'a', { [label('enforce')]: 'baseline' })).warnings).toEqual([]);
  });

  test('is tried on 3000 pods, replicas of checked ones last', async () => {
    // It would delete the pods of a replica set that does not exist.
    await using world = await PluginWorld.start({}, { controllers: { disable: ['garbage-collector'] } });
    await world.namespace('full');
    const pods = world.client.resource(Pod).namespace('full');
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: '1', controller: true }];
    await pods.create({ metadata: { name: '0-1', ownerReferences }, spec });
    await pods.create({ metadata: { name: '0-2', ownerReferences }, spec: { ...spec, hostPID: true } });
    for (let index = 0; index < 2999; index += 1)
      await pods.create({ metadata: { name: `p${index}` }, spec: { ...spec, hostIPC: index < 2 } });
    expect((await patchLabels(world, 'full', { [label('enforce')]: 'baseline' })).warnings).toEqual([
      'new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods',
      'existing pods in namespace \\"full\\" violate the new PodSecurity enforce level \\"baseline:latest\\"',
      'p0 (and 1 other pod): host namespaces',
    ]);
  }, 300_000);

  test('is not tried on pods when only what is warned of changes', async () => {
    await using world = await PluginWorld.start();
    await world.namespace('a');
    await world.pod('p', { hostNetwork: true }, 'a');
    expect((await patchLabels(world, 'a', { [label('warn')]: 'restricted' })).warnings).toEqual([]);
  });
});
