import * as z from 'zod';
import { definedOnly, loading, systemGroup } from '../../foundation/index.js';
import {
  statusSubresource,
  steppedCell,
  type CellSteps,
  type Column,
  type Conversion,
  type Deprecation,
  type FieldReader,
  type KindSubresource,
  type ResourceDefinition,
} from '../../registry/index.js';
import type { KindFacts } from '../facts/kind-facts.js';
import { kindFacts, type KindName } from '../facts/kinds.js';
import { loadTypes, structuralType } from '../facts/types.js';
import type { Behaviour, Cells, FieldsOf, StoredKind } from './behaviour.js';
import { ageCell, nameCell } from './shared/columns.js';
import { once } from './shared/once.js';

/** Schema of a built-in kind: a zod type that only says which TypeScript type the objects have. */
export type KindSchema<Kind> = z.ZodType<FieldsOf<Kind>, FieldsOf<Kind>>;

/** Parts of a built-in kind that refer to other definitions. */
interface RelatedKinds {
  /** The definition whose version the objects are stored in, when it is not this one. */
  readonly hub?: ResourceDefinition | undefined;
  /** The kinds that clients of a subresource send and receive, by the name of the subresource. */
  readonly kinds?: Readonly<Record<string, ResourceDefinition>> | undefined;
}

/** The behaviour of a built-in kind, or how it is loaded when the kind is first used; and the related kinds. */
export type KindParts<Kind> = RelatedKinds &
  (
    | {
        /** Loads the behaviour. */
        load(): Promise<Behaviour<Kind>>;
      }
    | {
        /** The behaviour of a kind that every server uses at its start. */
        readonly behaviour: Behaviour<Kind>;
      }
  );

/** The parts of a kind, and its behaviour once it is loaded. */
class LoadedKind<Kind> {
  readonly #type: string;
  readonly #parts: KindParts<Kind>;
  #behaviour: Behaviour<Kind> | undefined;
  #loading: Promise<void> | undefined;
  #ready = false;

  constructor(type: string, parts: KindParts<Kind>) {
    this.#type = type;
    this.#parts = parts;
    if ('behaviour' in parts) this.#behaviour = parts.behaviour;
  }

