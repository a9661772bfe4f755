import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/admission/plugins/pod-security/evaluate.js';
import { readVersion, type PodSecurityLevel } from '../../../src/admission/plugins/pod-security/policy.js';
import { kubernetes } from '../../../src/entries/index.js';
import { PluginWorld, type PodSpec } from './support.js';

const label = (mode: string): string => `pod-security.kubernetes.io/${mode}`;
const container = (securityContext: object = {}, more: object = {}, name = 'c') => ({
  ...{ name, image: 'i', securityContext },
  ...more,
});
/** The security context that `restricted` requires. */
const SAFE = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

function detailsOf(
  level: PodSecurityLevel,
  spec: object,
  { version = 'latest', annotations = {} }: { version?: string; annotations?: Record<string, string> } = {},
): string | undefined {
  const policy = { level, minor: readVersion(version) ?? NaN };
  return evaluate(policy, { annotations, spec: { containers: [], ...spec }, dialect: kubernetes })?.details;
}

describe('the level baseline forbids', () => {
  test.each<[string, object, string | undefined]>([
    ['nothing of an ordinary pod', { containers: [container()] }, undefined],
    [
      'AppArmor profiles',
      {
        securityContext: { appArmorProfile: { type: 'Unconfined' } },
        containers: [container({ appArmorProfile: { type: 'Unconfined' } })],
      },
      'forbidden AppArmor profile (pod and container "c" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      'capabilities',
      {
        containers: [
          container({ capabilities: { add: ['NET_RAW', 'CHOWN'] } }),
          container({ capabilities: { add: ['SYS_ADMIN'] } }, {}, 'd'),
        ],
      },
      'non-default capabilities (containers "c", "d" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    ['host namespaces', { hostNetwork: true, hostIPC: true }, 'host namespaces (hostNetwork=true, hostIPC=true)'],
    [
      'host paths',
      {
        volumes: [
          { name: 'a', hostPath: { path: '/' } },
          { name: 'b', hostPath: { path: '/' } },
        ],
      },
      'hostPath volumes (volumes "a", "b")',
    ],
    [
      'host ports',
      {
        containers: [
          container(
            {},
            {
              ports: [
                { containerPort: 1, hostPort: 80 },
                { containerPort: 2, hostPort: 443 },
              ],
            },
          ),
        ],
      },
      'hostPort (container "c" uses hostPorts 443, 80)',
    ],
    [
      'privileged containers, also ephemeral ones',
      { ephemeralContainers: [container({ privileged: true }, {}, 'debug')] },
      'privileged (container "debug" must not set securityContext.privileged=true)',
    ],
    [
      'mounts of /proc',
      { containers: [container({ procMount: 'Unmasked' })] },
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'SELinux options',
      {
        securityContext: { seLinuxOptions: { user: 'u', role: 'r' } },
        containers: [container({ seLinuxOptions: { type: 't' } })],
      },
      'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: type "t"; user may not be set; role may not be set)',
    ],
    [
      'seccomp profiles',
      { initContainers: [container({ seccompProfile: { type: 'Unconfined' } })] },
      'seccompProfile (container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'sysctls',
      { securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_fin_timeout' }] } },
      'forbidden sysctls (kernel.msgmax)',
    ],
    [
      'processes of Windows hosts',
      { securityContext: { windowsOptions: { hostProcess: true } } },
      'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ])('%s', (_what, spec, details) => {
    expect(detailsOf('baseline', spec)).toBe(details);
    expect(detailsOf('privileged', spec)).toBeUndefined();
  });

  test('what each version forbids', () => {
    const sysctls = { securityContext: { sysctls: [{ name: 'net.ipv4.ip_local_reserved_ports' }] } };
    expect(detailsOf('baseline', sysctls, { version: 'v1.26' })).toBe(
      'forbidden sysctls (net.ipv4.ip_local_reserved_ports)',
    );
    expect(detailsOf('baseline', sysctls, { version: 'v1.27' })).toBeUndefined();
    const selinux = { containers: [container({ seLinuxOptions: { type: 'container_engine_t' } })] };
    expect(detailsOf('baseline', selinux, { version: 'v1.30' })).toContain('type "container_engine_t"');
    expect(detailsOf('baseline', selinux, { version: 'v1.31' })).toBeUndefined();
    const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' };
    expect(detailsOf('baseline', {}, { version: 'v1.18', annotations })).toBe(
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    expect(detailsOf('baseline', {}, { annotations })).toBeUndefined();
  });

  test('annotations with AppArmor profiles', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' };
    expect(detailsOf('baseline', {}, { annotations })).toBe(
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
    );
  });
});

describe('the level restricted forbids', () => {
  test.each<[string, object, string | undefined]>([
    ['nothing of a safe pod', { containers: [container(SAFE)] }, undefined],
    [
      'what containers do not say',
      { containers: [container()] },
      'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    ],
    [
      'what containers say wrongly',
      {
        containers: [
          container({ ...SAFE, capabilities: { drop: ['ALL'], add: ['CHOWN'] }, runAsNonRoot: false, runAsUser: 0 }),
        ],
      },
      'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add), runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), runAsUser=0 (container "c" must not set runAsUser=0)',
    ],
    [
      'volumes',
      {
        containers: [container(SAFE)],
        volumes: [
          { name: 'a', hostPath: { path: '/' } },
          { name: 'b', nfs: {} },
          { name: 'c', emptyDir: {} },
        ],
      },
      'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
    ],
    [
      'what baseline forbids, first',
      { hostPID: true, containers: [container({ ...SAFE, allowPrivilegeEscalation: true })] },
      'host namespaces (hostPID=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
    ],
  ])('%s', (_what, spec, details) => expect(detailsOf('restricted', spec)).toBe(details));

  test('by the version, and not for Windows', () => {
    const windows = { os: { name: 'windows' }, securityContext: { runAsNonRoot: true }, containers: [container()] };
    expect(detailsOf('restricted', windows)).toBeUndefined();
    expect(detailsOf('restricted', windows, { version: 'v1.24' })).toContain('allowPrivilegeEscalation');
    expect(detailsOf('restricted', { containers: [container()] }, { version: 'v1.7' })).toBe(
      'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    );
  });
});

const HOST: Partial<PodSpec> = { hostNetwork: true };
const DETAILS = 'host namespaces (hostNetwork=true)';

describe('a namespace with labels', () => {
  let world: PluginWorld;
  beforeAll(async () => {
    world = await PluginWorld.start({
      podSecurity: { exemptions: { namespaces: ['exempt'], usernames: ['alice'], runtimeClasses: ['sandbox'] } },
    });
    await world.grant([{ apiGroups: [''], resources: ['*'], verbs: ['*'] }]);
    await world.namespace('strict', { [label('enforce')]: 'baseline', [label('enforce-version')]: 'v1.25' });
    await world.namespace('warned', { [label('warn')]: 'baseline' });
    await world.namespace('exempt', { [label('enforce')]: 'restricted' });
    await world.send('POST', '/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'sandbox' }, handler: 'h' });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test('refuses pods, on every route that creates or changes them', async () => {
    const text = `403 pods "a" is forbidden: violates PodSecurity "baseline:v1.25": ${DETAILS}`;
    expect((await world.pod('a', HOST, 'strict')).text).toBe(text);
    expect((await world.pod('a', HOST, 'strict', '?dryRun=All')).text).toBe(text);
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const spec = { ...HOST, containers: [{ name: 'c', image: 'i' }] };
    const apply = await world.send(
      'PATCH',
      '/api/v1/namespaces/strict/pods/a?fieldManager=me',
      { ...body, spec },
      'admin',
      'application/apply-patch+yaml',
    );
    expect(apply.text).toBe(text);
    expect((await world.pod('', HOST, 'strict')).code).toBe(422);
    const generated = await world.send('POST', '/api/v1/namespaces/strict/pods', {
      metadata: { generateName: 'g-' },
      spec,
    });
    expect(generated.text).toMatch(/^403 pods "g-\w{5}" is forbidden: violates PodSecurity/);
  });

  test('refuses privileged ephemeral containers, and allows changes of the status', async () => {
    await world.pod('b', {}, 'strict');
    const debug = { name: 'debug', image: 'i', securityContext: { privileged: true } };
    const patch = (target: string, body: object) =>
      world.send(
        'PATCH',
        `/api/v1/namespaces/strict/pods/b${target}`,
        body,
        'admin',
        'application/strategic-merge-patch+json',
      );
    expect((await patch('/ephemeralcontainers', { spec: { ephemeralContainers: [debug] } })).text).toBe(
      '403 pods "b" is forbidden: violates PodSecurity "baseline:v1.25": privileged (container "debug" must not set securityContext.privileged=true)',
    );
    expect((await patch('/status', { status: { phase: 'Running' } })).text).toBe('200');
    expect((await patch('', { metadata: { labels: { a: 'b' } } })).text).toBe('200');
  });

  test('warns of templates that it will refuse pods of, by the label enforce alone', async () => {
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { ...HOST, containers: [{ name: 'c', image: 'i' }] } },
    };
    const made = await world.send('POST', '/apis/apps/v1/namespaces/strict/deployments', {
      metadata: { name: 'd' },
      spec,
    });
    expect(made.text).toBe('201');
    expect(made.warnings).toEqual([`would violate PodSecurity \\"baseline:v1.25\\": ${DETAILS}`]);
    const job = { template: { spec: { ...spec.template.spec, restartPolicy: 'Never' } } };
    const cron = { schedule: '* * * * *', jobTemplate: { spec: job } };
    const made2 = await world.send('POST', '/apis/batch/v1/namespaces/strict/cronjobs', {
      metadata: { name: 'd' },
      spec: cron,
    });
    expect(made2.warnings).toEqual([`would violate PodSecurity \\"baseline:v1.25\\": ${DETAILS}`]);
  });

  test('warns where it asks for warnings', async () => {
    const made = await world.pod('a', HOST, 'warned');
    expect(made.text).toBe('201');
    expect(made.warnings).toEqual([`would violate PodSecurity \\"baseline:latest\\": ${DETAILS}`]);
  });

  test('ignores what is exempt', async () => {
    expect((await world.pod('a', HOST, 'exempt')).text).toBe('201');
    expect((await world.pod('e', { ...HOST, runtimeClassName: 'sandbox' }, 'strict')).text).toBe('201');
    const spec = { ...HOST, containers: [{ name: 'c', image: 'i' }] };
    const body = { metadata: { name: 'f' }, spec };
    expect((await world.send('POST', '/api/v1/namespaces/strict/pods', body, 'alice')).text).toBe('201');
  });

  test('must have valid labels', async () => {
    expect((await world.namespace('x', { [label('enforce')]: 'strict', [label('warn-version')]: '1.2' })).text).toBe(
      '422 Namespace "x" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]',
    );
  });

  test('warns of its present pods when its level becomes stricter', async () => {
    await world.namespace('later');
    for (const name of ['a', 'b']) await world.pod(name, HOST, 'later');
    const patched = await world.send(
      'PATCH',
      '/api/v1/namespaces/later',
      { metadata: { labels: { [label('enforce')]: 'baseline' } } },
      'admin',
      'application/merge-patch+json',
    );
    expect(patched.text).toBe('200');
    expect(patched.warnings).toEqual([
      'existing pods in namespace \\"later\\" violate the new PodSecurity enforce level \\"baseline:latest\\"',
      'a (and 1 other pod): host namespaces',
    ]);
  });

  test('follows the defaults of the server where it has none', async () => {
    await using strict = await PluginWorld.start({
      podSecurity: { defaults: { enforce: 'baseline', audit: 'baseline' } },
    });
    expect((await strict.pod('a', HOST)).text).toBe(
      `403 pods "a" is forbidden: violates PodSecurity "baseline:latest": ${DETAILS}`,
    );
  });
});
