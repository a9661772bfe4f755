import { shown } from '../../foundation/index.js';
import { builtinResources } from '../../kinds/index.js';
import { checkDefinition, type Catalogue, type ResourceDefinition } from '../../registry/index.js';

/** Source of the kinds of the server's options in the catalogue. */
const OPTIONS_SOURCE = '';
/** Prefix of the sources of kinds that were added while the server runs. */
const ADDED_PREFIX = 'added ';

const builtin: ReadonlySet<ResourceDefinition> = new Set(builtinResources);

/** The kinds of a running server that its program declares. Requests see a change at once. */
export class ServerResources {
  readonly #catalogueOf: () => Catalogue;

  /**
   * @param catalogue returns the current catalogue of the server
   *
   * @internal
   */
  constructor(catalogue: () => Catalogue) {
    this.#catalogueOf = catalogue;
  }

  get #catalogue(): Catalogue {
    return this.#catalogueOf();
  }

  /** Returns a served kind by its names; undefined when the server does not serve it. */
  find({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ResourceDefinition | undefined {
    return this.#catalogue.ofKind(apiVersion, kind)?.definition;
  }

  /**
   * Adds kinds, as the server's option `resources` does. Pass the versions of one kind together.
   *
   * @throws TypeError for a value that is not a kind, a kind that conflicts with a served one, and a kind whose version
   *   or feature gate is not enabled; nothing changes then
   */
  add(kinds: ResourceDefinition | readonly ResourceDefinition[]): void {
    const subject = 'server.resources.add';
    const added = listOf(kinds, subject);
    for (const definition of added) checkDefinition(definition);
    const off = added.find((definition) => !this.#catalogue.enables(definition));
    if (off !== undefined)
      throw new TypeError(
        `${subject}: ${nameOf(off)} is off: enable its version with the option runtimeConfig, and its feature gate`,
      );
    if (added.length > 0) this.#catalogue.replace(this.#freeSource(), added, subject);
  }

  /** Returns a name for the source of an addition: each is a source of its own. */
  #freeSource(): string {
    let number = 1;
    while (this.#catalogue.kindsOf(`${ADDED_PREFIX}${number}`).length > 0) number += 1;
    return `${ADDED_PREFIX}${number}`;
  }

  /**
   * Removes kinds that {@link add} or the server's option `resources` added. Watches of them end, and requests for them
   * are answered with 404. Their objects stay in the storage, and are there again once the kind is added again.
   *
   * @throws TypeError for a built-in kind, a kind of a custom resource definition, and a kind that is not served; nothing
   *   changes then
   */
  remove(kinds: ResourceDefinition | readonly ResourceDefinition[]): void {
    const subject = 'server.resources.remove';
    const removed = new Set(listOf(kinds, subject));
    const sources = new Set<string>();
    for (const definition of removed) {
      const source = this.#catalogue.sourceOf(definition);
      if (source === undefined) throw new TypeError(`${subject}: ${nameOf(definition)} is not served`);
      if (builtin.has(definition))
        throw new TypeError(`${subject}: ${nameOf(definition)} is built in and cannot be removed`);
      if (source !== OPTIONS_SOURCE && !source.startsWith(ADDED_PREFIX))
        throw new TypeError(
          `${subject}: ${nameOf(definition)} belongs to a custom resource definition: delete that object instead`,
        );
      sources.add(source);
    }
    for (const source of sources) {
      const rest = this.#catalogue.kindsOf(source).filter((definition) => !removed.has(definition));
      this.#catalogue.replace(source, rest, subject);
    }
  }
}

const nameOf = ({ kind, plural, version }: ResourceDefinition): string => `${kind} (${plural}, ${version})`;

function listOf(
  kinds: ResourceDefinition | readonly ResourceDefinition[],
  subject: string,
): readonly ResourceDefinition[] {
  const list = isList(kinds) ? kinds : [kinds];
  for (const kind of list)
    if (typeof kind !== 'object' || kind === null)
      throw new TypeError(
        `${subject}: the argument must be a kind, such as the result of defineResource, got ${shown(kind)}`,
      );
  return list;
}

const isList = (kinds: ResourceDefinition | readonly ResourceDefinition[]): kinds is readonly ResourceDefinition[] =>
  Array.isArray(kinds);
