/**
 * Every path and operation of a kind (contract, sections "Path shapes" and "Verbs").
 *
 * @module
 */
import { apiVersionOf } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import type {
  Answer,
  Body,
  OpenApiResource,
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
  writeParameters,
} from './parameters.js';

/** What the operations of one kind have in common. */
interface Scope {
  readonly resource: OpenApiResource;
  readonly dialect: Dialect;
  /** `/api/v1` or `/apis/{group}/{version}`. */
  readonly base: string;
  /** Path of the collection. */
  readonly collection: string;
  /** `CoreV1`. */
  readonly idScope: string;
  /** `Namespaced` or nothing. */
  readonly idPlace: string;
  readonly tag: string;
  readonly mediaTypes: readonly string[];
  /** Media types of bodies. Kubernetes lists those of custom resources; its own kinds take any that it knows. */
  readonly consumes: readonly string[];
  /** Parameters of every path: pretty, and the namespace where there is one. */
  readonly placeParameters: readonly Parameter[];
}

/** What tells one operation from another. */
interface OperationFacts {
  readonly method: OperationMethod;
  readonly id: string;
  readonly description: string;
  readonly action: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: NonNullable<Operation['requestBody']>;
  readonly answers: readonly Answer[];
}

/** Path of a group version. */
export function groupVersionPath(group: string, version: string): string {
  return `${group === '' ? '/api' : '/apis'}/${apiVersionOf(group, version)}`;
}

/** The path that lists a version's resources. */
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
    answers: [{ status: 200, description: 'OK', body }, UNAUTHORIZED],
  };
  return { path: `${groupVersionPath(group, version)}/`, parameters: [], operations: [operation] };
}

/** Every path of a kind. Paths without operations are left out. */
export function resourcePaths(resource: OpenApiResource, dialect: Dialect): PathItem[] {
  const scope = scopeOf(resource, dialect);
  const items = [
    ...(resource.namespaced ? [allNamespacesPath(scope)] : []),
    collectionPath(scope),
    objectPath(scope),
    ...[...resource.subresources].map(([name, subresource]) => subresourcePath(scope, name, subresource)),
    ...watchPaths(scope),
  ];
  return items.filter(({ operations }) => operations.length > 0).map(withSharedParameters);
}

/** A path with the parameters that all of its operations take on itself; each is said once. */
function withSharedParameters({ path, parameters, operations }: PathItem): PathItem {
  const shared = (operations[0]?.parameters ?? []).filter((parameter) =>
    operations.every((one) => one.parameters.includes(parameter)),
  );
  if (shared.length === 0) return { path, parameters: inOrder(parameters), operations };
  return {
    path,
    parameters: inOrder([...parameters, ...shared]),
    operations: operations.map((one) => ({
      ...one,
      parameters: one.parameters.filter((parameter) => !shared.includes(parameter)),
    })),
  };
}

