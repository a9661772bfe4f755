/**
 * Random requests over every kind, method, media type and parameter.
 *
 * @module
 */
import type { JsonValue } from '../../../src/foundation/json/json.js';
import type { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { almostValid, jsonPatchOf, mergePatchOf, objectOf, STRANGE } from './bodies.js';
import type { Chance } from './chance.js';

/** A request as plain data: it can be printed, and made smaller. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or text that is sent unchanged. */
  readonly body?: { readonly json: JsonValue } | { readonly text: string };
}

const NAMES = [
  'a',
  'b',
  'c',
  'default',
  'absent',
  'system:thing',
  'A',
  '%2e%2e',
  '%00',
  'a%2Fb',
  'x'.repeat(300),
  '%F0%9F%98%80',
  '%zz',
];
const NAMESPACES = ['default', 'default', 'n1', 'absent', 'kube-system', '%20', 'A'];
const VERSIONS = ['', '0', '1', '5', '99999999', '-1', 'x', '00', '18446744073709551616', '1.5'];
const BOOLEANS = ['true', 'false', '1', '', 'x', 'True', '0'];
const NUMBERS = ['0', '1', '2', '10', '-1', 'x', '', '1.5', '99999999999999999999'];
const SELECTORS = [
  'a=b',
  'a in (b,c)',
  '!a',
  'a',
  '=',
  'a in',
  'a=b,',
  'a>1',
  '(((',
  'x'.repeat(500),
  '',
  'a notin (b)',
  'é=1',
];
const FIELDS = [
  'metadata.name=a',
  'metadata.namespace=default',
  'spec.nodeName=x',
  'status.phase!=Running',
  'type=Opaque',
  'metadata.name',
  'a.b=c',
  '=',
  'metadata.name=a,metadata.name=b',
  '',
  'involvedObject.kind=Pod',
  '\\',
];

const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  pretty: BOOLEANS,
  dryRun: ['All', '', 'None', 'All,All'],
  fieldManager: ['m', '', 'x'.repeat(200), 'é', '\u0001'],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x', ''],
  force: BOOLEANS,
  watch: BOOLEANS,
  allowWatchBookmarks: BOOLEANS,
  sendInitialEvents: BOOLEANS,
  resourceVersion: VERSIONS,
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x', ''],
  limit: NUMBERS,
  continue: ['x', '', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0', 'e30'],
  timeoutSeconds: NUMBERS,
  timeout: ['1s', '0', 'abc', '-1s', '1h', '5'],
  labelSelector: SELECTORS,
  fieldSelector: FIELDS,
  gracePeriodSeconds: NUMBERS,
  orphanDependents: BOOLEANS,
  propagationPolicy: ['Orphan', 'Background', 'Foreground', 'x', ''],
  includeObject: ['None', 'Metadata', 'Object', 'x'],
  ignoreStoreReadErrorWithClusterBreakingPotential: BOOLEANS,
  unknown: ['1'],
  '': [''],
  __proto__x: ['x'],
};

const BODY_TYPES = [
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'application/cbor',
  '',
  'x',
  'application/json;;',
  '*/*',
];
const APPLY = 'application/apply-patch+yaml';
const PATCH_TYPES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+yaml',
  'application/json',
  'application/apply-patch+cbor',
  '',
];
const ACCEPTS = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/vnd.kubernetes.protobuf, */*',
  '*/*',
  'text/html',
  'application/cbor',
  '',
  ';;',
  'application/*;q=0.1',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
  'application/json;stream=watch',
  'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
];
const METHODS = [
  ...['GET', 'GET', 'POST', 'POST', 'PUT', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'PATCH', 'DELETE'].flatMap(
    (method) => [method, method, method],
  ),
  'HEAD',
  'OPTIONS',
  'TRACE',
  'FOO',
];
const TEXTS = [
  '',
  'null',
  '{',
  '[]',
  '"x"',
  '1',
  '{"a":1,"a":2}',
  '{"metadata":{"name":"a"},"metadata":{"name":"b"}}',
  'a: &b\n  c: *b',
  'a: b\na: c',
  '--- \n---\n',
  '\u0000',
  'k8s\u0000',
  'k8s\u0000\u000a\u0001x',
  '{"a":1e999}',
  `${'['.repeat(5000)}`,
  '\ufeff{}',
  '{"a":"\\ud800"}',
  '- 1\n- 2',
  '!!binary x',
  '<x/>',
];
const OTHER_PATHS = [
  '/',
  '/api',
  '/apis',
  '/api/v1',
  '/api/v2',
  '/apis/apps',
  '/apis/rbac.authorization.k8s.io',
  '/version',
  '/healthz',
  '/readyz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/nothing',
  '//',
  '/api/v1/',
  '/api//v1',
  '/api/v1/namespaces/default/status',
  '/%',
  '/api/v1/watch',
  '/api/v1/proxy/x',
  '/apis/none/v1/things',
];

/** Makes requests for the kinds. */
export class RequestMaker {
  constructor(
    readonly kinds: readonly ResourceInfo[],
    readonly chance: Chance,
  ) {}

