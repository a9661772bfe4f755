import { atOnce } from '../../../../../src/foundation/work/work.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/foundation/json/json.js';
import { Service } from '../../../../../src/kinds/builtin/index.js';
import {
  cells,
  changed,
  context,
  contextOf,
  create,
  decode,
  freeze,
  kubernetes,
  orch,
  problems,
  subresourceStrategy,
  texts,
  updateProblems,
} from '../../support.js';

beforeAll(async () => {
  await Service.prepare?.();
});

const PORTS = [{ port: 80 }];
const service = (spec: JsonObject = {}, metadata: JsonObject = { name: 'web' }): JsonObject => ({
  metadata,
  spec: { ports: PORTS, ...spec },
});
const errorsOf = (spec: JsonObject): string[] => problems(Service, service(spec), kubernetes);

describe('annotations for the distribution of endpoints', () => {
  const [hints, mode] = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'];
  const annotated = (annotations: JsonObject): JsonObject => service({}, { name: 'web', annotations });
  const differ = [
    `metadata.annotations[${mode}]: Invalid value: "Auto": must match annotations[${hints}] when both are specified`,
  ];

  test.each<[string, JsonObject, string[]]>([
    ['one of them', { [mode]: 'Auto' }, []],
    ['the other', { [hints]: 'auto' }, []],
    ['the same value twice', { [mode]: 'Auto', [hints]: 'Auto' }, []],
    ['two values', { [mode]: 'Auto', [hints]: 'auto' }, differ],
    ['an empty value beside another', { [mode]: 'Auto', [hints]: '' }, differ],
  ])('%s', (_name, annotations, errors) => {
    expect(problems(Service, annotated(annotations), kubernetes)).toEqual(errors);
  });

  test('in the names of the dialect, and on an update', () => {
    const own = { 'service.orch.io/topology-mode': 'a', 'service.orch.io/topology-aware-hints': 'b' };
    expect(problems(Service, annotated(own), orch)).toHaveLength(1);
    expect(problems(Service, annotated(own), kubernetes)).toEqual([]);
  });
});

describe('defaults', () => {
  test('of a service with nothing but a port', () => {
    expect(decode(Service, service())).toMatchObject({
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      },
    });
    expect(decode(Service, service())['spec']).not.toHaveProperty('externalTrafficPolicy');
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['node port', { type: 'NodePort' }, { externalTrafficPolicy: 'Cluster', internalTrafficPolicy: 'Cluster' }],
    [
      'load balancer',
      { type: 'LoadBalancer' },
      { allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster' },
    ],
    ['external IPs', { externalIPs: ['8.8.8.8'] }, { externalTrafficPolicy: 'Cluster' }],
    ['affinity', { sessionAffinity: 'ClientIP' }, { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } }],
    ['target port by name', { ports: [{ port: 80, targetPort: 'web' }] }, { ports: [{ port: 80, targetPort: 'web' }] }],
  ])('with %s', (_what, spec, expected) => {
    expect(decode(Service, service(spec))).toMatchObject({ spec: expected });
  });

  test('remove the settings of an affinity that is off', () => {
    const { spec } = decode(Service, service({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }));
    expect(spec).not.toHaveProperty('sessionAffinityConfig');
  });

  test('set the mode of the addresses of a load balancer', () => {
    const manifest = {
      ...service({ type: 'LoadBalancer' }),
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    };
    expect(decode(Service, manifest)).toMatchObject({ status: { loadBalancer: { ingress: [{ ipMode: 'VIP' }] } } });
  });
});

