/**
 * Every path and operation of a kind (contract, sections "Path shapes" and "Verbs").
 *
 * @module
 */
import { apiVersionOf, type Dialect } from '../../foundation/index.js';
import { isCustom } from '../discovery/index.js';
import { connectPaths, type ConnectScope } from './connect-operations.js';
import type {
  Body,
  OpenApiResource,
  OpenApiResponse,
  OpenApiSubresource,
  Operation,
  OperationMethod,
  Parameter,
  PathItem,
} from './model.js';
import { componentNamer, metaComponentName, operationScope, operationTag, operationWord } from './names.js';
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  patchParameters,
  pretty,
  resourceVersion,
  writeParameters,
} from './parameters.js';

/** Facts that the operations of a kind share. */
interface Scope {
  readonly resource: OpenApiResource;
  readonly dialect: Dialect;
  /** Base path: `/api/v1` or `/apis/{group}/{version}`. */
  readonly base: string;
  /** Path of the collection. */
  readonly collection: string;
  /** Part of the operation ids: `CoreV1`. */
  readonly idScope: string;
  /** Part of the operation ids: `Namespaced` or empty. */
  readonly idNamespaced: string;
  readonly tag: string;
  readonly mediaTypes: readonly string[];
  /** Whether a custom resource definition declares the kind. Kubernetes describes such kinds by other code. */
  readonly custom: boolean;
  /** Media types of request bodies. Kubernetes lists them for custom resources; built-in kinds accept any type. */
  readonly consumes: readonly string[];
  /** Parameters of every path: pretty, and the namespace of a namespaced kind. */
  readonly pathParameters: readonly Parameter[];
}

/** Facts of one operation. */
interface OperationFacts {
  readonly method: OperationMethod;
  readonly id: string;
  readonly description: string;
  readonly action: string;
  readonly parameters?: readonly Parameter[] | undefined;
  readonly requestBody?: Operation['requestBody'] | undefined;
  readonly responses: readonly OpenApiResponse[];
}

/** Returns the path of a group version. */
export function groupVersionPath(group: string, version: string): string {
  return `${group === '' ? '/api' : '/apis'}/${apiVersionOf(group, version)}`;
}

/** Returns the path item of a version's resource list. */
export function resourceListPath(group: string, version: string, dialect: Dialect): PathItem {
  const body = {
    component: metaComponentName('APIResourceList', dialect),
    mediaTypes: ['application/json', 'application/yaml', dialect.protobufMediaType],
  };
  const operation: Operation = {
    method: 'get',
    id: `get${operationScope(group, version, dialect)}APIResources`,
    description: 'get available resources',
    tag: operationTag(group, version, dialect),
    parameters: [],
    consumes: body.mediaTypes,
    responses: [{ status: 200, description: 'OK', body }, UNAUTHORIZED],
  };
  return { path: `${groupVersionPath(group, version)}/`, parameters: [], operations: [operation] };
}

/** Returns the path items of a kind. Paths without operations are omitted. */
export function resourcePaths(resource: OpenApiResource, dialect: Dialect): PathItem[] {
  const scope = scopeOf(resource, dialect);
  const items = [
    ...(resource.namespaced ? [allNamespacesPath(scope)] : []),
    collectionPath(scope),
    objectPath(scope),
    ...[...resource.subresources].flatMap(([name, subresource]) =>
      subresource.connect === undefined
        ? [subresourcePath(scope, name, subresource)]
        : connectPaths(connectScope(scope, name, subresource), subresource),
    ),
    ...watchPaths(scope),
  ];
  return items.filter(({ operations }) => operations.length > 0).map(withSharedParameters);
}

/** Moves the parameters that all operations of a path share to the path. */
function withSharedParameters({ path, parameters, operations }: PathItem): PathItem {
  const shared = (operations[0]?.parameters ?? []).filter((parameter) =>
    operations.every(({ parameters: own }) => own.includes(parameter)),
  );
  if (shared.length === 0) return { path, parameters: inOrder(parameters), operations };
  return {
    path,
    parameters: inOrder([...parameters, ...shared]),
    operations: operations.map((each) => ({
      ...each,
      parameters: each.parameters.filter((parameter) => !shared.includes(parameter)),
    })),
  };
}