  make(): FuzzedRequest {
    const { chance } = this;
    if (chance.happens(0.03))
      return {
        method: chance.pick(METHODS),
        path: chance.pick(OTHER_PATHS),
        query: this.#query(),
        headers: this.#headers(undefined),
      };
    const kind = chance.pick(this.kinds);
    const method = chance.pick(METHODS);
    const name = chance.pick(NAMES.slice(0, chance.happens(0.85) ? 4 : NAMES.length));
    const namespace = kind.namespaced
      ? chance.pick(NAMESPACES.slice(0, chance.happens(0.9) ? 3 : NAMESPACES.length))
      : undefined;
    const named =
      method !== 'POST' && (method === 'GET' || method === 'DELETE' ? chance.happens(0.6) : chance.happens(0.95));
    const path = this.#path(kind, namespace, named || chance.happens(0.05) ? name : undefined);
    const type = this.#bodyType(method);
    const body = this.#body(kind, method, type, name, namespace);
    const query = this.#query();
    if (type === APPLY && chance.happens(0.9)) query.push(['fieldManager', chance.pick(['m', 'n'])], ['force', 'true']);
    return {
      method,
      path,
      query,
      headers: this.#headers(body === undefined ? undefined : type),
      ...(body === undefined ? {} : { body }),
    };
  }

  #path(kind: ResourceInfo, namespace: string | undefined, name: string | undefined): string {
    const { chance } = this;
    const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
    const watch = chance.happens(0.03) ? '/watch' : '';
    const place = namespace === undefined || chance.happens(0.05) ? '' : `/namespaces/${namespace}`;
    const subresources = [...kind.subresources.keys(), 'status', 'scale', 'none'];
    const subresource = name !== undefined && chance.happens(0.25) ? `/${chance.pick(subresources)}` : '';
    return `${root}${watch}${place}/${kind.resource}${name === undefined ? '' : `/${name}`}${subresource}${chance.happens(0.03) ? '/' : ''}`;
  }

  #query(): [string, string][] {
    const { chance } = this;
    const count = chance.happens(0.7) ? 0 : 1 + chance.below(3);
    return Array.from({ length: count }, () => {
      const name = chance.pick(Object.keys(PARAMETERS));
      return [name, chance.pick(PARAMETERS[name] ?? [''])];
    });
  }

  #headers(bodyType: string | undefined): Record<string, string> {
    const { chance } = this;
    return {
      ...(chance.happens(0.7) ? {} : { accept: chance.pick(ACCEPTS) }),
      ...(bodyType === undefined || bodyType === '' ? {} : { 'content-type': bodyType }),
      ...(chance.happens(0.05)
        ? { 'impersonate-user': chance.pick(['jane', '', 'system:serviceaccount:default:default', 'system:admin']) }
        : {}),
      ...(chance.happens(0.02) ? { 'impersonate-group': 'g', 'impersonate-extra-a%zz': 'x' } : {}),
      ...(chance.happens(0.05) ? { 'user-agent': chance.pick(['', 'kubectl/v1.31.0', 'é', 'x'.repeat(300)]) } : {}),
      ...(chance.happens(0.02) ? { 'if-none-match': '"x"', 'accept-encoding': 'gzip' } : {}),
    };
  }

  #bodyType(method: string): string {
    const { chance } = this;
    return method === 'PATCH'
      ? chance.pick(PATCH_TYPES)
      : chance.happens(0.8)
        ? 'application/json'
        : chance.pick(BODY_TYPES);
  }

  #body(
    kind: ResourceInfo,
    method: string,
    type: string,
    name: string,
    namespace: string | undefined,
  ): FuzzedRequest['body'] {
    const { chance } = this;
    if (method === 'GET' || method === 'HEAD') return undefined;
    if (chance.happens(0.03)) return { text: chance.pick(TEXTS) };
    if (method === 'DELETE') return chance.happens(0.6) ? undefined : { json: this.#deleteOptions() };
    const make = chance.happens(0.7) ? almostValid : objectOf;
    const object = make(kind, decodeURIComponent(name.replaceAll(/%(?![0-9A-F]{2})/g, '')), namespace, chance);
    if (method !== 'PATCH' || type === APPLY) return { json: object };
    return {
      json: chance.happens(type === 'application/json-patch+json' ? 0.9 : 0.05)
        ? jsonPatchOf(object, chance)
        : mergePatchOf(object, chance),
    };
  }

  #deleteOptions(): JsonValue {
    const { chance } = this;
    const options: Record<string, JsonValue> = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: chance.pick<JsonValue>([0, 30, -1, ...STRANGE]),
      propagationPolicy: chance.pick<JsonValue>(['Orphan', 'Foreground', ...STRANGE]),
      dryRun: chance.pick<JsonValue>([['All'], ...STRANGE]),
      preconditions: chance.pick<JsonValue>([{ uid: 'u' }, { resourceVersion: '1' }, ...STRANGE]),
      orphanDependents: chance.pick(STRANGE),
      unknown: 1,
    };
    return Object.fromEntries(chance.some(Object.entries(options), 0.3));
  }
}
