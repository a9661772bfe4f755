import { atOnce } from '../../../../src/foundation/work/work.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '../../../../src/kinds/builtin/index.js';
import {
  cells,
  changed,
  context,
  contextOf,
  create,
  decode,
  freeze,
  kubernetes,
  problems,
  subresourceStrategy,
  texts,
  type Changes,
} from '../support.js';

beforeAll(async () => {
  for (const kind of [Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR]) await kind.prepare?.();
});

const named = (spec: JsonObject, metadata: JsonObject = { name: 'a' }): JsonObject => ({ metadata, spec });

/** The errors and the generation of a change. */
function changeOf(definition: ResourceDefinition, spec: JsonObject, change: Changes) {
  const old = create(definition, named(spec));
  const object = changed(old, change);
  atOnce(definition.strategy?.prepareForUpdate?.(object, old, context));
  const errors = [
    ...(atOnce(definition.strategy?.validate?.(freeze(object as typeof old), context, old)) ?? []),
    ...(atOnce(definition.strategy?.validateUpdate?.(object as typeof old, old, context)) ?? []),
  ];
  return { errors: texts(errors), generation: object.metadata.generation };
}

describe('Ingress', () => {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const rule = (path: JsonObject = {}, host = 'example.com'): JsonObject => ({
    host,
    http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...path }] },
  });

  test.each<[JsonObject, string[]]>([
    [{ rules: [rule()] }, []],
    [{ defaultBackend: backend }, []],
    [{}, ['spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified']],
    [
      { rules: [rule({}, '1.2.3.4')] },
      ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
    ],
    [{ rules: [rule({}, '*.example.com')] }, []],
    [
      { rules: [rule({}, 'a.*.com')] },
      [
        `spec.rules[0].host: Invalid value: "a.*.com": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    [{ rules: [{ http: { paths: [] } }] }, ['spec.rules[0].http.paths: Required value']],
    [
      { rules: [rule({ path: 'a//b/.' })] },
      [
        'spec.rules[0].http.paths[0].path: Invalid value: "a//b/.": must be an absolute path',
        `spec.rules[0].http.paths[0].path: Invalid value: "a//b/.": must not contain '//'`,
        `spec.rules[0].http.paths[0].path: Invalid value: "a//b/.": cannot end with '/.'`,
      ],
    ],
    [{ rules: [rule({ path: '', pathType: 'ImplementationSpecific' })] }, []],
    [
      { rules: [rule({ pathType: 'Regex' })] },
      [
        'spec.rules[0].http.paths[0].pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
      ],
    ],
    [
      { rules: [{ http: { paths: [{ backend }] } }] },
      ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
    ],
    [{ defaultBackend: {} }, ['spec.defaultBackend: Invalid value: "": resource or service backend is required']],
    [
      { defaultBackend: { service: { name: '1web', port: {} } } },
      [
        `spec.defaultBackend.service.name: Invalid value: "1web": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        'spec.defaultBackend: Required value: port name or number is required',
      ],
    ],
    [
      { defaultBackend: { service: { name: 'web', port: { name: 'http', number: 80 } } } },
      ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
    ],
    [
      { defaultBackend: { ...backend, resource: { kind: 'A', name: 'b' } } },
      ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
    ],
    [
      { defaultBackend: { resource: { apiGroup: 'a.b', kind: '', name: 'x/y' } } },
      [
        'spec.defaultBackend.resource.kind: Required value',
        `spec.defaultBackend.resource.name: Invalid value: "x/y": may not contain '/'`,
      ],
    ],
    [
      { rules: [rule()], tls: [{ hosts: ['*.a.b', 'a.b'], secretName: 'Cert' }] },
      [
        `spec.tls[0].secretName: Invalid value: "Cert": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
  ])('%j is checked', (spec, expected) => {
    expect(problems(Ingress, named(spec))).toEqual(expected);
  });

  test('the older class annotation must agree, and brings a warning', () => {
    const metadata = { name: 'a', annotations: { 'kubernetes.io/ingress.class': 'nginx' } };
    const manifest = named({ ingressClassName: 'other', defaultBackend: backend }, metadata);
    expect(problems(Ingress, manifest, kubernetes)).toEqual([
      'annotations.kubernetes.io/ingress.class: Invalid value: "nginx": must match `ingressClassName` when both are specified',
    ]);
    expect(atOnce(Ingress.strategy?.warnings?.(create(Ingress, manifest), undefined, contextOf(kubernetes)))).toEqual([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
  });

  test('counts changes of the spec', () => {
    const spec = { defaultBackend: backend };
    expect(changeOf(Ingress, spec, { 'spec.ingressClassName': 'x' })).toEqual({ errors: [], generation: 2 });
    expect(changeOf(Ingress, spec, { 'metadata.labels.a': 'b' }).generation).toBe(1);
  });

  test('the status is written by its subresource only', () => {
    const old = create(Ingress, {
      ...named({ defaultBackend: backend }),
      status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } },
    });
    expect(old['status']).toEqual({ loadBalancer: {} });
    const object = changed(old, { 'status.loadBalancer.ingress': [{ ip: 'x', hostname: 'UP' }], 'spec.rules': [] });
    const status = subresourceStrategy(Ingress, 'status');
    atOnce(status.prepareForUpdate(object, old, context));
    expect(object['spec']).toEqual(old['spec']);
    expect(texts(status.validateUpdate?.(object as typeof old, old, context))).toEqual([
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      expect.stringMatching(/^status\.loadBalancer\.ingress\[0\]\.hostname: Invalid value: "UP": a lowercase RFC 1123/),
    ]);
  });

  test.each<[JsonObject, JsonObject]>([
    [{ defaultBackend: backend }, { Class: '<none>', Hosts: '*', Address: '', Ports: '80' }],
    [
      { rules: ['a', 'b', 'c', 'd'].map((host) => rule({}, host)), tls: [{}], ingressClassName: 'nginx' },
      {
        Class: 'nginx',
        Hosts: 'a,b,c + 1 more...',
        Ports: '80, 443',
      },
    ],
  ])('the table shows %j', (spec, expected) => {
    expect(cells(Ingress, create(Ingress, named(spec)))).toMatchObject(expected);
  });
});

describe('IngressClass', () => {
  const parameters = { kind: 'Config', name: 'c' };

  test('parameters are cluster-scoped by default', () => {
    expect(decode(IngressClass, named({ controller: 'a.io/b', parameters }))).toMatchObject({
      spec: { parameters: { scope: 'Cluster' } },
    });
  });

  test.each<[JsonObject, string[]]>([
    [{ controller: 'a.io/b' }, []],
    [{}, ['spec.controller: Required value']],
    [
      { controller: 'b' },
      ['spec.controller: Invalid value: "b": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [{ controller: `a.io/${'b'.repeat(250)}` }, ['spec.controller: Too long: must have at most 250 bytes']],
    [
      { controller: 'a.io/b c' },
      [
        `spec.controller: Invalid value: "b c": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
      ],
    ],
    [
      { controller: 'a.io/b', parameters: { ...parameters, scope: 'Namespace' } },
      ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
    ],
    [
      { controller: 'a.io/b', parameters: { ...parameters, namespace: 'x' } },
      ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
    ],
    [
      { controller: 'a.io/b', parameters: { ...parameters, scope: 'World' } },
      ['spec.parameters.scope: Unsupported value: "World": supported values: "Cluster", "Namespace"'],
    ],
  ])('%j is checked', (spec, expected) => {
    expect(problems(IngressClass, named(spec))).toEqual(expected);
  });

  test('the controller is immutable', () => {
    expect(changeOf(IngressClass, { controller: 'a.io/b' }, { 'spec.controller': 'a.io/c' })).toEqual({
      errors: ['spec.controller: Invalid value: "a.io/c": field is immutable'],
      generation: 2,
    });
  });

  test('the table shows the parameters', () => {
    const stored = create(
      IngressClass,
      named({ controller: 'a.io/b', parameters: { ...parameters, apiGroup: 'x.io' } }),
    );
    expect(cells(IngressClass, stored)).toMatchObject({ Controller: 'a.io/b', Parameters: 'Config.x.io/c' });
  });
});