/** Sorts the parameters of a path by name, as documents list them. */
function inOrder(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const UNAUTHORIZED: OpenApiResponse = { status: 401, description: 'Unauthorized' };

function scopeOf(resource: OpenApiResource, dialect: Dialect): Scope {
  const { group, version, namespaced } = resource;
  const base = groupVersionPath(group, version);
  const isUserDefined = resource.definition.origin !== 'builtin';
  // User-defined kinds have no protobuf format.
  const mediaTypes = ['application/json', 'application/yaml', ...(isUserDefined ? [] : [dialect.protobufMediaType])];
  return {
    resource,
    dialect,
    base,
    collection: `${base}${namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`,
    idScope: operationScope(group, version, dialect),
    idNamespaced: namespaced ? 'Namespaced' : '',
    tag: operationTag(group, version, dialect),
    mediaTypes,
    custom: isCustom(resource),
    consumes: isUserDefined ? mediaTypes : ['*/*'],
    pathParameters: namespaced ? [namespaceParameter, pretty] : [pretty],
  };
}

function operation(scope: Scope, facts: OperationFacts, kind: Operation['kind'] = scope.resource): Operation {
  const { group, version, kind: name } = kind ?? scope.resource;
  return {
    tag: scope.tag,
    kind: { group, version, kind: name },
    consumes: scope.consumes,
    ...facts,
    parameters: facts.parameters ?? [],
    responses: [...facts.responses, UNAUTHORIZED],
  };
}

function bodyOf(scope: Scope, component: string): Body {
  return { component, mediaTypes: scope.mediaTypes };
}

function kindBody(scope: Scope, name: string): Body {
  const { resource, dialect } = scope;
  return bodyOf(scope, componentNamer(resource.definition.group, resource.version, dialect)(name, resource.schema));
}

const metaBody = (scope: Scope, name: string): Body => bodyOf(scope, metaComponentName(name, scope.dialect));

const responses = (body: Body, ...codes: readonly number[]): OpenApiResponse[] =>
  codes.map((status) => ({ status, description: DESCRIPTIONS[status] ?? '', body }));

const DESCRIPTIONS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

/** Returns a request body of any media type that the server accepts. */
const requestBodyOf = ({ consumes }: Scope, body: Body): NonNullable<Operation['requestBody']> => ({
  component: body.component,
  mediaTypes: consumes,
  required: true,
});

/** Adds the media types of watches. */
const withStreams = (mediaTypes: readonly string[]): readonly string[] => [
  ...mediaTypes,
  ...mediaTypes.filter((type) => !type.endsWith('yaml')).map((type) => `${type};stream=watch`),
];

function listOperation(scope: Scope, allNamespaces: boolean): Operation {
  const { resource, idScope, idNamespaced, mediaTypes, custom } = scope;
  const streams = resource.verbs.includes('watch') && !custom;
  const { component } = kindBody(scope, resource.listKind);
  return operation(scope, {
    method: 'get',
    id: allNamespaces
      ? `list${idScope}${resource.kind}ForAllNamespaces`
      : `list${idScope}${idNamespaced}${resource.kind}`,
    description: `list or watch objects of kind ${resource.kind}`,
    action: 'list',
    parameters: allNamespaces ? [] : listParameters,
    responses: responses({ component, mediaTypes: streams ? withStreams(mediaTypes) : mediaTypes }, 200),
  });
}

const withArticle = (kind: string): string => `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;

function allNamespacesPath(scope: Scope): PathItem {
  const { base, resource } = scope;
  const operations = resource.verbs.includes('list') ? [listOperation(scope, true)] : [];
  return { path: `${base}/${resource.resource}`, parameters: [...listParameters, pretty], operations };
}

function collectionPath(scope: Scope): PathItem {
  const { resource, idScope, idNamespaced } = scope;
  const { kind, verbs } = resource;
  const operations: Operation[] = [];
  if (verbs.includes('list')) operations.push(listOperation(scope, false));
  if (verbs.includes('create')) {
    const body = kindBody(scope, kind);
    operations.push(
      operation(scope, {
        method: 'post',
        id: `create${idScope}${idNamespaced}${kind}`,
        description: `create ${withArticle(kind)}`,
        action: 'post',
        parameters: writeParameters,
        requestBody: requestBodyOf(scope, body),
        responses: responses(body, 200, 201, 202),
      }),
    );
  }
  if (verbs.includes('deletecollection')) {
    operations.push(
      operation(scope, {
        method: 'delete',
        id: `delete${idScope}Collection${idNamespaced}${kind}`,
        description: `delete collection of ${kind}`,
        action: 'deletecollection',
        parameters: scope.custom ? listParameters : deleteCollectionParameters,
        requestBody: scope.custom ? undefined : deleteBody(scope),
        responses: responses(metaBody(scope, 'Status'), 200),
      }),
    );
  }
  return { path: scope.collection, parameters: scope.pathParameters, operations };
}

const deleteBody = (scope: Scope): NonNullable<Operation['requestBody']> => ({
  ...requestBodyOf(scope, metaBody(scope, 'DeleteOptions')),
  required: false,
});

/** The object or subresource that operations read and write. */
interface OperationTarget {
  readonly verbs: readonly string[];
  /** Last part of the operation ids: the name of the subresource, or empty. */
  readonly idSuffix: string;
  /** Object of the verb in descriptions: `the specified Pod`. */
  readonly description: string;
  readonly body: Body;
  /** Default the kind of the resource. */
  readonly kind?: Operation['kind'] | undefined;
}

/** Returns the operations that read and write one object or one of its subresources. */
function objectOperations(scope: Scope, { verbs, idSuffix, description, body, kind }: OperationTarget): Operation[] {
  const { resource, idScope, idNamespaced } = scope;
  const id = (verb: string): string => `${verb}${idScope}${idNamespaced}${resource.kind}${idSuffix}`;
  const facts: Readonly<Record<string, OperationFacts>> = {
    get: {
      method: 'get',
      id: id('read'),
      description: `read ${description}`,
      action: 'get',
      parameters: scope.custom ? [resourceVersion] : [],
      responses: responses(body, 200),
    },
    update: {
      method: 'put',
      id: id('replace'),
      description: `replace ${description}`,
      action: 'put',
      parameters: writeParameters,
      requestBody: requestBodyOf(scope, body),
      responses: responses(body, 200, 201),
    },
    patch: {
      method: 'patch',
      id: id('patch'),
      description: `partially update ${description}`,
      action: 'patch',
      parameters: patchParameters,
      requestBody: patchBody(scope),
      responses: responses(body, ...(scope.custom ? [200] : [200, 201])),
    },
  };
  return Object.entries(facts).flatMap(([verb, each]) => (verbs.includes(verb) ? [operation(scope, each, kind)] : []));
}

function patchBody(scope: Scope): NonNullable<Operation['requestBody']> {
  const strategic = scope.resource.definition.origin !== 'builtin' ? [] : ['application/strategic-merge-patch+json'];
  const mediaTypes = [
    'application/json-patch+json',
    'application/merge-patch+json',
    ...strategic,
    'application/apply-patch+yaml',
  ];
  return { component: metaComponentName('Patch', scope.dialect), mediaTypes, required: true };
}

function objectPath(scope: Scope): PathItem {
  const { resource, idScope, idNamespaced, collection } = scope;
  const { kind, verbs } = resource;
  const operations = objectOperations(scope, {
    verbs,
    idSuffix: '',
    description: `the specified ${kind}`,
    body: kindBody(scope, kind),
  });
  if (verbs.includes('delete')) {
    operations.push(
      operation(scope, {
        method: 'delete',
        id: `delete${idScope}${idNamespaced}${kind}`,
        description: `delete ${withArticle(kind)}`,
        action: 'delete',
        parameters: deleteParameters,
        requestBody: deleteBody(scope),
        responses: responses(
          resource.definition.strategy?.deleteReturnsObject === true
            ? kindBody(scope, kind)
            : metaBody(scope, 'Status'),
          200,
          202,
        ),
      }),
    );
  }
  return { path: `${collection}/{name}`, parameters: [nameParameter(kind), ...scope.pathParameters], operations };
}

function subresourcePath(scope: Scope, name: string, subresource: OpenApiSubresource): PathItem {
  const { resource, idScope, idNamespaced, collection } = scope;
  const kind = scope.custom ? resource : (subresource.responseKind ?? resource);
  const body =
    subresource.responseKind === undefined
      ? kindBody(scope, resource.kind)
      : bodyOf(scope, subresourceComponent(subresource, scope));
  const idSuffix = operationWord(name);
  const operations = objectOperations(scope, {
    verbs: subresource.verbs,
    idSuffix,
    description: `${name} of the specified ${resource.kind}`,
    body,
    kind,
  });
  if (subresource.verbs.includes('create')) {
    const facts: OperationFacts = {
      method: 'post',
      id: `create${idScope}${idNamespaced}${resource.kind}${idSuffix}`,
      description: `create ${name} of ${withArticle(resource.kind)}`,
      action: 'post',
      parameters: writeParameters,
      requestBody: requestBodyOf(scope, body),
      responses: responses(body, 200, 201, 202),
    };
    operations.push(operation(scope, facts, kind));
  }
  return {
    path: `${collection}/{name}/${name}`,
    parameters: [nameParameter(kind.kind), ...scope.pathParameters],
    operations,
  };
}

function connectScope(scope: Scope, name: string, { optionsKind }: OpenApiSubresource): ConnectScope {
  const { resource, idScope, idNamespaced, collection, tag, mediaTypes } = scope;
  const kind = optionsKind ?? resource;
  return {
    ...{ name, idScope, idNamespaced, tag, mediaTypes, pretty },
    kind: resource.kind,
    optionsKind: { group: kind.group, version: kind.version, kind: kind.kind },
    word: operationWord(name),
    path: `${collection}/{name}/${name}`,
    pathParameters: [nameParameter(kind.kind), ...(resource.namespaced ? [namespaceParameter] : [])],
  };
}

/** Returns the component of a subresource's kind; a generic object when its schema is unknown. */
function subresourceComponent({ responseKind, schema }: OpenApiSubresource, { dialect }: Scope): string {
  if (responseKind === undefined || schema === undefined) return metaComponentName('RawExtension', dialect);
  return subresourceNamer(responseKind, dialect)(responseKind.kind, schema);
}

/** Returns the function that names the types of a subresource's kind, by the group of that kind. */
export function subresourceNamer(
  { group, version }: { readonly group: string; readonly version: string },
  dialect: Dialect,
): ReturnType<typeof componentNamer> {
  const suffix = `.${dialect.groupSuffix}`;
  return componentNamer(group.endsWith(suffix) ? { system: group.slice(0, -suffix.length) } : group, version, dialect);
}

/** Returns the deprecated paths below `/watch/`, which the parameter `watch` of a list replaces. */
function watchPaths(scope: Scope): PathItem[] {
  const { resource, base, collection, idScope, idNamespaced } = scope;
  const { kind, verbs, namespaced } = resource;
  if (!verbs.includes('watch') || scope.custom) return [];
  const watch = (id: string, action: string): Operation[] => [
    operation(scope, {
      method: 'get',
      id,
      description: `watch changes of ${kind}. deprecated: use the 'watch' parameter with a list operation instead`,
      action,
      responses: responses({ ...metaBody(scope, 'WatchEvent'), mediaTypes: withStreams(scope.mediaTypes) }, 200),
    }),
  ];
  const watched = `${base}/watch${collection.slice(base.length)}`;
  const parameters = [...listParameters, ...scope.pathParameters];
  const allNamespaces = {
    path: `${base}/watch/${resource.resource}`,
    parameters: [...listParameters, pretty],
    operations: watch(`watch${idScope}${kind}ListForAllNamespaces`, 'watchlist'),
  };
  return [
    ...(namespaced ? [allNamespaces] : []),
    { path: watched, parameters, operations: watch(`watch${idScope}${idNamespaced}${kind}List`, 'watchlist') },
    {
      path: `${watched}/{name}`,
      parameters: [nameParameter(kind), ...parameters],
      operations: watch(`watch${idScope}${idNamespaced}${kind}`, 'watch'),
    },
  ];
}
