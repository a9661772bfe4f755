/** Disruption budgets and the kinds of policies, as users of the real command-line tool make and read them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pod } from '../../../src/entries/index.js';
import { serveHere, type ServedHere } from './in-process.js';
import { rowsOf, toolMinor } from './kubectl.js';

const AGE = expect.stringMatching(/^\d+[sm]/) as string;
const LABELS = { app: 'web' };

const webhooks = JSON.stringify({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'checks' },
  webhooks: [
    {
      name: 'pods.example.com',
      clientConfig: { url: 'https://example.com/check' },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      // No request reaches the address, which does not exist.
      namespaceSelector: { matchLabels: { nothing: 'matches' } },
    },
  ],
});

const policy = JSON.stringify({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'names' },
  spec: {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    },
    validations: [{ expression: 'object.metadata.name != params.data.name' }],
  },
});

const schema = JSON.stringify({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name: 'robots' },
  spec: { priorityLevelConfiguration: { name: 'slow' }, distinguisherMethod: { type: 'ByUser' } },
});

const level = JSON.stringify({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'slow' },
  spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
});

const apiService = JSON.stringify({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.metrics.example.com' },
  spec: {
    group: 'metrics.example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    service: { name: 'metrics', namespace: 'monitoring' },
  },
});

describe.skipIf(toolMinor === undefined)('kubectl', { timeout: 300_000 }, () => {
  let served: ServedHere;

  beforeAll(async () => {
    served = await serveHere({ dialect: 'kubernetes', controllers: { enable: ['disruption'] } });
  }, 300_000);
  afterAll(() => served?.[Symbol.asyncDispose](), 30_000);

  const ok = (words: string, input?: string): Promise<string> =>
    served.kubectl.ok(words, input === undefined ? {} : { input });

  it('creates and describes a disruption budget', async () => {
    const pods = served.server.client().resource(Pod).namespace('default');
    for (const name of ['web-0', 'web-1']) {
      const containers = [{ name: 'main', image: 'web:1' }];
      const pod = await pods.create({ metadata: { name, labels: LABELS }, spec: { containers } });
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' }];
      await pods.updateStatus({ ...pod, status: { ...pod.status, phase: 'Running', conditions } });
    }
    expect(await ok('create poddisruptionbudget web --selector=app=web --min-available=1')).toBe(
      'poddisruptionbudget.policy/web created\n',
    );
    await served.server.settled();
    expect(rowsOf(await ok('get pdb'))).toEqual([['web', '1', 'N/A', '1', AGE]]);
    const described = await ok('describe pdb web');
    expect(described).toMatch(/Min available:\s+1\n/);
    expect(described).toMatch(/Selector:\s+app=web\n/);
    expect(described).toMatch(/Allowed disruptions:\s+1\n\s+Current:\s+2\n\s+Desired:\s+1\n\s+Total:\s+2\n/);
    expect(await served.kubectl.fails('create pdb other --selector=app=web --min-available=200%')).toContain(
      'must not be greater than 100%',
    );
  });

  it('lists flow schemas, priority levels, APIServices, webhooks and policies', async () => {
    for (const manifest of [webhooks, policy, schema, level, apiService]) await ok('apply -f -', manifest);
    expect(rowsOf(await ok('get flowschemas'))).toEqual([['robots', 'slow', '1000', 'ByUser', AGE, '?']]);
    expect(rowsOf(await ok('get prioritylevelconfigurations'))).toEqual([
      ['slow', 'Limited', '30', '64', '8', '50', AGE],
    ]);
    // The controller of APIServices looks for the service.
    await ok('wait apiservice v1.metrics.example.com --for=condition=Available=False --timeout=30s');
    const apiServices = rowsOf(await ok('get apiservices'));
    expect(apiServices).toContainEqual([
      ...['v1.metrics.example.com', 'monitoring/metrics', 'False (ServiceNotFound)', AGE],
    ]);
    // Those of the server itself, as in every cluster.
    expect(apiServices).toContainEqual(['v1.apps', 'Local', 'True', AGE]);
    expect(rowsOf(await ok('get validatingwebhookconfigurations'))).toEqual([['checks', '1', AGE]]);
    expect(rowsOf(await ok('get validatingadmissionpolicies'))).toEqual([['names', '1', 'v1/ConfigMap', AGE]]);
  });

  it('shows why a policy is refused', async () => {
    const broken = policy.replace('object.metadata.name !=', 'object.metadata.name ==').replace('params', 'parms');
    expect(await served.kubectl.fails('apply -f -', { input: broken })).toContain(
      'spec.validations[0].expression: Invalid value: "object.metadata.name == parms.data.name": compilation failed: ERROR: <input>:1:25: undeclared reference to \'parms\'',
    );
  });
});