/** As documents list the parameters of a path: those of the path first, then those of the query, by name. */
function inOrder(parameters: readonly Parameter[]): readonly Parameter[] {
  return [...parameters].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const UNAUTHORIZED: Answer = { status: 401, description: 'Unauthorized' };

function scopeOf(resource: OpenApiResource, dialect: Dialect): Scope {
  const { group, version, namespaced } = resource;
  const base = groupVersionPath(group, version);
  const isUsers = resource.definition.origin === 'user';
  // Kinds of users have no protobuf form.
  const mediaTypes = ['application/json', 'application/yaml', ...(isUsers ? [] : [dialect.protobufMediaType])];
  return {
    resource,
    dialect,
    base,
    collection: `${base}${namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`,
    idScope: operationScope(group, version, dialect),
    idPlace: namespaced ? 'Namespaced' : '',
    tag: operationTag(group, version, dialect),
    mediaTypes,
    consumes: isUsers ? mediaTypes : ['*/*'],
    placeParameters: namespaced ? [namespaceParameter, pretty] : [pretty],
  };
}

function operation(scope: Scope, facts: OperationFacts, kind: Operation['kind'] = scope.resource): Operation {
  const { group, version, kind: name } = kind ?? scope.resource;
  return {
    tag: scope.tag,
    kind: { group, version, kind: name },
    parameters: [],
    consumes: scope.consumes,
    ...facts,
    answers: [...facts.answers, UNAUTHORIZED],
  };
}

function bodyOf(scope: Scope, component: string): Body {
  return { component, mediaTypes: scope.mediaTypes };
}

function ownBody(scope: Scope, name: string): Body {
  const { resource, dialect } = scope;
  return bodyOf(scope, componentNamer(resource.definition.group, resource.version, dialect)(name, resource.schema));
}

const metaBody = (scope: Scope, name: string): Body => bodyOf(scope, metaComponentName(name, scope.dialect));

const answers = (body: Body, ...codes: readonly number[]): Answer[] =>
  codes.map((status) => ({ status, description: DESCRIPTIONS[status] ?? '', body }));

const DESCRIPTIONS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

/** A body of any type that the server reads. */
const sent = ({ consumes }: Scope, body: Body): NonNullable<Operation['requestBody']> => ({
  component: body.component,
  mediaTypes: consumes,
  required: true,
});

/** Media types with those of watches. */
const withStreams = (mediaTypes: readonly string[]): readonly string[] => [
  ...mediaTypes,
  ...mediaTypes.filter((type) => !type.endsWith('yaml')).map((type) => `${type};stream=watch`),
];

function listOperation(scope: Scope, everywhere: boolean): Operation {
  const { resource, idScope, idPlace, mediaTypes } = scope;
  const { component } = ownBody(scope, resource.listKind);
  return operation(scope, {
    method: 'get',
    id: everywhere ? `list${idScope}${resource.kind}ForAllNamespaces` : `list${idScope}${idPlace}${resource.kind}`,
    description: `list or watch objects of kind ${resource.kind}`,
    action: 'list',
    parameters: everywhere ? [] : listParameters,
    answers: answers(
      { component, mediaTypes: resource.verbs.includes('watch') ? withStreams(mediaTypes) : mediaTypes },
      200,
    ),
  });
}

const withArticle = (kind: string): string => `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;

function allNamespacesPath(scope: Scope): PathItem {
  const { base, resource } = scope;
  const operations = resource.verbs.includes('list') ? [listOperation(scope, true)] : [];
  return { path: `${base}/${resource.resource}`, parameters: [...listParameters, pretty], operations };
}

function collectionPath(scope: Scope): PathItem {
  const { resource, idScope, idPlace } = scope;
  const { kind, verbs } = resource;
  const operations: Operation[] = [];
  if (verbs.includes('list')) operations.push(listOperation(scope, false));
  if (verbs.includes('create')) {
    const body = ownBody(scope, kind);
    operations.push(
      operation(scope, {
        method: 'post',
        id: `create${idScope}${idPlace}${kind}`,
        description: `create ${withArticle(kind)}`,
        action: 'post',
        parameters: writeParameters,
        requestBody: sent(scope, body),
        answers: answers(body, 200, 201, 202),
      }),
    );
  }
  if (verbs.includes('deletecollection')) {
    operations.push(
      operation(scope, {
        method: 'delete',
        id: `delete${idScope}Collection${idPlace}${kind}`,
        description: `delete collection of ${kind}`,
        action: 'deletecollection',
        parameters: deleteCollectionParameters,
        requestBody: deleteBody(scope),
        answers: answers(metaBody(scope, 'Status'), 200),
      }),
    );
  }
  return { path: scope.collection, parameters: scope.placeParameters, operations };
}

const deleteBody = (scope: Scope): NonNullable<Operation['requestBody']> => ({
  ...sent(scope, metaBody(scope, 'DeleteOptions')),
  required: false,
});

/** The verbs that read and write one object, or a subresource of it. */
function objectOperations(
  scope: Scope,
  verbs: readonly string[],
  suffix: string,
  what: string,
  body: Body,
  kind?: Operation['kind'],
): Operation[] {
  const { resource, idScope, idPlace } = scope;
  const id = (verb: string): string => `${verb}${idScope}${idPlace}${resource.kind}${suffix}`;
  const operations: Operation[] = [];
  if (verbs.includes('get')) {
    operations.push(
      operation(
        scope,
        { method: 'get', id: id('read'), description: `read ${what}`, action: 'get', answers: answers(body, 200) },
        kind,
      ),
    );
  }
  if (verbs.includes('update')) {
    operations.push(
      operation(
        scope,
        {
          method: 'put',
          id: id('replace'),
          description: `replace ${what}`,
          action: 'put',
          parameters: writeParameters,
          requestBody: sent(scope, body),
          answers: answers(body, 200, 201),
        },
        kind,
      ),
    );
  }
  if (verbs.includes('patch')) {
    operations.push(
      operation(
        scope,
        {
          method: 'patch',
          id: id('patch'),
          description: `partially update ${what}`,
          action: 'patch',
          parameters: patchParameters,
          requestBody: patchBody(scope),
          answers: answers(body, 200, 201),
        },
        kind,
      ),
    );
  }
  return operations;
}

function patchBody(scope: Scope): NonNullable<Operation['requestBody']> {
  const strategic = scope.resource.definition.origin === 'user' ? [] : ['application/strategic-merge-patch+json'];
  const mediaTypes = [
    'application/json-patch+json',
    'application/merge-patch+json',
    ...strategic,
    'application/apply-patch+yaml',
  ];
  return { component: metaComponentName('Patch', scope.dialect), mediaTypes, required: true };
}

function objectPath(scope: Scope): PathItem {
  const { resource, idScope, idPlace, collection } = scope;
  const { kind, verbs } = resource;
  const operations = objectOperations(scope, verbs, '', `the specified ${kind}`, ownBody(scope, kind));
  if (verbs.includes('delete')) {
    operations.push(
      operation(scope, {
        method: 'delete',
        id: `delete${idScope}${idPlace}${kind}`,
        description: `delete ${withArticle(kind)}`,
        action: 'delete',
        parameters: deleteParameters,
        requestBody: deleteBody(scope),
        answers: answers(
          resource.definition.strategy?.deleteReturnsObject === true ? ownBody(scope, kind) : metaBody(scope, 'Status'),
          200,
          202,
        ),
      }),
    );
  }
  return { path: `${collection}/{name}`, parameters: [nameParameter(kind), ...scope.placeParameters], operations };
}

function subresourcePath(scope: Scope, name: string, subresource: OpenApiSubresource): PathItem {
  const { resource, idScope, idPlace, collection } = scope;
  const kind = subresource.responseKind ?? resource;
  const body =
    subresource.responseKind === undefined
      ? ownBody(scope, resource.kind)
      : bodyOf(scope, subresourceComponent(subresource, scope));
  const suffix = operationWord(name);
  const operations = objectOperations(
    scope,
    subresource.verbs,
    suffix,
    `${name} of the specified ${resource.kind}`,
    body,
    kind,
  );
  if (subresource.verbs.includes('create')) {
    const facts: OperationFacts = {
      method: 'post',
      id: `create${idScope}${idPlace}${resource.kind}${suffix}`,
      description: `create ${name} of ${withArticle(resource.kind)}`,
      action: 'post',
      parameters: writeParameters,
      requestBody: sent(scope, body),
      answers: answers(body, 200, 201, 202),
    };
    operations.push(operation(scope, facts, kind));
  }
  return {
    path: `${collection}/{name}/${name}`,
    parameters: [nameParameter(kind.kind), ...scope.placeParameters],
    operations,
  };
}

/** Component of a subresource's own kind; where its schema is not known, of any object. */
function subresourceComponent({ responseKind, schema }: OpenApiSubresource, { dialect }: Scope): string {
  if (responseKind === undefined || schema === undefined) return metaComponentName('RawExtension', dialect);
  return subresourceNamer(responseKind, dialect)(responseKind.kind, schema);
}

/** How the types of a subresource's own kind are called: by the group of that kind. */
export function subresourceNamer(
  { group, version }: { readonly group: string; readonly version: string },
  dialect: Dialect,
): ReturnType<typeof componentNamer> {
  const suffix = `.${dialect.groupSuffix}`;
  return componentNamer(group.endsWith(suffix) ? { system: group.slice(0, -suffix.length) } : group, version, dialect);
}

/** The deprecated paths below `/watch/`, which the list's `watch` parameter replaces. */
function watchPaths(scope: Scope): PathItem[] {
  const { resource, base, collection, idScope, idPlace } = scope;
  const { kind, verbs, namespaced } = resource;
  if (!verbs.includes('watch')) return [];
  const watch = (id: string, action: string): Operation[] => [
    operation(scope, {
      method: 'get',
      id,
      description: `watch changes of ${kind}. deprecated: use the 'watch' parameter with a list operation instead`,
      action,
      answers: answers({ ...metaBody(scope, 'WatchEvent'), mediaTypes: withStreams(scope.mediaTypes) }, 200),
    }),
  ];
  const watched = `${base}/watch${collection.slice(base.length)}`;
  const parameters = [...listParameters, ...scope.placeParameters];
  const everywhere = {
    path: `${base}/watch/${resource.resource}`,
    parameters: [...listParameters, pretty],
    operations: watch(`watch${idScope}${kind}ListForAllNamespaces`, 'watchlist'),
  };
  return [
    ...(namespaced ? [everywhere] : []),
    { path: watched, parameters, operations: watch(`watch${idScope}${idPlace}${kind}List`, 'watchlist') },
    {
      path: `${watched}/{name}`,
      parameters: [nameParameter(kind), ...parameters],
      operations: watch(`watch${idScope}${idPlace}${kind}`, 'watch'),
    },
  ];
}
