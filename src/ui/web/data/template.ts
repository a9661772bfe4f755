import { apiVersionOf, isBuiltIn, type PageKind } from './kinds.js';
import type { Api } from './api.js';
import { isMap, textOf } from './guards.js';
import { readSchema } from './schema.js';

/** The deepest fields of a template. */
const DEEPEST = 12;

/** Objects that show more than the fields that have to be there. Kinds of custom resources have none. */
const EXAMPLES: ReadonlyMap<string, object> = new Map<string, object>([
  ['ConfigMap', { data: { key: 'value' } }],
  ['Secret', { stringData: { key: 'value' } }],
  ['Namespace', {}],
  ['ServiceAccount', {}],
  ['Service', { spec: { selector: { app: 'example' }, ports: [{ port: 80, targetPort: 8080 }] } }],
  ['Pod', { spec: { containers: [{ name: 'main', image: 'example:1' }] } }],
  ['Deployment', workload({ replicas: 1 })],
  ['StatefulSet', workload({ replicas: 1, serviceName: 'example' })],
  ['DaemonSet', workload({})],
  ['Role', { rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }] }],
  ['ClusterRole', { rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }] }],
]);

function workload(spec: object): object {
  const labels = { app: 'example' };
  const containers = [{ name: 'main', image: 'example:1' }];
  return {
    spec: { ...spec, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

/** Returns an object to begin with: an example, or the shortest object that the kind's schema accepts. */
export async function templateOf(
  api: Api,
  kind: PageKind,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<object> {
  const head = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: 'example', ...(kind.namespaced ? { namespace: namespace ?? 'default' } : {}) },
  };
  const example = EXAMPLES.get(kind.kind);
  if (example !== undefined && isBuiltIn(kind, api.suffix)) return { ...head, ...example };
  const shortest = await shortestOf(api, kind, signal).catch(() => undefined);
  return { ...head, ...shortest };
}

/** Returns the fields of a kind that have to be there, apart from those of every object. */
async function shortestOf(api: Api, kind: PageKind, signal: AbortSignal): Promise<object> {
  const schema = await readSchema(api, kind, signal);
  const value = schema === undefined ? undefined : shortest(schema.own, schema.all, DEEPEST);
  if (!isMap(value)) return {};
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, status: _status, ...fields } = value;
  return fields;
}

/** Returns the shortest value of a schema: defaults and enums first, else what is required. */
export function shortest(schema: unknown, schemas: Readonly<Record<string, unknown>>, depth: number): unknown {
  if (!isMap(schema) || depth === 0) return {};
  if (schema['default'] !== undefined) return schema['default'];
  const reference = textOf(schema['$ref']);
  if (reference !== undefined) return shortest(schemas[reference.split('/').at(-1) ?? ''], schemas, depth - 1);
  const { allOf, type, properties, required, minItems, items, minimum, minLength } = schema;
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(allOf) && allOf.length === 1) return shortest(allOf[0], schemas, depth - 1);
  if (type === 'string') return 'x'.repeat(typeof minLength === 'number' ? Math.min(minLength, 100) : 0);
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0;
  if (type === 'boolean') return false;
  if (type === 'array') {
    const count = typeof minItems === 'number' ? Math.min(minItems, 10) : 0;
    return Array.from({ length: count }, () => shortest(items, schemas, depth - 1));
  }
  if (!isMap(properties)) return {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  // An object is of little use without its spec.
  if (properties['spec'] !== undefined && !names.includes('spec') && depth === DEEPEST) names.push('spec');
  return Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(properties, name))
      .map((name) => [name, shortest(properties[name], schemas, depth - 1)]),
  );
}