describe('NetworkPolicy', () => {
  const podSelector = {};

  test.each<[JsonObject, string[]]>([
    [{ podSelector }, ['Ingress']],
    [{ podSelector, egress: [{}] }, ['Ingress', 'Egress']],
    [{ podSelector, policyTypes: ['Egress'] }, ['Egress']],
  ])('%j has the types %j', (spec, policyTypes) => {
    expect(decode(NetworkPolicy, named(spec))).toMatchObject({ spec: { policyTypes } });
  });

  test.each<[JsonObject, string[]]>([
    [{ podSelector, ingress: [{ ports: [{ port: 80 }], from: [{ podSelector: {} }] }] }, []],
    [{ podSelector, ingress: [{ from: [{}] }] }, ['spec.ingress[0].from[0]: Required value: must specify a peer']],
    [
      { podSelector, egress: [{ to: [{ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }] }] },
      ['spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer'],
    ],
    [
      {
        podSelector,
        ingress: [
          { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '11.0.0.0/9', '10.0.0.0/8', 'x'] } }] },
        ],
      },
      [
        'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
        'spec.ingress[0].from[0].ipBlock.except[2]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
        'spec.ingress[0].from[0].ipBlock.except[3]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
    ],
    [
      {
        podSelector,
        ingress: [
          {
            ports: [
              { protocol: 'ICMP' },
              { port: 0 },
              { port: 'A' },
              { port: 80, endPort: 79 },
              { port: 'a', endPort: 1 },
              { endPort: 1 },
            ],
          },
        ],
      },
      [
        'spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
        'spec.ingress[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.ingress[0].ports[2].port: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.ingress[0].ports[2].port: Invalid value: "A": must contain at least one letter (a-z)',
        'spec.ingress[0].ports[3].endPort: Invalid value: 79: must be greater than or equal to `port`',
        'spec.ingress[0].ports[4].endPort: Invalid value: 1: may not be specified when `port` is non-numeric',
        'spec.ingress[0].ports[5].endPort: Invalid value: 1: may not be specified when `port` is not specified',
      ],
    ],
    [
      { podSelector, policyTypes: ['Ingress', 'Up'] },
      ['spec.policyTypes[1]: Unsupported value: "Up": supported values: "Ingress", "Egress"'],
    ],
    [
      { podSelector, policyTypes: ['a', 'b', 'c'] },
      [
        'spec.policyTypes: Invalid value: []networking.PolicyType{"a", "b", "c"}: may not specify more than two policyTypes',
      ],
    ],
    [
      { podSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      ['spec.podSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator'],
    ],
  ])('%j is checked', (spec, expected) => {
    expect(problems(NetworkPolicy, named(spec))).toEqual(expected);
  });

  test('counts changes of the spec', () => {
    expect(changeOf(NetworkPolicy, { podSelector }, { 'spec.policyTypes': ['Egress'] }).generation).toBe(2);
    expect(changeOf(NetworkPolicy, { podSelector }, { 'metadata.labels.a': 'b' }).generation).toBe(1);
  });

  test.each<[JsonObject, string]>([
    [podSelector, '<none>'],
    [{ matchLabels: { b: '1', a: '2' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] }, 'a=2,b=1,c'],
  ])('the table shows the selector %j', (selector, cell) => {
    expect(cells(NetworkPolicy, create(NetworkPolicy, named({ podSelector: selector })))).toMatchObject({
      'Pod-Selector': cell,
    });
  });
});

