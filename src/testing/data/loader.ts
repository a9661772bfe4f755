import type { ApiServer } from '../../apiserver/index.js';
import type { Client, UntypedInput, UntypedObject } from '../../client/index.js';
import {
  aFunction,
  aName,
  checkOptions,
  isArray,
  isJsonObject,
  messageOf,
  stringOrEmpty,
  type JsonObject,
  type JsonValue,
  type OptionChecks,
} from '../../foundation/index.js';
import {
  DEFINITION_KIND,
  definitionApiVersion,
  dialectOfDefinition,
  establishmentProblem,
  inDialect,
} from '../../kinds/index.js';
import { inStages, uidOf } from './load-order.js';
import type { LoadOptions } from './load.js';
import { readObjects, type ObjectSource, type SourceObject } from './sources.js';

const checks: OptionChecks<LoadOptions> = { namespace: aName, fieldManager: aName, settled: aFunction };

/** Maximum number of problems that an error lists. */
const MAX_PROBLEMS = 20;

/** See `loadObjects`. */
export async function loadInto(
  server: ApiServer,
  sources: readonly ObjectSource[],
  options: LoadOptions,
): Promise<UntypedObject[]> {
  checkOptions('load', options, checks);
  if (!Array.isArray(sources) || sources.length === 0)
    throw new TypeError('load: name at least one source: a path, a string in YAML or JSON, or objects');
  const objects = (await Promise.all(sources.map(readObjects))).flat();
  if (objects.length === 0) throw new TypeError('load: the sources have no objects');
  await server.ready();
  const loader = new Loader(server, options);
  for (const stage of inStages(objects)) await loader.load(stage);
  return objects.map((object) => loader.loaded(object));
}

/** One run. */
class Loader {
  readonly #server: ApiServer;
  readonly #client: Client;
  readonly #namespace: string;
  readonly #fieldManager: string;
  readonly #settled: () => Promise<void>;
  readonly #loaded = new Map<SourceObject, UntypedObject>();
  /** The new uids by those of the server that the objects come from. */
  readonly #uids = new Map<string, string>();

  constructor(server: ApiServer, options: LoadOptions) {
    const { namespace = 'default', fieldManager = 'load', settled = () => server.settled() } = options;
    this.#server = server;
    this.#client = server.client({ fieldManager });
    this.#namespace = namespace;
    this.#fieldManager = fieldManager;
    this.#settled = settled;
  }

  /** @throws Error when the object was not loaded */
  loaded(object: SourceObject): UntypedObject {
    const found = this.#loaded.get(object);
    if (found === undefined) throw new Error(`${titleOf(object)}: not loaded`);
    return found;
  }

  /** Loads the objects of a stage. @throws Error with those that the server refuses */
  async load(stage: readonly SourceObject[]): Promise<void> {
    const problems: string[] = [];
    for (const object of stage) {
      try {
        this.#loaded.set(object, await this.#write(object));
      } catch (error) {
        problems.push(`${titleOf(object)}: ${messageOf(error)}`);
      }
    }
    const definitions = stage.filter(isDefinition);
    if (definitions.length > 0) {
      await this.#settled();
      for (const definition of definitions) await this.#checkServed(definition, problems);
    }
    if (problems.length === 0) return;
    const more = problems.length - MAX_PROBLEMS;
    const shown = problems.slice(0, MAX_PROBLEMS).join('\n');
    throw new Error(`load: ${shown}${more > 0 ? `\nand ${more} more` : ''}`);
  }