  /** @throws Error when the kind is not loaded: a request awaits {@link load} first */
  get behaviour(): Behaviour<Kind> {
    if (this.#behaviour === undefined) throw new Error(`${this.#type} is used before it is loaded`);
    return this.#behaviour;
  }

  /** Loads the kind, and the kinds of its subresources. Returns undefined when it is loaded. */
  load(): Promise<void> | undefined {
    if (this.#ready) return undefined;
    if (this.#loading !== undefined) return this.#loading;
    const load = this.#load();
    this.#loading = load && loading(load).finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  #load(): Promise<void> | undefined {
    const { hub, kinds = {} } = this.#parts;
    const pending = [
      this.#loadBehaviour(),
      loadTypes(this.#type),
      hub?.prepare?.(),
      ...Object.values(kinds).map((kind) => kind.prepare?.()),
    ].filter((part) => part !== undefined);
    if (pending.length > 0) return Promise.all(pending).then(() => void (this.#ready = true));
    this.#ready = true;
    return undefined;
  }

  #loadBehaviour(): Promise<void> | undefined {
    if (!('load' in this.#parts)) return undefined;
    return this.#parts.load().then((behaviour) => void (this.#behaviour = behaviour));
  }
}

/**
 * Declares a built-in kind by the facts of its release. Its fields, and its behaviour unless it is given, are loaded
 * when it is first used.
 *
 * @throws Error when a part that the facts mention is missing
 */
export const builtinKind = <Kind>(name: KindName, parts: KindParts<Kind>): ResourceDefinition<KindSchema<Kind>> =>
  // Written by scripts/make-facts.js.
  declare(JSON.parse(kindFacts[name]) as KindFacts, parts);

/** The names of a kind that only subresources use, and its type. */
export type SubresourceKindFacts = Pick<KindFacts, 'group' | 'version' | 'kind' | 'plural' | 'type'>;

/** Declares a kind that clients of a subresource send and receive. Its objects are never stored. */
export const subresourceKind = <Kind>(
  facts: SubresourceKindFacts,
  parts: KindParts<Kind>,
): ResourceDefinition<KindSchema<Kind>> => declare({ ...facts, scope: 'Namespaced', virtual: true }, parts);

function declare<Kind>(facts: KindFacts, parts: KindParts<Kind>): ResourceDefinition<KindSchema<Kind>> {
  const { group, version, kind, plural, singular, scope, verbs, virtual, shortNames, categories, type } = facts;
  const { featureGate, lifecycle, storagePrefix, fieldRefusal } = facts;
  const loaded = new LoadedKind(type, parts);
  const deprecation = deprecationOf(facts);
  const optional = { singular, verbs, virtual, shortNames, categories, featureGate, lifecycle, deprecation };
  // Most kinds are never used.
  const subresources = once(() => subresourcesOf(facts, parts, loaded));
  const selectableFields = once(() => selectableFieldsOf(facts));
  const columns = once(() => columnsOf(facts, loaded));
  return Object.freeze({
    group: typeof group === 'string' ? group : systemGroup(group.system),
    ...{ version, kind, plural, scope, origin: 'builtin' as const },
    ...definedOnly({ ...optional, storagePrefix, fieldRefusal }),
    ...(parts.hub === undefined ? {} : { conversion: conversionOf(parts.hub, loaded) }),
    schema: once((): KindSchema<Kind> => z.custom<FieldsOf<Kind>>()),
    structural: () => structuralType(type),
    publishedFrom: () => facts,
    prepare: () => loaded.load(),
    get strategy() {
      return loaded.behaviour.strategy;
    },
    get subresources() {
      return subresources();
    },
    get selectableFields() {
      return selectableFields();
    },
    get columns() {
      return columns();
    },
  });
}

function deprecationOf({ deprecation, lifecycle, replacement }: KindFacts): Deprecation | undefined {
  if (deprecation !== undefined) return deprecation;
  if (lifecycle?.deprecated === undefined || lifecycle.removed === undefined) return undefined;
  return { since: lifecycle.deprecated, removal: lifecycle.removed, replacement };
}

function subresourcesOf<Kind>(
  { type: name, subresources }: KindFacts,
  { kinds = {} }: KindParts<Kind>,
  loaded: LoadedKind<Kind>,
): Readonly<Record<string, KindSubresource<StoredKind<Kind>>>> | undefined {
  if (subresources === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(subresources).map(([subresource, facts]) => {
      if ('connect' in facts) return [subresource, facts];
      const { verbs, kind } = facts;
      const other = kinds[subresource];
      if (kind !== undefined && other === undefined)
        throw new Error(`${name}: the subresource ${subresource} has no definition of ${kind}`);
      if (other === undefined) return [subresource, partSubresource(subresource, verbs, loaded)];
      if (isOperation(verbs)) return [subresource, { verbs, operation: other }];
      return [subresource, viewSubresource(subresource, verbs, other, loaded)];
    }),
  );
}

type PartVerb = 'get' | 'update' | 'patch';

const isOperation = (verbs: readonly string[]): verbs is readonly ['create'] =>
  verbs.length === 1 && verbs[0] === 'create';
const partVerbs = (verbs: readonly string[]): readonly PartVerb[] =>
  (['get', 'patch', 'update'] as const).filter((verb) => verbs.includes(verb));

/** Declares a subresource that writes a part of its object. */
function partSubresource<Kind>(
  subresource: string,
  verbs: readonly string[],
  loaded: LoadedKind<Kind>,
): KindSubresource<StoredKind<Kind>> {
  return {
    verbs: partVerbs(verbs),
    get strategy() {
      const own = loaded.behaviour.subresources?.[subresource];
      if (own !== undefined && 'prepareForUpdate' in own) return own;
      if (subresource === 'status') return statusSubresource.strategy;
      throw new Error(`the subresource ${subresource} has no strategy`);
    },
  };
}

/** Declares a subresource that shows a part of its object as another kind. */
function viewSubresource<Kind>(
  subresource: string,
  verbs: readonly string[],
  view: ResourceDefinition,
  loaded: LoadedKind<Kind>,
): KindSubresource<StoredKind<Kind>> {
  const own = () => {
    const found = loaded.behaviour.subresources?.[subresource];
    if (found === undefined || !('show' in found)) throw new Error(`the subresource ${subresource} has no view`);
    return found;
  };
  return {
    verbs: partVerbs(verbs),
    view,
    show: (object, forWrite) => own().show(object, forWrite),
    showSteps(object, forWrite, work) {
      const found = own();
      return found.showSteps?.(object, forWrite, work) ?? found.show(object, forWrite);
    },
    write: (object, changed) => own().write(object, changed),
  };
}

function conversionOf<Kind>(hub: ResourceDefinition, loaded: LoadedKind<Kind>): Conversion<StoredKind<Kind>> {
  const own = () => {
    const { conversion } = loaded.behaviour;
    if (conversion === undefined) throw new Error(`${hub.kind} has no conversion`);
    return conversion;
  };
  return {
    hub,
    toHub: (object, dialect) => own().toHub(object, dialect),
    fromHub: (object, dialect) => own().fromHub(object, dialect),
  };
}

/** Empty values of selectable fields: every field has a text. */
const EMPTY_TEXTS = { bool: 'false', int: '0' };

function selectableFieldsOf({ selectableFields }: KindFacts): Readonly<Record<string, FieldReader>> | undefined {
  if (selectableFields === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(selectableFields).map(([field, { paths, type }]) => {
      const steps = paths.map((path) => path.split('.'));
      const empty = type === undefined ? '' : EMPTY_TEXTS[type];
      return [field, (object: object) => firstText(object, steps) ?? empty];
    }),
  );
}

/** Returns the text of the first value that is not empty. */
function firstText(object: object, paths: readonly (readonly string[])[]): string | undefined {
  for (const path of paths) {
    let value: unknown = object;
    for (const step of path) value = isRecord(value) ? value[step] : undefined;
    if (typeof value === 'string' ? value !== '' : typeof value === 'number' || typeof value === 'boolean')
      return String(value);
  }
  return undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Cells that are the same for every kind. */
const COMMON_CELLS: Cells<object> = { Name: nameCell, Age: ageCell };

function columnsOf<Kind>(
  { type, columns }: KindFacts,
  loaded: LoadedKind<Kind>,
): readonly Column<StoredKind<Kind>>[] | undefined {
  return columns?.map((column) => {
    const common = COMMON_CELLS[column.name];
    let own: Cells<Kind>[string] | undefined;
    const steps: CellSteps<StoredKind<Kind>> = (object, work) => {
      own ??= loaded.behaviour.cells?.[column.name] ?? common;
      if (own === undefined) throw new Error(`${type}: the column ${column.name} has no cells`);
      return own(object, work);
    };
    return { ...column, cell: steppedCell(steps) };
  });
}