describe('a new service', () => {
  test('has no status', () => {
    const manifest = {
      ...service({ type: 'LoadBalancer' }),
      status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
    };
    expect(create(Service, manifest)).toMatchObject({ status: { loadBalancer: {} } });
  });

  test.each<[JsonObject, string[]]>([
    [{}, []],
    [{ ports: [] }, ['spec.ports: Required value']],
    [{ ports: [], clusterIP: 'None', clusterIPs: ['None'] }, []],
    [
      { type: 'Cloud' },
      [
        'spec.type: Unsupported value: "Cloud": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      { ports: [{ port: 0 }] },
      [
        'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
      ],
    ],
    [{ ports: [{ port: 80 }, { port: 81, name: 'b' }] }, ['spec.ports[0].name: Required value']],
    [
      {
        ports: [
          { port: 80, name: 'a' },
          { port: 81, name: 'a' },
        ],
      },
      ['spec.ports[1].name: Duplicate value: "a"'],
    ],
    [
      {
        ports: [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ],
      },
      [
        'spec.ports[1]: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:80, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
      ],
    ],
    [
      { ports: [{ port: 80, name: 'A_b' }] },
      [
        `spec.ports[0].name: Invalid value: "A_b": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      { ports: [{ port: 80, protocol: 'ICMP' }] },
      ['spec.ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
    ],
    [
      { ports: [{ port: 80, targetPort: 'No' }] },
      [
        'spec.ports[0].targetPort: Invalid value: "No": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      ],
    ],
    [
      { ports: [{ port: 80, nodePort: 30_000 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 80, nodePort: 30_000 },
          { name: 'b', port: 81, nodePort: 30_000 },
        ],
      },
      ['spec.ports[1].nodePort: Duplicate value: 30000'],
    ],
    [
      { type: 'LoadBalancer', ports: [{ port: 10_250 }] },
      ['spec.ports[0]: Invalid value: 10250: may not expose port 10250 externally since it is used by kubelet'],
    ],
    [
      { selector: { 'a b': 'c' } },
      [
        `spec.selector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
    ],
    [
      { sessionAffinity: 'Often' },
      ['spec.sessionAffinity: Unsupported value: "Often": supported values: "ClientIP", "None"'],
    ],
    [
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } } },
      [
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400',
      ],
    ],
    [
      { externalIPs: ['1.2.3', '127.0.0.1', '0.0.0.0', '169.254.1.1', '224.0.0.1', 'fe80::1', '::1', 'ff02::1'] },
      [
        'spec.externalIPs[0]: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        'spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'spec.externalIPs[2]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
        'spec.externalIPs[3]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        'spec.externalIPs[4]: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
        'spec.externalIPs[5]: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
        'spec.externalIPs[6]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'spec.externalIPs[7]: Invalid value: "ff02::1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
      ],
    ],
    [{ type: 'ExternalName', ports: [] }, ['spec.externalName: Required value']],
    [{ type: 'ExternalName', ports: [], externalName: 'db.example.com.' }, []],
    [
      {
        type: 'ExternalName',
        ports: [],
        externalName: 'x',
        clusterIPs: ['None'],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      },
      [
        'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
        'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
        'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
      ],
    ],
    [
      { type: 'NodePort', clusterIP: 'None', clusterIPs: ['None'] },
      [`spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services`],
    ],
    [{ clusterIP: '10.0.0.1' }, ['spec.clusterIPs: Required value']],
    [
      { clusterIPs: ['10.0.0.1'] },
      ['spec.clusterIPs: Invalid value: []string{"10.0.0.1"}: must be empty when `clusterIP` is not specified'],
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] },
      ['spec.clusterIPs: Invalid value: []string{"10.0.0.2"}: first value must match `clusterIP`'],
    ],
    [
      { clusterIP: 'here', clusterIPs: ['here'] },
      ['spec.clusterIPs[0]: Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    [
      { clusterIP: 'None', clusterIPs: ['None', '10.0.0.1'] },
      [`spec.clusterIPs: Invalid value: []string{"None", "10.0.0.1"}: 'None' must be the first and only value`],
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', '10.0.0.2'] },
      [
        'spec.clusterIPs: Invalid value: []string{"10.0.0.1", "10.0.0.2"}: may specify no more than one IP for each IP family',
      ],
    ],
    [
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv6'] },
      ['spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`'],
    ],
    [
      { ipFamilies: ['IPv4', 'IPv4', 'IPv5'], ipFamilyPolicy: 'Triple' },
      [
        'spec.ipFamilies[1]: Duplicate value: "IPv4"',
        'spec.ipFamilies[2]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
        'spec.ipFamilyPolicy: Unsupported value: "Triple": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
    [
      { loadBalancerSourceRanges: ['10.0.0.0/8'] },
      ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    ],
    [
      { type: 'LoadBalancer', loadBalancerSourceRanges: [' 10.0.0.0/8 ', '10.0.0.0'] },
      [
        'spec.LoadBalancerSourceRanges[1]: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      { allocateLoadBalancerNodePorts: true },
      ["spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    ],
    [
      { loadBalancerClass: 'a/b' },
      ["spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    ],
    [
      { externalTrafficPolicy: 'Local' },
      ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
    ],
    [
      { type: 'NodePort', externalTrafficPolicy: 'Near' },
      ['spec.externalTrafficPolicy: Unsupported value: "Near": supported values: "Cluster", "Local"'],
    ],
    [
      { healthCheckNodePort: 30_000 },
      [
        "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ],
    ],
    [
      { internalTrafficPolicy: 'Near', trafficDistribution: 'Far' },
      [
        'spec.internalTrafficPolicy: Unsupported value: "Near": supported values: "Cluster", "Local"',
        'spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose"',
      ],
    ],
  ])('%j is checked', (spec, expected) => {
    expect(errorsOf(spec)).toEqual(expected);
  });

  test.each([
    [kubernetes, 'service.beta.kubernetes.io/load-balancer-source-ranges'],
    [orch, 'service.beta.orch.io/load-balancer-source-ranges'],
  ])('the older annotation of source ranges is checked in each dialect', (dialect, annotation) => {
    const metadata = { name: 'web', annotations: { [annotation]: '10.0.0.0/8, x' } };
    expect(problems(Service, service({ type: 'LoadBalancer' }, metadata), dialect)).toEqual([
      `metadata.annotations[${annotation}]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
    ]);
  });
});

describe('a changed service', () => {
  const updated = (old: JsonObject, change: Parameters<typeof changed>[1]): string[] => {
    const stored = create(Service, service(old));
    const object = changed(stored, change);
    atOnce(Service.strategy?.prepareForUpdate?.(object, stored, context));
    return texts(Service.strategy?.validate?.(freeze(object as typeof stored), contextOf(kubernetes), stored));
  };
  const IPS = { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };

  test('keeps its first address', () => {
    expect(updated(IPS, { 'spec.clusterIP': '10.0.0.2', 'spec.clusterIPs': ['10.0.0.2'] })).toEqual([
      'spec.clusterIPs[0]: Invalid value: []string{"10.0.0.2"}: may not change once set',
    ]);
    expect(updated(IPS, { 'spec.clusterIP': undefined, 'spec.clusterIPs': undefined })).toEqual([
      'spec.clusterIPs[0]: Invalid value: []string(nil): primary clusterIP can not be unset',
    ]);
  });

  test('keeps its first family', () => {
    expect(updated(IPS, { 'spec.ipFamilies': ['IPv6'] })).toContain(
      'spec.ipFamilies[0]: Invalid value: []core.IPFamily{"IPv6"}: may not change once set',
    );
  });

  test('gives its second address up only as a single-stack service', () => {
    const dual = {
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1', 'fd00::1'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    };
    expect(updated(dual, { 'spec.clusterIPs': ['10.0.0.1'], 'spec.ipFamilies': ['IPv4'] })).toEqual([
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to 'SingleStack' when releasing the secondary clusterIP`,
      `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to 'SingleStack' when releasing the secondary ipFamily`,
    ]);
  });

  test('keeps its class and the port of its health check', () => {
    const balanced = { type: 'LoadBalancer', loadBalancerClass: 'a/b' };
    expect(updated(balanced, { 'spec.loadBalancerClass': 'a/c' })).toEqual([
      'spec.loadBalancerClass: Invalid value: "a/c": may not change once set',
    ]);
    const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 };
    expect(updated(local, { 'spec.healthCheckNodePort': 30_001 })).toEqual([
      'spec.healthCheckNodePort: Forbidden: field is immutable',
    ]);
  });

  test('loses the fields of its old type', () => {
    const old = create(
      Service,
      service({
        type: 'LoadBalancer',
        ports: [{ port: 80, nodePort: 30_080 }],
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30_000,
      }),
    );
    const object = changed(old, { 'spec.type': 'ClusterIP' });
    atOnce(Service.strategy?.prepareForUpdate?.(object, old, context));
    expect(object['spec']).toEqual({
      ...{ type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
  });

  test('keeps its status', () => {
    expect(updateProblems(Service, create(Service, service()), { 'status.conditions': [] })).toEqual([]);
  });
});

describe('/status', () => {
  const statusErrors = (spec: JsonObject, ingress: JsonObject[]): string[] => {
    const old = create(Service, service(spec));
    const object = changed(old, { 'status.loadBalancer.ingress': ingress, 'spec.selector': { a: 'b' } });
    const strategy = subresourceStrategy(Service, 'status');
    atOnce(strategy.prepareForUpdate(object, old, context));
    expect(object['spec']).toEqual(old['spec']);
    return texts(strategy.validateUpdate?.(freeze(object as typeof old), old, context));
  };

  test('has addresses for load balancers only', () => {
    expect(statusErrors({}, [{ ip: '1.2.3.4', ipMode: 'VIP' }])).toEqual([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });

  test('is checked', () => {
    const ingress = [
      { ip: '1.2.3', ipMode: 'VIP' },
      { ip: '1.2.3.4' },
      { ipMode: 'VIP' },
      { ip: '1.2.3.4', ipMode: 'X' },
      { hostname: '1.2.3.4' },
    ];
    expect(statusErrors({ type: 'LoadBalancer' }, ingress)).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "1.2.3": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'status.loadBalancer.ingress[1].ipMode: Required value: must be specified when `ip` is set',
      'status.loadBalancer.ingress[2].ipMode: Forbidden: may not be specified when `ip` is not set',
      'status.loadBalancer.ingress[3].ipMode: Unsupported value: "X": supported values: "Proxy", "VIP"',
      'status.loadBalancer.ingress[4].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    ]);
  });
});

test('warnings name deprecated and useless fields', () => {
  const metadata = { name: 'web', annotations: { 'service.kubernetes.io/topology-aware-hints': 'auto' } };
  const manifest = service(
    { clusterIP: '2001:DB8::1', clusterIPs: ['2001:DB8::1'], externalIPs: ['010.1.1.1'], externalName: 'x' },
    metadata,
  );
  expect(atOnce(Service.strategy?.warnings?.(create(Service, manifest), undefined, contextOf(kubernetes)))).toEqual([
    'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead',
    'spec.clusterIPs[0]: IPv6 address "2001:DB8::1" is not in RFC 5952 canonical format ("2001:db8::1"), which may cause controller apply-loops',
    'spec.externalIPs[0]: IP address was accepted, but will be invalid in a future Kubernetes release: ParseAddr("010.1.1.1"): IPv4 field has octet with leading zero',
    'spec.externalName is ignored when spec.type is not "ExternalName"',
  ]);
});

describe('table', () => {
  test.each<[JsonObject, JsonObject]>([
    [
      { selector: { b: '2', a: '1' } },
      { Type: 'ClusterIP', 'Cluster-IP': '<none>', 'External-IP': '<none>', 'Port(s)': '80/TCP', Selector: 'a=1,b=2' },
    ],
    [
      {
        type: 'NodePort',
        clusterIPs: ['10.0.0.1'],
        externalIPs: ['8.8.8.8', '8.8.4.4'],
        ports: [
          { port: 80, nodePort: 30_080 },
          { port: 53, protocol: 'UDP' },
        ],
      },
      {
        'Cluster-IP': '10.0.0.1',
        'External-IP': '8.8.8.8,8.8.4.4',
        'Port(s)': '80:30080/TCP,53/UDP',
        Selector: '<none>',
      },
    ],
    [{ type: 'LoadBalancer' }, { 'External-IP': '<pending>' }],
    [
      { type: 'ExternalName', externalName: 'db.example.com', ports: [] },
      { 'External-IP': 'db.example.com', 'Port(s)': '<none>' },
    ],
  ])('%j', (spec, expected) => {
    expect(cells(Service, create(Service, service(spec)))).toMatchObject(expected);
  });

  test('shows the addresses of a load balancer in order', () => {
    const balanced = {
      ...create(Service, service({ type: 'LoadBalancer' })),
      status: { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { hostname: 'a.example' }, { ip: '1.1.1.1' }] } },
    };
    expect(cells(Service, balanced)).toMatchObject({ 'External-IP': '1.1.1.1,2.2.2.2,a.example' });
  });
});
