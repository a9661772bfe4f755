import { describe, expect, it } from 'vitest';
import { Pod } from '../../../../../src/kinds/builtin/index.js';
import { imageTag } from '../../../../../src/kinds/builtin/core/pod/image-name.js';
import { qosClass } from '../../../../../src/kinds/builtin/core/pod/qos.js';
import { create, decode } from '../../support.js';
import { manifest } from './manifest.js';

await Pod.prepare?.();

describe('decoding', () => {
  it('sets the defaults of Kubernetes', () => {
    const pod = decode(Pod, manifest);
    expect(pod).toMatchObject({
      spec: {
        restartPolicy: 'Always',
        dnsPolicy: 'ClusterFirst',
        terminationGracePeriodSeconds: 30,
        schedulerName: 'default-scheduler',
        securityContext: {},
        enableServiceLinks: true,
        serviceAccountName: 'robot',
        serviceAccount: 'robot',
        volumes: [
          { configMap: { name: 'web', defaultMode: 420, items: [{ key: 'a', path: 'a.conf', mode: 256 }] } },
          { emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
          { name: 'scratch', emptyDir: {} },
          { hostPath: { path: '/var/log', type: '' } },
          {
            projected: {
              defaultMode: 420,
              sources: [
                { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
                { clusterTrustBundle: { signerName: 'example.com/s', path: 'ca.pem' } },
                { downwardAPI: { items: [{ fieldRef: { apiVersion: 'v1' } }] } },
              ],
            },
          },
        ],
        initContainers: [
          {
            imagePullPolicy: 'Always',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        containers: [
          {
            imagePullPolicy: 'IfNotPresent',
            ports: [{ containerPort: 8080, name: 'http', protocol: 'TCP' }],
            env: [
              { name: 'NODE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } },
              { name: 'EMPTY' },
            ],
            resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '512Mi' } },
            livenessProbe: {
              httpGet: { path: '/', port: 'http', scheme: 'HTTP' },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
            lifecycle: { preStop: { httpGet: { path: '/bye', scheme: 'HTTP' } } },
          },
        ],
      },
    });
    expect(pod).not.toHaveProperty('spec.hostNetwork');
    expect(pod).not.toHaveProperty('spec.containers.0.env.1.value');
  });

  it('is stable: a decoded object decodes into itself', () => {
    const pod = decode(Pod, manifest);
    expect(decode(Pod, JSON.parse(JSON.stringify(pod)))).toEqual(pod);
  });

  it('accepts the old name of the service account, and sets host ports in the host network', () => {
    const pod = decode(Pod, {
      spec: {
        serviceAccount: 'old',
        hostNetwork: true,
        containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }],
      },
    });
    expect(pod).toMatchObject({
      spec: { serviceAccountName: 'old', containers: [{ ports: [{ containerPort: 80, hostPort: 80 }] }] },
    });
  });

  it('keeps podIP and podIPs in step; podIP takes precedence', () => {
    expect(decode(Pod, { status: { podIP: '1.2.3.4', podIPs: [{ ip: '9.9.9.9' }] } })).toMatchObject({
      status: { podIP: '1.2.3.4', podIPs: [{ ip: '1.2.3.4' }] },
    });
    expect(decode(Pod, { status: { podIPs: [{ ip: '9.9.9.9' }] } })).toMatchObject({ status: { podIP: '9.9.9.9' } });
  });
});

describe('creation', () => {
  it('starts Pending, whatever status is sent', () => {
    expect(create(Pod, { ...manifest, status: { phase: 'Running', podIP: '1.2.3.4' } })['status']).toEqual({
      phase: 'Pending',
      qosClass: 'Burstable',
    });
  });

  it('records scheduling gates as a condition', () => {
    const pod = create(Pod, { spec: { ...manifest.spec, schedulingGates: [{ name: 'example.com/wait' }] } });
    expect(pod).toMatchObject({
      status: {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'SchedulingGated',
            message: 'Scheduling is blocked due to non-empty scheduling gates',
          },
        ],
      },
    });
  });

  it('adds matchLabelKeys to the selector', () => {
    const term = {
      topologyKey: 'zone',
      labelSelector: { matchLabels: { a: 'b' } },
      matchLabelKeys: ['app', 'absent'],
      mismatchLabelKeys: ['app'],
    };
    const pod = create(Pod, {
      ...manifest,
      spec: { ...manifest.spec, affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
    });
    expect(pod).toMatchObject({
      spec: {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                labelSelector: {
                  matchExpressions: [
                    { key: 'app', operator: 'In', values: ['web'] },
                    { key: 'app', operator: 'NotIn', values: ['web'] },
                  ],
                },
              },
            ],
          },
        },
      },
    });
  });
});

describe('image tags', () => {
  it.each([
    ['web', 'latest'],
    ['web:latest', 'latest'],
    ['web:1', '1'],
    ['host:5000/web', 'latest'],
    ['host:5000/web:2', '2'],
    ['web@sha256:abc', ''],
    ['web:3@sha256:abc', '3'],
  ])('of %s is "%s"', (image, tag) => {
    expect(imageTag(image)).toBe(tag);
  });
});

describe('quality of service', () => {
  const both = (cpu: string, memory: string) => ({ cpu, memory });
  const container = (requests?: Record<string, string>, limits?: Record<string, string>) => ({
    name: 'c',
    resources: { ...(requests && { requests }), ...(limits && { limits }) },
  });
  it.each([
    ['nothing', [container()], 'BestEffort'],
    ['other resources only', [container({ 'ephemeral-storage': '1Gi' }, { 'ephemeral-storage': '1Gi' })], 'BestEffort'],
    ['zero amounts', [container({ cpu: '0' })], 'BestEffort'],
    ['equal amounts', [container(both('1', '1Gi'), both('1000m', '1024Mi'))], 'Guaranteed'],
    [
      'equal amounts in two containers',
      [container(both('1', '1Gi'), both('1', '1Gi')), container(both('2', '2Gi'), both('2', '2Gi'))],
      'Guaranteed',
    ],
    ['one container without limits', [container(both('1', '1Gi'), both('1', '1Gi')), container()], 'Burstable'],
    ['a limit above the request', [container(both('1', '1Gi'), both('2', '1Gi'))], 'Burstable'],
    ['one resource only', [container({ cpu: '1' }, { cpu: '1' })], 'Burstable'],
    ['limits without requests', [container(undefined, both('1', '1Gi'))], 'Burstable'],
  ])('with %s', (_name, containers, expected) => {
    expect(qosClass({ containers } as Parameters<typeof qosClass>[0])).toBe(expected);
    expect(qosClass({ containers: [], initContainers: containers } as Parameters<typeof qosClass>[0])).toBe(expected);
  });
});
