/**
 * The operations of subresources that connect: logs, commands and proxies. They have parameters and answer with a text,
 * whatever they really answer.
 *
 * @module
 */
import { ownMember, type GroupVersionKind } from '../../foundation/index.js';
import type { OpenApiSubresource, Operation, OperationMethod, Parameter, PathItem } from './model.js';

/** The facts that the operations of a subresource need. */
export interface ConnectScope {
  readonly kind: string;
  /** The kind of the options. */
  readonly optionsKind: GroupVersionKind;
  /** Name of the subresource, and the word for it in operation ids: `Log`. */
  readonly name: string;
  readonly word: string;
  /** Path of the subresource. */
  readonly path: string;
  /** Part of the operation ids before the kind: `CoreV1Namespaced`. */
  readonly idScope: string;
  readonly idNamespaced: string;
  readonly tag: string;
  readonly mediaTypes: readonly string[];
  /** Parameters of the path: name, and the namespace of a namespaced kind. */
  readonly pathParameters: readonly Parameter[];
  /** The parameter for indented responses. */
  readonly pretty: Parameter;
}

const METHODS: Readonly<Record<string, OperationMethod>> = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};

const TYPES = { string: 'string', bool: 'boolean', int: 'integer' } as const;

/** Descriptions of the parameters, by name. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  command: 'The command and its arguments; repeated. It is not run in a shell.',
  container: 'Name of the container; required when the pod has several.',
  follow: 'Whether the log is followed.',
  insecureSkipTLSVerifyBackend: 'Whether the certificate of the node needs no verification.',
  limitBytes: 'Maximum number of bytes; the last line may be incomplete.',
  path: 'Path of the request behind the proxy.',
  ports: 'Ports to forward; required over WebSocket.',
  previous: 'Whether the log of the previous run is returned.',
  sinceSeconds: 'Only lines of the last seconds.',
  stderr: 'Whether the standard error is sent.',
  stdin: 'Whether the client sends a standard input.',
  stdout: 'Whether the standard output is sent.',
  tailLines: 'Number of lines from the end of the log.',
  timestamps: 'Whether each line begins with its time.',
  tty: 'Whether a terminal is allocated.',
};

function parametersOf({ parameters = {}, trailingPath }: NonNullable<OpenApiSubresource['connect']>): Parameter[] {
  const all = { ...parameters, ...(trailingPath === true ? { path: 'string' as const } : {}) };
  return Object.entries(all).map(([name, type]) => ({
    name,
    in: 'query',
    type: TYPES[type],
    description: ownMember(DESCRIPTIONS, name) ?? '',
  }));
}

const byName = (a: Parameter, b: Parameter): number => (a.name < b.name ? -1 : 1);
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the operation that reads a log: the only one that is not a connection. */
function readOperation(scope: ConnectScope, produces: string): Operation {
  const { kind, name, word, idScope, idNamespaced, tag, optionsKind, mediaTypes } = scope;
  return {
    method: 'get',
    id: `read${idScope}${idNamespaced}${kind}${word}`,
    description: `read ${name} of the specified ${kind}`,
    tag,
    action: 'get',
    kind: optionsKind,
    parameters: [],
    consumes: ['*/*'],
    responses: [
      { status: 200, description: 'OK', body: { component: undefined, mediaTypes: [produces, ...mediaTypes] } },
      { status: 401, description: 'Unauthorized' },
    ],
  };
}

function connectOperation(scope: ConnectScope, method: OperationMethod, suffix = ''): Operation {
  const { kind, name, word, idScope, idNamespaced, tag, optionsKind } = scope;
  return {
    method,
    id: `connect${idScope}${capitalized(method)}${idNamespaced}${kind}${word}${suffix}`,
    description: `connect ${method.toUpperCase()} requests to ${name} of ${kind}`,
    tag,
    action: 'connect',
    kind: optionsKind,
    parameters: [],
    consumes: ['*/*'],
    responses: [
      { status: 200, description: 'OK', body: { component: undefined, mediaTypes: ['*/*'] } },
      { status: 401, description: 'Unauthorized' },
    ],
  };
}

/** Returns the paths of a subresource that connects. */
export function connectPaths(scope: ConnectScope, { verbs, connect = {} }: OpenApiSubresource): PathItem[] {
  const { path, pathParameters, pretty } = scope;
  const { produces, trailingPath = false } = connect;
  const query = parametersOf(connect);
  if (produces !== undefined) {
    const parameters = [...pathParameters, pretty, ...query].sort(byName);
    return [{ path, parameters, operations: [readOperation(scope, produces)] }];
  }
  const methods = verbs.map((verb) => ownMember(METHODS, verb) ?? 'get');
  // A proxy passes these methods on as well.
  const all = trailingPath ? [...methods, 'head' as const, 'options' as const] : methods;
  const operations = (suffix?: string): Operation[] =>
    [...all].sort().map((method) => connectOperation(scope, method, suffix));
  const paths: PathItem[] = [
    { path, parameters: [...pathParameters, ...query].sort(byName), operations: operations() },
  ];
  if (!trailingPath) return paths;
  const rest: Parameter = { name: 'path', in: 'path', type: 'string', description: DESCRIPTIONS['path'] ?? '' };
  paths.push({
    path: `${path}/{path}`,
    parameters: [...pathParameters, rest, ...query].sort(byName),
    operations: operations('WithPath'),
  });
  return paths;
}