  async #checkServed(definition: SourceObject, problems: string[]): Promise<void> {
    const before = this.#loaded.get(definition);
    if (before === undefined) return;
    const { apiVersion, kind, metadata } = before;
    const now = await this.#client.resource({ apiVersion, kind }).get(metadata.name ?? '');
    const problem = establishmentProblem(now['status'] as JsonValue);
    if (problem !== undefined) problems.push(`${titleOf(definition)}: ${problem}`);
    this.#loaded.set(definition, now);
  }

  async #write(object: SourceObject): Promise<UntypedObject> {
    const { value, isNamespaced, subresources } = this.#target(object);
    const { apiVersion, kind } = value;
    const intent = inputOf(value, isNamespaced ? this.#namespace : undefined, this.#uids);
    const kindClient = this.#client.resource({ apiVersion, kind });
    const parameters = { fieldManager: this.#fieldManager, force: true, fieldValidation: 'Strict' } as const;
    const { status, ...main } = intent;
    const separate = isJsonObject(status) && (subresources.includes('status') || isDefinition(object));
    const body = separate ? main : intent;
    const generated = intent.metadata.name === undefined;
    let stored = generated
      ? await kindClient.create(body, { fieldValidation: 'Strict' })
      : await kindClient.apply(body, parameters);
    if (separate && !isDefinition(object) && Object.keys(status).length > 0) {
      const { name, namespace } = stored.metadata;
      const statusIntent = { apiVersion, kind, metadata: { name, ...(namespace ? { namespace } : {}) }, status };
      stored = await kindClient.apply(statusIntent, { ...parameters, subresource: 'status' });
    }
    const uid = uidOf(object);
    if (uid !== undefined && stored.metadata.uid !== undefined) this.#uids.set(uid, stored.metadata.uid);
    return stored;
  }

  /** @throws ApiError 404 when the kind of the object is not served */
  #target(object: SourceObject) {
    const value = isDefinition(object)
      ? { ...definitionInDialect(object, this.#server), kind: DEFINITION_KIND }
      : { ...object.value, apiVersion: object.apiVersion, kind: object.kind };
    const definition = this.#server.resources.find(value);
    if (definition === undefined)
      throw new Error(
        `the server does not serve ${value.kind} of ${value.apiVersion}: load its custom resource definition, or enable its version with the option runtimeConfig`,
      );
    return {
      value,
      isNamespaced: definition.scope === 'Namespaced',
      subresources: Object.keys(definition.subresources ?? {}),
    };
  }
}

const isDefinition = ({ kind, value }: SourceObject): boolean =>
  kind === DEFINITION_KIND && dialectOfDefinition(value) !== undefined;

/** Returns a definition in the names of the server's dialect. */
const definitionInDialect = ({ value }: SourceObject, { dialect }: ApiServer) => ({
  ...inDialect(value, dialect),
  apiVersion: definitionApiVersion(dialect),
});

/** Metadata that a server sets. */
const SERVER_METADATA: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** Returns what a client may write of an object. */
function inputOf(value: JsonObject, namespace: string | undefined, uids: ReadonlyMap<string, string>): UntypedInput {
  const given = isJsonObject(value['metadata']) ? value['metadata'] : {};
  const metadata = Object.fromEntries(Object.entries(given).filter(([name]) => !SERVER_METADATA.has(name)));
  const { ownerReferences } = metadata;
  if (isArray(ownerReferences)) metadata['ownerReferences'] = ownerReferences.map((owner) => withUid(owner, uids));
  if (namespace !== undefined) metadata['namespace'] ??= namespace;
  return { ...value, metadata };
}

function withUid(owner: JsonValue, uids: ReadonlyMap<string, string>): JsonValue {
  if (!isJsonObject(owner) || typeof owner['uid'] !== 'string') return owner;
  return { ...owner, uid: uids.get(owner['uid']) ?? owner['uid'] };
}

/** Returns the name of an object with its place, for errors. */
function titleOf({ place, kind, value: { metadata } }: SourceObject): string {
  const { name, generateName, namespace } = isJsonObject(metadata) ? metadata : {};
  const named = stringOrEmpty(name) || `${stringOrEmpty(generateName)}*`;
  const title = `${kind} ${stringOrEmpty(namespace) === '' ? '' : `${stringOrEmpty(namespace)}/`}${named}`;
  return place === '' ? title : `${place}: ${title}`;
}