describe('IPAddress', () => {
  const parentRef = { resource: 'services', namespace: 'default', name: 'web' };

  test.each([
    ['10.0.0.1', []],
    ['fd00::1', []],
    ['FD00::1', ['must be a canonical form IP address']],
    ['web', ['ParseAddr("web"): unable to parse IP']],
  ])('may have the name %s: %j', (name, expected) => {
    expect(IPAddress.strategy?.nameRule?.(name, false)).toEqual(expected);
  });

  test('names its owner, which does not change', () => {
    expect(problems(IPAddress, named({ parentRef }))).toEqual([]);
    expect(problems(IPAddress, named({ parentRef: { group: '', resource: '', name: '' } }))).toEqual([
      'spec.parentRef.resource: Required value',
      'spec.parentRef.name: Required value',
    ]);
    expect(changeOf(IPAddress, { parentRef }, { 'spec.parentRef.name': 'x' }).errors).toEqual([
      'spec.parentRef: Invalid value: networking.ParentReference{Group:"", Resource:"services", Namespace:"default", Name:"x"}: field is immutable',
    ]);
    expect(cells(IPAddress, create(IPAddress, named({ parentRef })))).toMatchObject({
      ParentRef: 'services/default/web',
    });
  });
});

describe('ServiceCIDR', () => {
  test.each<[string[], string[]]>([
    [['10.0.0.0/24'], []],
    [['10.0.0.0/24', 'fd00::/112'], []],
    [[], ['spec.cidrs: Required value: at least one CIDR required']],
    [
      ['10.0.0.0/24', '10.1.0.0/24'],
      [
        'spec.cidrs: Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{"10.0.0.0/24", "10.1.0.0/24"}}: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ],
    ],
    [
      ['10.0.0.1/24'],
      [`spec.cidrs[0]: Invalid value: "10.0.0.1/24": wrong CIDR format, IP doesn't match network IP address`],
    ],
    [['10.0.0.0'], [`spec.cidrs[0]: Invalid value: "10.0.0.0": netip.ParsePrefix("10.0.0.0"): no '/'`]],
  ])('%j is checked', (cidrs, expected) => {
    expect(problems(ServiceCIDR, named({ cidrs }))).toEqual(expected);
  });

  test('its networks do not change', () => {
    expect(changeOf(ServiceCIDR, { cidrs: ['10.0.0.0/24'] }, { 'spec.cidrs': ['10.1.0.0/24'] }).errors).toEqual([
      'spec.cidrs: Invalid value: []string{"10.1.0.0/24"}: field is immutable',
    ]);
  });
});
